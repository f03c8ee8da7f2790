// Commands of a user of their own (`tools.user`): they can read no secret of the gateway, work in their folder, and are stopped like any other.
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keyFilesOf, removeKeyFiles, writeKeyFiles } from '../../src/gateway/key-file.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, serveBelay, tokenOf, type Workspace } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();
const isRoot = process.getuid?.() === 0;
const testAsRoot = isRoot ? test : test.skip;
const whyNot = isRoot ? '' : ' (skipped: only root may start commands as another user)';

const nobodyId = 65_534;
const apiKey = 'sk-the-key-of-the-model';

/** A workspace whose folder `a` belongs to nobody. */
function sharedWorkspace(): Workspace {
  const workspace = newWorkspace();
  chmodSync(workspace.path, 0o711);
  chownSync(workspace.folder.a, nobodyId, nobodyId);
  return workspace;
}

async function serve(workspace: Workspace, config: object) {
  const keys = keyFilesOf({ address: '127.0.0.1', port: 9 });
  writeKeyFiles(keys, 'the-key-of-another-gateway');
  onTestFinished(() => removeKeyFiles(keys, 'the-key-of-another-gateway'));
  const belay = await serveBelay(endpoint, {
    workspace,
    config: { ...config, allow: ['shell', 'write_file'], model: { baseUrl: endpoint.url, name: 'scripted' } },
    env: { OPENAI_API_KEY: apiKey },
  });
  const files = ['tokens.json', 'belay.json', 'store/belay.sqlite'].map((name) => join(workspace.path, name));
  return { belay, files: ['/proc/$PPID/environ', ...files, ...keys] };
}

/** The output of one shell command. */
async function outputOf(belay: Parameters<typeof joinRoom>[0], command: string): Promise<string> {
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'ok' } },
    { reply: { calls: [shellCall(command)] } },
  ]);
  const ann = await joinRoom(belay, 'ann');
  await ann.session.say('run it').ended;
  return ann.of('tool_result').at(-1)?.output ?? '';
}

const readAll = (files: readonly string[]) =>
  files.map((file) => `cat "${file}" >/dev/null 2>&1 && echo "read ${file}"`).join('; ');

testAsRoot(
  `a command finds environ, store, configuration, tokens and keys unreadable [access.secrets]${whyNot}`,
  async () => {
    const workspace = sharedWorkspace();
    const { belay, files } = await serve(workspace, { tools: { user: 'nobody' } });
    const output = await outputOf(belay, `id -un; ${readAll(files)}; tr '\\0' '\\n' < /proc/$PPID/environ; env`);
    expect(output).toContain('nobody');
    expect(output).toContain('Permission denied');
    expect(output).not.toMatch(/^read /m);
    for (const secret of [apiKey, tokenOf('ann')]) expect(output).not.toContain(secret);
    expect(belay.child.stderr()).toBe('');
  },
);

testAsRoot(`without a user of its own it reads all of them, as SECURITY.md says${whyNot}`, async () => {
  const { belay, files } = await serve(newWorkspace(), {});
  const output = await outputOf(belay, readAll(files));
  expect(output.match(/^read /gm)).toHaveLength(files.length);
  expect(belay.child.stderr()).toMatch(
    /^belay: OPENAI_API_KEY is in the environment of this process, and shell may read/,
  );
});

testAsRoot(`it is stopped with all that it has started [tool.process]${whyNot}`, async () => {
  const workspace = sharedWorkspace();
  const { belay } = await serve(workspace, { tools: { user: 'nobody' } });
  const token = `sleep ${newToken()}`;
  const command = `trap '' TERM; (setsid ${token} >/dev/null 2>&1 &); ${token}`;
  await endpoint.script([{ reply: { calls: [shellCall(command)] } }]);
  const ann = await joinRoom(belay, 'ann');
  const turn = ann.session.say('run it');
  await untilRunning(token);
  const receipt = await turn.cancel().settled;
  expect(receipt?.nodes.find(({ kind }) => kind === 'tool-call')).toMatchObject({ outcome: 'cancelled' });
  expect(living(token)).toEqual([]);
});

testAsRoot(`what write_file writes belongs to it: it can go on with it${whyNot}`, async () => {
  const workspace = sharedWorkspace();
  const { belay } = await serve(workspace, { tools: { user: 'nobody' } });
  writeFileSync(join(workspace.folder.a, 'old'), 'old');
  chownSync(join(workspace.folder.a, 'old'), nobodyId, nobodyId);
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'text\n' } });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'ok' } },
    { reply: { calls: [write('new/file'), write('old')] } },
  ]);
  const ann = await joinRoom(belay, 'ann');
  await ann.session.say('write it').ended;
  expect(ann.of('tool_result').map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  const output = await outputOf(belay, 'echo more >> new/file && echo more >> old && rm new/file && echo done');
  expect(output).toContain('done');
});
