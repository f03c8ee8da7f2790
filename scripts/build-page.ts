// Builds the page from src/web into page/ (npm run build:page). What it writes is committed: a gateway serves it as it is.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Builds the page into a folder. The files have the same names and bytes on every machine. */
export async function buildPage(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: `${root}src/web`,
    base: './', // a gateway may be behind a proxy, under a path
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2024',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          entryFileNames: 'page/[name].js',
          chunkFileNames: 'page/[name].js',
          assetFileNames: 'page/[name][extname]',
        },
      },
    },
  });
}

if (import.meta.main) await buildPage(`${root}page`);
