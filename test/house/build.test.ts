// `npm run build` emits JavaScript whose imports, of workers too, name files that were emitted with it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scaled } from '../support/time-scale.ts';
import { importsOf } from './imports.ts';
import { filesBelow, read, root, sourcesBelow } from './tree.ts';

const emitted = mkdtempSync(join(tmpdir(), 'belay-build-'));
afterAll(() => rmSync(emitted, { recursive: true }));

beforeAll(async () => {
  const args = ['-p', 'tsconfig.build.json', '--outDir', emitted];
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), args, { cwd: root });
}, scaled(60_000));

test('each source has its JavaScript and its types', () => {
  const all = new Set(filesBelow('', emitted));
  const compiled = sourcesBelow(['machines', 'src']).filter((path) => !path.startsWith('src/page/')); // the page is built by Vite
  const bare = compiled.map((path) => path.replace(/\.ts$/, ''));
  expect(bare.filter((path) => !all.has(`${path}.js`) || !all.has(`${path}.d.ts`))).toEqual([]);
});

test('each import names a file that was emitted', () => {
  const all = new Set(filesBelow('', emitted));
  const lost = filesBelow('', emitted)
    .filter((path) => path.endsWith('.js'))
    .flatMap((path) =>
      importsOf(path, read(path, emitted))
        .filter(({ path: target }) => target !== null && !all.has(target.replace(/\.ts$/, '.js')))
        .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
    );
  expect(lost).toEqual([]);
});
