// Belay's own files below a root: no tool reads or writes them, by whatever name.
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../../../src/adapters/models/scripted.ts';
import { storeFiles } from '../../../../src/adapters/stores/store-files.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import { createRuntime } from '../../../../src/embed/runtime.ts';
import { call, named, newFolders } from './folder.ts';

const tools = builtinTools({ allowWrites: true });
const refused = { kind: 'failed', code: 'path_protected', effect: 'none' };

async function world() {
  const { root } = await newFolders();
  const store = join(root, 'data', 'belay.sqlite');
  mkdirSync(join(root, 'data'));
  mkdirSync(join(root, 'keys'));
  writeFileSync(store, 'store');
  writeFileSync(join(root, 'tokens.json'), 'tokens');
  writeFileSync(join(root, 'keys', 'key.json'), 'key');
  symlinkSync(store, join(root, 'soft'));
  linkSync(store, join(root, 'hard'));
  const context = {
    roots: [root],
    protectedPaths: [...storeFiles(store), join(root, 'tokens.json'), join(root, 'keys')],
  };
  return { root, store, context };
}

test.each([
  'data/belay.sqlite',
  'data/belay.sqlite-wal', // not there yet: it must not be created either
  'tokens.json',
  'keys/key.json',
  'keys/new.json',
  'soft',
  'hard',
])('%s is refused [access.secrets]', async (path) => {
  const { root, store, context } = await world();
  expect(await call(named(tools, 'read_file'), { path }, context)).toMatchObject(refused);
  expect(await call(named(tools, 'write_file'), { path, content: 'x' }, context)).toMatchObject(refused);
  expect(readFileSync(store, 'utf8')).toBe('store');
  expect(existsSync(`${store}-wal`)).toBe(false);
  expect(existsSync(join(root, 'keys', 'new.json'))).toBe(false);
});

test('what lies beside them is not', async () => {
  const { context } = await world();
  const path = 'data/notes.txt';
  expect(await call(named(tools, 'write_file'), { path, content: 'x' }, context)).toMatchObject({ kind: 'completed' });
  expect(await call(named(tools, 'read_file'), { path }, context)).toMatchObject({ kind: 'completed', output: 'x' });
  expect(await call(named(tools, 'list_files'), { path: 'data' }, context)).toMatchObject({ kind: 'completed' });
  expect(await call(named(tools, 'list_files'), { path: 'keys' }, context)).toMatchObject(refused);
});

test('a runtime protects its store: a call that writes there closes no session', async () => {
  const { root } = await newFolders();
  const store = join(root, 'own', 'belay.sqlite');
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { steps: [{ text: 'done' }] }
        : {
            steps: [
              { call: { callId: 'p1', name: 'write_file', arguments: '{"path":"own/belay.sqlite","content":"x"}' } },
            ],
          },
  });
  const runtime = await createRuntime({ acknowledge: 'off', provider, store, roots: [root], tools });
  onTestFinished(() => runtime.close());
  const session = (await runtime.session('s')).as('ann');
  const codes: unknown[] = [];
  session.on('tool_result', ({ code }) => codes.push(code));
  expect(await session.say('write').ended).toMatchObject({ outcome: 'completed' });
  expect(await session.say('write').ended).toMatchObject({ outcome: 'completed' });
  expect(codes).toEqual(['path_protected', 'path_protected']);
});
