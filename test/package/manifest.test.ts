// The package.json of the package is made from the built files, and a checkout is imported by the same names.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { manifestOf } from '../../scripts/manifest.ts';
import { aiSdkPackages } from '../../src/adapters/models/ai-sdk/ai-sdk-apis.ts';
import { read, root } from '../house/tree.ts';

const checkout = JSON.parse(read('package.json'));

function built(files: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'belay-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return pathToFileURL(`${folder}/`);
}

test('it brings what the built files import, types too, and nothing else', () => {
  const manifest = manifestOf(
    checkout,
    built({
      'src/a.js': "import { z } from 'zod/v4';\nimport './b.js';\nimport fs from 'node:fs';",
      'src/b.js': "const { x } = await import('@agentclientprotocol/sdk/x.js');",
      'src/c.js': "const image = Buffer.from('aGVsbG8=');", // no import
      'src/b.d.ts': "import type { Machine } from 'xstate';",
      'src/c.d.ts': "import type { LanguageModelV4 } from '@ai-sdk/provider';",
    }),
  );
  expect(Object.keys(manifest.dependencies)).toEqual(['@agentclientprotocol/sdk', 'xstate', 'zod']);
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(manifest).not.toHaveProperty('scripts');
  expect(manifest.dependencies['zod']).toBe(checkout.dependencies.zod);
});

test('the packages of the AI SDK, of browse, of NATS and of PostgreSQL are for users to install: optional, and each that a configuration can name', () => {
  const { peerDependencies, peerDependenciesMeta, dependencies } = manifestOf(checkout, built({}));
  const names = Object.values(aiSdkPackages).map(({ name }) => name);
  expect(Object.keys(peerDependencies).sort()).toEqual(
    [...names, '@ai-sdk/provider', '@nats-io/transport-node', 'pg', 'playwright-core'].sort(),
  );
  for (const name of Object.keys(peerDependencies)) {
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(dependencies).not.toHaveProperty([name]);
  }
});

test('an import that is no dependency is named', () => {
  const dist = built({ 'src/a.js': "import { build } from 'esbuild';" });
  expect(() => manifestOf(checkout, dist)).toThrow('esbuild');
});

test('every entry point exists, and a checkout has the same', () => {
  const { exports, bin } = manifestOf(checkout, built({}));
  const sources = Object.fromEntries(
    Object.entries(exports).flatMap(([entry, paths]) =>
      typeof paths === 'string' ? [] : [[entry, paths.default.replace(/\.js$/, '.ts')]],
    ),
  );
  expect(checkout.exports).toEqual(sources);
  for (const path of [...Object.values(sources), bin.belay.replace(/\.js$/, '.ts')]) {
    expect(existsSync(join(root, path)), path).toBe(true);
  }
});
