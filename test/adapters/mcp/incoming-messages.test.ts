// Servers that die or send invalid messages: each loses its own calls, with a named failure, and nothing else.
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { connected, hostile } from './mcp.ts';

interface Case {
  readonly tool: string;
  readonly code: string;
  readonly says: RegExp;
  readonly manners?: readonly string[];
}

const fatal: readonly Case[] = [
  { tool: 'die', code: 'mcp_lost', says: /^The MCP server h ended with exit code 3, saying: there was a bug\.$/ },
  { tool: 'half_a_frame', code: 'mcp_lost', says: /ended with exit code 0/ },
  { tool: 'half_a_line', code: 'mcp_protocol', says: /no message of MCP: \{"jsonrpc"/ },
  { tool: 'nonsense', code: 'mcp_protocol', says: /no message of MCP: \{"foo":"bar"\}/ },
  { tool: 'wrong_id', code: 'mcp_protocol', says: /responded to a request that was never made/ },
  { tool: 'text_id', code: 'mcp_protocol', says: /responded to a request that was never made/ },
  { tool: 'error_for_nobody', code: 'mcp_protocol', says: /responded to a request that was never made/ },
  { tool: 'flood', code: 'mcp_protocol', says: /more than 1000 unrequested messages in a second/ },
  {
    tool: 'flood_of_requests',
    code: 'mcp_protocol',
    says: /more than 1000 unrequested messages in a second|does not read/,
  },
  { tool: 'flood_of_noise', code: 'mcp_protocol', says: /more than 65536 bytes to stdout/ },
  { tool: 'huge_frame', code: 'mcp_protocol', says: /a message of more than 67108864 bytes/ },
  { tool: 'close_output', code: 'mcp_lost', says: /closed its output/, manners: ['deaf'] },
];

test.each(fatal)(
  '$tool: $code, for the calls on that server alone [tool.mcp]',
  async ({ tool, code, says, manners = [] }) => {
    const bad = hostile(...manners);
    const good = hostile();
    const { call } = await connected({ h: bad.spec, good: good.spec }, { closeMs: 100 });
    const onTheSame = call('h__wait');
    const elsewhere = call('good__wait', { ms: 1_000 });
    await until(() => bad.received().some(({ params }) => params?.['name'] === 'wait'));
    const broken = await call(`h__${tool}`).end;

    expect(broken).toMatchObject({ kind: 'failed', code });
    expect(broken.message).toMatch(says);
    expect(broken.effect, 'what it has done is unknown').toBeUndefined();
    expect(await onTheSame.end).toMatchObject({ kind: 'failed', code });
    expect(bad.pids(), 'nothing of it is left').toEqual([]);
    expect(await call('h__echo', { text: 'again' }).end, 'it is started again').toMatchObject({ output: 'again' });
    expect(await elsewhere.end).toMatchObject({ kind: 'completed', output: 'waited' });
  },
);

test.each([
  ['not_a_result', { kind: 'failed', code: 'mcp_protocol' }, /sent an invalid response/],
  ['error', { kind: 'failed', code: 'mcp_failed' }, /responded with an error: .*the disk is full/],
  ['failure', { kind: 'failed', code: 'tool_failed', output: 'no such page' }, /^$/],
  ['twice', { kind: 'completed', output: 'the first answer' }, /^$/],
  ['greets', { kind: 'completed', output: 'greeted' }, /^$/],
  ['flood_of_stderr', { kind: 'completed', output: 'complained' }, /^$/],
  ['structured', { kind: 'completed', output: '{"degrees":21}' }, /^$/],
] as const)('%s: the server lives on with its other calls [tool.mcp]', async (name, end, says) => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const before = server.pids();
  const sibling = call('h__wait', { ms: 500 });
  const ended = await call(`h__${name}`).end;
  expect(ended).toMatchObject(end);
  expect(ended.message ?? '').toMatch(says);
  expect(await sibling.end).toMatchObject({ output: 'waited' });
  expect(await call('h__echo', { text: 'same' }).end).toMatchObject({ output: 'same' });
  expect(server.pids()).toEqual(before);
});

test('arguments over the limit are not sent, and harm no other call [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec }, { maxFrameBytes: 100_000 });
  const before = server.pids();
  const sibling = call('h__wait', { ms: 500 });
  const end = await call('h__greets', { text: 'x'.repeat(100_000) }).end;
  expect(end).toMatchObject({ kind: 'failed', code: 'too_large', effect: 'none' });
  expect(end.message).toBe('The MCP server h is not sent arguments of more than 100000 bytes.');
  expect(await sibling.end).toMatchObject({ output: 'waited' });
  expect(server.pids()).toEqual(before);
});

test('of several large calls at once those that do not fit are not sent, and the others are answered [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const before = server.pids();
  const text = 'x'.repeat(4_000_000);
  const ends = await Promise.all([1, 2, 3, 4].map(() => call('h__greets', { text }).end));
  const refused = ends.filter(({ kind }) => kind === 'failed');
  expect(ends.filter(({ kind }) => kind === 'completed').length).toBeGreaterThanOrEqual(2);
  for (const end of refused) expect(end).toMatchObject({ code: 'mcp_unavailable', effect: 'none' });
  expect(refused[0]?.message).toBe('The MCP server h has not read the calls before this one.');
  expect(await call('h__echo', { text: 'same' }).end).toMatchObject({ output: 'same' });
  expect(server.pids()).toEqual(before);
});

test('one that dies at its start has no tools, is reported, and harms no other [tool.mcp]', async () => {
  const bad = hostile('dies');
  const { mcp, warnings, call } = await connected({ bad: bad.spec, good: hostile().spec });
  const [state] = mcp.states();
  expect(state).toEqual({
    name: 'bad',
    phase: 'failed',
    tools: 0,
    problem: 'bad ended with exit code 2, saying: there is no configuration',
  });
  expect(warnings).toEqual([`the MCP server ${state?.problem}`]);
  expect(await call('good__echo', { text: 'here' }).end).toMatchObject({ output: 'here' });
});

test('one that never responds to initialize is closed [tool.mcp] [cancel.bounded]', async () => {
  const mute = hostile('mute', 'deaf');
  const { mcp } = await connected({ mute: mute.spec }, { startMs: 300 });
  expect(mcp.states()[0]?.problem).toBe('mute did not respond to initialize within 300 ms');
  expect(mute.pids()).toEqual([]);
});

test('one that is not there is named', async () => {
  const { mcp } = await connected({ none: { command: '/nowhere/server' } });
  expect(mcp.states()[0]?.problem).toMatch(/^none did not start: .*ENOENT/);
});

test('closing leaves no process, even of one that ignores TERM, and later calls fail [cancel.clean]', async () => {
  const deaf = hostile('deaf');
  const polite = hostile();
  const { mcp, call } = await connected({ deaf: deaf.spec, polite: polite.spec }, { closeMs: 200 });
  const waiting = call('deaf__wait');
  await until(() => deaf.received().some(({ params }) => params?.['name'] === 'wait'));
  await mcp.close();
  expect([...deaf.pids(), ...polite.pids()]).toEqual([]);
  expect(await waiting.end).toMatchObject({ kind: 'failed', code: 'mcp_lost' });
  expect(await call('polite__echo', { text: 'late' }).end).toMatchObject({
    kind: 'failed',
    code: 'mcp_unavailable',
    effect: 'none',
  });
});
