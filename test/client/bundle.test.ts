// The client as browsers load it: small, with nothing of Node and no package in it, and the same as modules without a build.
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { importsOf } from '../house/imports.ts';
import { read, root } from '../house/tree.ts';

const entry = 'src/client/index.ts';
const limitBytes = 24_000;
const options = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  write: false,
} as const;
let code = '';
let inputs: readonly string[] = [];

beforeAll(async () => {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [entry],
    metafile: true,
  });
  code = outputFiles[0]?.text ?? '';
  inputs = Object.keys(metafile.inputs);
});

describe('the bundle for browsers', () => {
  test('is under 24 kB, minified and compressed, and the docs say how much it is', () => {
    const bytes = gzipSync(code).length;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(limitBytes);
    const [, told] = /(\d+\.\d) kB minified and compressed/.exec(read('docs/how-to/client.md')) ?? [];
    expect(Math.abs(Number(told) - bytes / 1_000), `${bytes} bytes; the docs say ${told} kB`).toBeLessThan(0.5);
  });

  test('has nothing in it but the client, the names of the protocol and its words, collections, receipts and kinds of calls', () => {
    expect(
      inputs.filter(
        (path) =>
          path !== 'machines/vocabulary.ts' &&
          !/^src\/(client\/|wire\/|core\/(collections|receipt)\/|core\/words\/call-kinds\.ts)/.test(path),
      ),
    ).toEqual([]);
    expect(inputs.filter((path) => path.endsWith('-frames.ts'))).toEqual([]); // the schemas are the server's
    expect(/['"]node:|\bzod\b|\brequire\(|\bimport\b/.exec(code)).toBeNull();
  });

  test('runs where it is loaded', async () => {
    const contents = `import * as client from './${entry}'; console.log(Object.keys(client).join());`;
    const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: root } });
    const program = ['--input-type=module', '-e', outputFiles[0]?.text ?? ''];
    const names = execFileSync(process.execPath, program, { encoding: 'utf8' }).trim().split(',');
    expect(names.sort()).toEqual(
      [
        'CommandRefused',
        'ConnectionClosed',
        'NotConnected',
        'NotSupported',
        'SessionEnded',
        'SessionSound',
        'SoundPlayer',
        'SoundRecorder',
        'TakenAsCancel',
        'TurnNotCompleted',
        'connect',
        'createClient',
        'SessionView',
        'depthOf',
        'findNode',
        'findNodes',
        'findQuestions',
        'isRootTurn',
        'nameOf',
        'questionWords',
        'readArguments',
        'ownerOf',
        'runningMs',
        'soundWorklet',
        'titleOfCall',
      ].sort(),
    );
  });
});

test('the transport for the AI SDK is under 2 kB, and has nothing else in it', async () => {
  const entryPoints = ['src/client/belay-transport.ts'];
  const { outputFiles, metafile } = await build({ ...options, entryPoints, metafile: true });
  expect(gzipSync(outputFiles[0]?.text ?? '').length).toBeLessThan(2_000);
  expect(Object.keys(metafile.inputs)).toEqual(entryPoints);
});

test('without a bundle: every module that it loads is a relative one', () => {
  const specifiers = inputs.flatMap((path) => importsOf(path, read(path)).map(({ specifier }) => specifier));
  expect(specifiers.filter((specifier) => !specifier.startsWith('.'))).toEqual([]);
});
