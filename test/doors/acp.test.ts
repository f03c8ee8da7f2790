// `belay acp` by the official client, as a process of its own, with real shells and an endpoint that sees its requests closed.
import { DatabaseSync } from 'node:sqlite';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type AcpClientOptions, startAcp, untilAsked } from '../support/acp-client.ts';
import { type ConfigFile, newWorkspace, type Workspace, writeConfig } from '../support/belay.ts';
import { requestEnds, shellCall, toolMessages, untilAllEnded, untilRunning, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

async function start(
  config: ConfigFile = {},
  { workspace = newWorkspace(), ...options }: Partial<AcpClientOptions> & { readonly workspace?: Workspace } = {},
) {
  const { path, folder, store } = workspace;
  const file = writeConfig(endpoint, workspace, { roots: [path], ...config });
  const acp = await startAcp({ cwd: path, args: ['--config', file], ...options });
  return { ...acp, endpoint, workspace, path, folder, store };
}

/** The receipt in the response to a prompt. */
const belayOf = ({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | null | undefined }) =>
  _meta?.['belay'] as Readonly<Record<string, unknown>> | undefined;

/** The facts of a session in the store. */
function factsIn(store: string, session: string): readonly Readonly<Record<string, unknown>>[] {
  const db = new DatabaseSync(store, { readOnly: true });
  try {
    const rows = db.prepare('SELECT body FROM events WHERE session = ? ORDER BY seq').all(session);
    return rows.map(({ body }) => JSON.parse(String(body)));
  } finally {
    db.close();
  }
}

test('a turn with parallel tools and a sub-agent: texts, calls, output, diff, usage; the response comes last [doors.acp]', async () => {
  const acp = await start({ allow: ['shell', 'write_file'], acp: { contextTokens: 1_000 } });
  writeFileSync(join(acp.folder.a, 'notes.txt'), 'old\n');
  await endpoint.script([
    { when: { user: 'read the notes' }, reply: { text: 'There is nothing in it.' } },
    { when: { toolResult: true }, reply: { text: 'All done.', usage: { input: 7, output: 3 } } },
    {
      reply: {
        text: 'I look.',
        reasoning: 'hm',
        calls: [
          shellCall('echo one; echo two >&2', '.'),
          { name: 'write_file', arguments: { path: 'notes.txt', content: 'new\n' } },
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
        usage: { input: 10, output: 5 },
      },
    },
  ]);
  const id = await acp.open(acp.folder.a);
  const response = await acp.prompt(id, 'do it');
  const count = acp.updates.length;
  expect(response).toMatchObject({ stopReason: 'end_turn', _meta: { belay: { outcome: 'completed', receipt: null } } });
  expect(acp.text()).toBe('I look.\n\nAll done.');
  const [shell, write, agent] = acp.calls();
  expect(shell).toMatchObject({
    title: expect.stringContaining('echo one'),
    name: 'shell',
    kind: 'execute',
    status: 'completed',
    rawInput: { cwd: '.' },
    content: [{ content: { text: expect.stringMatching(/one\ntwo\n\[exit code 0\]/) } }],
  });
  const path = join(acp.folder.a, 'notes.txt');
  expect(write).toMatchObject({
    kind: 'edit',
    status: 'completed',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: 'old\n', newText: 'new\n' }],
  });
  expect(readFileSync(path, 'utf8')).toBe('new\n');
  expect(agent).toMatchObject({
    kind: 'think',
    status: 'completed',
    content: [{ content: { text: 'There is nothing in it.' } }],
  });
  expect(acp.updates.map(({ update }) => update)).toContainEqual({ sessionUpdate: 'usage_update', used: 10, size: 1_000 });
  await untilAllEnded(acp);
  expect(acp.updates.length).toBe(count);
});

test('an approval is asked with its diff; always counts for the session, and `trust` asks nothing [doors.acp]', async () => {
  const answers = ['reject', 'always'];
  const acp = await start(
    { allow: ['write_file'], approve: ['write_file'] },
    { onPermission: async () => ({ outcome: { outcome: 'selected', optionId: answers.shift() ?? 'allow' } }) },
  );
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'So it is.' } },
    { reply: { calls: [{ name: 'write_file', arguments: { path: 'x.txt', content: 'x' } }] } },
  ]);
  const id = await acp.open(acp.folder.a);
  await acp.prompt(id, 'first');
  expect(acp.permissions[0]).toMatchObject({
    sessionId: id,
    toolCall: { kind: 'edit', content: [{ type: 'diff', oldText: null, newText: 'x' }] },
    options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
  });
  expect(acp.calls()[0]).toMatchObject({ status: 'failed', rawOutput: { outcome: 'denied' } });
  await acp.prompt(id, 'second');
  await acp.prompt(id, 'third');
  expect(acp.permissions).toHaveLength(2);
  expect(acp.calls().map(({ status }) => status)).toEqual(['failed', 'completed', 'completed']);
  const other = await acp.open(acp.folder.b);
  await acp.connection.agent.request(methods.agent.session.setMode, { sessionId: other, modeId: 'trust' });
  await acp.prompt(other, 'fourth');
  expect(acp.permissions).toHaveLength(2);
  expect(readFileSync(join(acp.folder.b, 'x.txt'), 'utf8')).toBe('x');
});
