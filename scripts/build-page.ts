// Builds the page from src/page into page/ (npm run build:page), or into the folder that it is given. What is in page/ is committed: a gateway serves it as it is.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../', import.meta.url));

process.env['NODE_ENV'] = 'production'; // whatever the shell says: Vite and React read it
const folder = resolve(process.argv[2] ?? `${root}page`);

/** The packages whose code the page holds. */
const packages = new Set<string>();

// the files have the same names and bytes on every machine
await build({
  configFile: false,
  root: `${root}src/page`,
  base: './', // a gateway may be behind a proxy, under a path
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  plugins: [
    {
      name: 'licenses',
      generateBundle(_, bundle) {
        for (const output of Object.values(bundle)) {
          const modules = output.type === 'chunk' ? output.moduleIds : [];
          for (const id of modules) packages.add(/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? '');
        }
      },
    },
  ],
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

// their licenses ask to be where their code is
packages.delete('');
const texts = [...packages].sort().map((name) => {
  const files = ['LICENSE', 'LICENSE.md', 'license'].map((file) => `${root}node_modules/${name}/${file}`);
  const file = files.find(existsSync);
  if (!file) throw new Error(`${name} has no file of its license.`);
  return `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`;
});
writeFileSync(resolve(folder, 'licenses.txt'), texts.join('\n---\n\n'));
