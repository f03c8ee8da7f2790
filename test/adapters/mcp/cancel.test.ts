// Stops a call on a stdio server: the notification, the end of the process, the other calls.
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { connected, hostile } from './mcp.ts';

const started = (server: ReturnType<typeof hostile>, name: string, count = 1) =>
  until(() => server.received().filter(({ params }) => params?.['name'] === name).length === count, {
    what: `the server to receive ${count} calls of ${name}`,
  });

test('the server receives `notifications/cancelled` with the id of the request, and the reason of the cancel [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const waiting = call('h__wait');
  await started(server, 'wait');
  waiting.cancel();
  await waiting.end;
  const request = server.received().find(({ method }) => method === 'tools/call');
  const cancelled = server.received().filter(({ method }) => method === 'notifications/cancelled');
  expect(cancelled.map(({ params }) => params)).toEqual([{ requestId: request?.id, reason: 'changed my mind' }]);
});

test('a server that ignores it is closed, and started again for the next call [tool.mcp] [cancel.bounded]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const [before] = server.pids();
  const waiting = call('h__wait');
  await started(server, 'wait');
  waiting.cancel();
  expect(await waiting.end).toEqual({ kind: 'stopped', output: '' });
  expect(server.pids(), 'its process is gone when the call says so').toEqual([]);

  expect(await call('h__echo', { text: 'again' }).end).toMatchObject({ kind: 'completed', output: 'again' });
  expect(server.pids()).toHaveLength(1);
  expect(server.pids()).not.toContain(before);
});

test('one that ignores TERM, too, is killed [tool.mcp] [cancel.bounded]', async () => {
  const server = hostile('deaf');
  const { call } = await connected({ h: server.spec });
  const waiting = call('h__wait');
  await started(server, 'wait');
  waiting.cancel();
  expect(await waiting.end).toEqual({ kind: 'stopped', output: '', forced: true });
  expect(server.pids()).toEqual([]);
});

test('one whose event loop is blocked is killed [cancel.bounded]', async () => {
  const server = hostile('deaf');
  const { call } = await connected({ h: server.spec });
  const spinning = call('h__spin');
  await started(server, 'spin');
  spinning.cancel();
  expect(await spinning.end).toMatchObject({ kind: 'stopped', forced: true });
  expect(server.pids()).toEqual([]);
});

test('what it has forked into another session ends with it [tool.mcp] [cancel.bounded]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const forking = call('h__fork');
  await until(() => server.pids().length >= 2, { what: 'the fork' });
  forking.cancel();
  await forking.end;
  expect(server.pids()).toEqual([]);
});

test('force skips every grace [cancel.idempotent]', async () => {
  const server = hostile('deaf');
  const { call } = await connected({ h: server.spec }, { cancelGraceMs: 60_000 });
  const waiting = call('h__wait');
  await started(server, 'wait');
  waiting.cancel();
  waiting.skipGrace.abort();
  expect(await waiting.end).toMatchObject({ kind: 'stopped', forced: true });
  expect(server.pids()).toEqual([]);
});

test('a response to a cancelled call proves its end: the server lives on [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec }, { cancelGraceMs: 60_000 });
  const before = server.pids();
  const waiting = call('h__answer_when_cancelled');
  await started(server, 'answer_when_cancelled');
  waiting.cancel();
  expect(await waiting.end).toEqual({ kind: 'stopped', output: '' });
  expect(await call('h__echo', { text: 'same' }).end).toMatchObject({ output: 'same' });
  expect(server.pids()).toEqual(before);
});

test.each([
  ['a result', 'finish_when_cancelled', 'the page was written'],
  ['a result that does not fit the schema', 'misfit_when_cancelled', ''],
])(
  '%s that comes after the cancel is kept as output; the call stays stopped [tool.mcp] [history.effect]',
  async (_, name, output) => {
    const server = hostile();
    const { call } = await connected({ h: server.spec }, { cancelGraceMs: 60_000 });
    const waiting = call(`h__${name}`);
    await started(server, name);
    waiting.cancel();
    expect(await waiting.end).toEqual({ kind: 'stopped', output });
    expect(await call('h__echo', { text: 'same' }).end).toMatchObject({ output: 'same' });
  },
);

test('one that is trusted owes no proof, and lives on [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: { ...server.spec, trusted: true } }, { cancelGraceMs: 60_000 });
  const before = server.pids();
  const waiting = call('h__obey');
  await started(server, 'obey');
  waiting.cancel();
  expect(await waiting.end).toEqual({ kind: 'stopped', output: '' });
  await until(() => server.received().some(({ method }) => method === 'notifications/cancelled'));
  expect(await call('h__echo', { text: 'same' }).end).toMatchObject({ output: 'same' });
  expect(server.pids()).toEqual(before);
});

test('while another call uses the server, the stopped one is pending until that has ended [tool.mcp] [cancel.tool]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const [old = 0] = server.pids();
  const sibling = call('h__wait', { ms: 1_500 });
  const stopped = call('h__wait');
  await started(server, 'wait', 2);
  stopped.cancel();
  const order: string[] = [];
  void stopped.end.then(() => order.push('stopped'));
  void sibling.end.then(() => order.push('sibling'));

  // what comes meanwhile is not put upon a server that is about to go
  expect(await call('h__echo', { text: 'new' }).end).toMatchObject({ output: 'new' });
  expect(order).toEqual([]);
  expect(server.pids()).toHaveLength(2);

  expect(await sibling.end).toMatchObject({ kind: 'completed', output: 'waited' });
  await stopped.end;
  expect(order).toEqual(['sibling', 'stopped']);
  expect(server.pids()).toHaveLength(1);
  expect(server.pids()).not.toContain(old);
});

test('calls that are stopped together cost one restart', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const calls = Array.from({ length: 5 }, () => call('h__wait'));
  await started(server, 'wait', 5);
  for (const one of calls) one.cancel();
  const ends = await Promise.all(calls.map(({ end }) => end));
  expect(ends.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'stopped'));
  expect(server.pids()).toEqual([]);
  expect(await call('h__echo', { text: 'again' }).end).toMatchObject({ output: 'again' });
  expect(server.received().filter(({ method }) => method === 'initialize')).toHaveLength(2);
});

test('a call that waits for a restart is stopped at once, has no effect, and nothing is started for it [cancel.fence] [history.effect]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec }, { restartMinMs: 60_000, restartMaxMs: 60_000 });
  await call('h__die').end;
  const late = call('h__echo', { text: 'late' });
  late.cancel();
  expect(await late.end).toEqual({ kind: 'stopped', output: '', effect: 'none' });
  expect(server.pids()).toEqual([]);
});

test('progress that is cut off at its limit says so [tool.mcp] [history.bounded]', async () => {
  const { call } = await connected({ h: hostile().spec }, { maxLiveChars: 25 });
  const working = call('h__progress');
  await until(() => working.outputs.length >= 3, { what: 'progress' });
  working.cancel();
  await working.end;
  expect(working.outputs.join('')).toBe('1: working\n2: working\n3: \n[… the rest is not shown live …]\n');
});

test('progress is shown while it comes, until the call is stopped [tool.mcp]', async () => {
  const server = hostile();
  const { call } = await connected({ h: server.spec });
  const working = call('h__progress');
  await until(() => working.outputs.length >= 3, { what: 'progress' });
  expect(working.outputs.slice(0, 2)).toEqual(['1: working\n', '2: working\n']);
  working.cancel();
  const shown = working.outputs.length;
  await working.end;
  expect(working.outputs).toHaveLength(shown);
});
