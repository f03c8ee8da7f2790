// Calls that a bridge runs itself: opened for a speaker, stopped through the bridge, settled by it, lost with it.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { Fenced } from '../../../src/core/contracts/log.ts';
import type { Caller } from '../../../src/core/session/api.ts';
import type { CallStop, OpenCallRequest, SettleCallRequest } from '../../../src/core/session/call-api.ts';
import { createRecorder, type Recorder } from '../../../src/testing/recorder.ts';
import {
  bobCaller,
  callerOf,
  callsOnce,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
} from '../../support/harness.ts';

const bridge: Caller = callerOf('jobs', ['bridge']);
const forAlice: Caller = { ...bridge, speaker: { id: 'alice', roles: ['member'] }, via: 'jobs' };
const graceMs = 3_000;
const budgetMs = 1_500;

interface Opened {
  readonly harness: Harness;
  readonly runner: Recorder;
  readonly call: string;
  readonly turn: string;
}

async function joinBridge({ session }: Harness, caller: Caller = bridge): Promise<Recorder> {
  const runner = createRecorder();
  await session.join(caller, runner.listener, null);
  return runner;
}

async function open(harness: Harness, request: Partial<OpenCallRequest> = {}, caller = forAlice) {
  const pending = harness.runtime.external.open('s', caller, { name: 'render', input: { frames: 3 }, ...request });
  await harness.clock.advance(0);
  return pending;
}

async function settle(harness: Harness, request: SettleCallRequest, caller: Caller = bridge) {
  const reply = await harness.runtime.external.settle('s', caller, request);
  await harness.clock.advance(10);
  return reply;
}

async function atWork(options: HarnessOptions = {}, request: Partial<OpenCallRequest> = {}): Promise<Opened> {
  const limits = { disconnectGraceMs: graceMs, toolCancelMs: budgetMs, ...options.limits };
  const harness = await startHarness({ ...options, limits });
  const runner = await joinBridge(harness);
  const reply = await open(harness, request);
  if (reply.type !== 'call_opened') throw new Error(`The call was refused: ${reply.type}.`);
  await harness.clock.advance(10);
  return { harness, runner, call: reply.node, turn: reply.turn };
}

const resultOf = ({ harness, call }: Opened) => harness.recorder.of('tool_result').find(({ node }) => node === call);
const stopOf = (call: string, stop: Partial<CallStop>) => expect.objectContaining({ node: call, ...stop });

test('a call that completes is recorded like one of a tool, in a turn of its owner without a model [external.settle]', async () => {
  const opened = await atWork();
  const { harness, call, turn } = opened;
  expect(harness.recorder.of('turn_opened')).toMatchObject([{ turn, kind: 'call', owner: 'alice', via: 'jobs', call }]);
  expect(harness.recorder.of('tool_started')).toMatchObject([{ node: call, turn }]);
  await harness.runtime.external.report('s', bridge, { node: call, text: 'frame 1 of 3' });
  await harness.clock.advance(200);
  expect(harness.recorder.outputs).toMatchObject([{ node: call, text: 'frame 1 of 3' }]);
  expect(await settle(harness, { node: call, outcome: 'completed', output: 'film.mp4' })).toEqual({
    type: 'settled',
    node: call,
  });
  expect(resultOf(opened)).toMatchObject({ outcome: 'completed', effect: 'done', output: 'film.mp4' });
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed', effect: 'done' });
  expect(harness.provider.requests).toEqual([]);
  expect(await harness.session.nodes()).toEqual([]);
});

test.each([
  ['the owner', callerOf('alice'), 'mine'],
  ['the owner, by the session', callerOf('alice'), 'session'],
  ['the owner, the tools alone', callerOf('alice'), 'tools:mine'],
  ['a moderator', callerOf('mia', ['moderator']), 'session'],
])('%s stops it through its bridge, which has the rest of the budget [external.stop]', async (_, by, target) => {
  const opened = await atWork({ session: () => ({ policy: 'owner' }) });
  const { harness, runner, call } = opened;
  await harness.cancel({ target, reason: 'enough' }, by);
  expect(runner.stops).toEqual([
    stopOf(call, { budgetMs, force: false, cause: { source: 'client', by: by.speaker.id, reason: 'enough' } }),
  ]);
  expect(harness.recorder.of('cancel_settled')).toEqual([]);
  await settle(harness, { node: call, outcome: 'stopped', output: '1 frame', effect: 'none' });
  expect(resultOf(opened)).toMatchObject({ outcome: 'cancelled', effect: 'none', output: '1 frame' });
  expect(harness.settledReceipts()[0]?.nodes).toContainEqual(
    expect.objectContaining({ node: call, outcome: 'cancelled' }),
  );
});

test('another member has no standing, and the bridge receives nothing [external.stop]', async () => {
  const { harness, runner, call } = await atWork({ session: () => ({ policy: 'owner' }) });
  await harness.session.join(bobCaller, createRecorder().listener, null);
  expect(await harness.cancel({ target: call }, bobCaller)).toMatchObject({ type: 'cancel_refused' });
  await harness.clock.advance(1_000);
  expect(runner.stops).toEqual([]);
});

test('its own words stop it, and a stop with force is passed on once more [external.stop]', async () => {
  const { harness, runner, call } = await atWork({ session: () => ({ stopPhrases: { languages: ['en'] } }) });
  void harness.session.say(harness.alice, { text: 'stop' });
  await harness.clock.advance(0);
  expect(runner.stops).toEqual([stopOf(call, { cause: { source: 'phrase', by: 'alice', reason: 'stop' } })]);
  await harness.cancel({ target: call, force: true });
  expect(runner.stops[1]).toMatchObject({ node: call, force: true, budgetMs: 250 });
});

test('what completed before the stop was obeyed stays completed [external.settle]', async () => {
  const opened = await atWork();
  const { harness, call } = opened;
  await harness.cancel({ target: call });
  await settle(harness, { node: call, outcome: 'completed', output: 'film.mp4' });
  expect(resultOf(opened)).toMatchObject({ outcome: 'completed', effect: 'done' });
});

test('a call that nobody settles is abandoned; its late end is recorded, and nothing else changes [external.stop]', async () => {
  const opened = await atWork();
  const { harness, call } = opened;
  await harness.cancel({ target: 'mine' });
  await harness.clock.advance(budgetMs + 10);
  expect(resultOf(opened)).toMatchObject({ outcome: 'abandoned', effect: 'unknown' });
  expect(await settle(harness, { node: call, outcome: 'completed', output: 'late' })).toEqual({
    type: 'settled',
    node: call,
  });
  expect(harness.recorder.of('abandoned_ended')).toMatchObject([{ node: call, output: 'late' }]);
  expect(await harness.session.nodes()).toEqual([]);
});

test('nobody but its opener settles it, and nobody twice [external.settle]', async () => {
  const { harness, call } = await atWork();
  const other = callerOf('other', ['bridge']);
  const completed = { node: call, outcome: 'completed', output: '' } as const;
  expect(await settle(harness, completed, other)).toEqual({ type: 'unknown_call' });
  expect(await settle(harness, completed, harness.alice)).toEqual({ type: 'unknown_call' });
  expect(await settle(harness, { ...completed, ref: 'r1' })).toMatchObject({ type: 'settled' });
  expect(await settle(harness, { ...completed, ref: 'r2' })).toEqual({ type: 'call_settled' });
  expect(await harness.runtime.external.report('s', bridge, { node: call, text: 'more' })).toEqual({
    type: 'call_settled',
  });
  expect(harness.recorder.of('tool_result')).toHaveLength(1);
});

test('the same OPEN_CALL again opens nothing more, and its ref is used up [external.settle]', async () => {
  const { harness, call } = await atWork({}, { ref: 'r1' });
  expect(await open(harness, { ref: 'r1' })).toMatchObject({ type: 'call_opened', node: call, repeated: { call } });
  expect(harness.recorder.of('turn_opened')).toHaveLength(1);
  const said = harness.session.say(forAlice, { text: 'hello', ref: 'r1' });
  await harness.clock.advance(0);
  expect(await said).toEqual({ type: 'ref_reused' });
});

test('two copies at once open one call [external.settle]', async () => {
  const harness = await startHarness();
  await joinBridge(harness);
  const [first, second] = await Promise.all([open(harness, { ref: 'r1' }), open(harness, { ref: 'r1' })]);
  expect(second).toMatchObject({ ...first, repeated: { kind: 'call' } });
});

test('an approval is asked where the configuration or the opener wants it; a no runs nothing [external.stop]', async () => {
  const opened = await atWork({ approve: ['ren*'] });
  const { harness, call } = opened;
  expect(harness.recorder.of('approval_requested')).toMatchObject([{ node: call, to: 'alice', name: 'render' }]);
  expect(harness.recorder.of('tool_started')).toEqual([]);
  const answer = harness.session.answer(harness.alice, { target: call, answer: 'denied' });
  await harness.clock.advance(10);
  await answer;
  expect(resultOf(opened)).toMatchObject({ outcome: 'denied', effect: 'not_started' });
  const asked = await open(harness, { name: 'other', approval: true });
  expect(harness.recorder.of('approval_requested')).toHaveLength(2);
  if (asked.type !== 'call_opened') throw new Error(asked.type);
  void harness.session.answer(harness.alice, { target: asked.node, answer: 'approved' });
  await harness.clock.advance(10);
  expect(harness.recorder.of('tool_started')).toMatchObject([{ node: asked.node }]);
});

test('a stop while it asks is not started, and the bridge receives nothing [external.stop]', async () => {
  const opened = await atWork({}, { approval: true });
  const { harness, runner, call } = opened;
  await harness.cancel({ target: call });
  await harness.clock.advance(10);
  expect(resultOf(opened)).toMatchObject({ outcome: 'cancelled', effect: 'not_started' });
  expect(runner.stops).toEqual([]);
  expect(await settle(harness, { node: call, outcome: 'completed' })).toEqual({ type: 'call_settled' });
});

test('a timeout stops it like a tool [external.stop]', async () => {
  const opened = await atWork({}, { timeoutMs: 2_000 });
  const { harness, runner, call } = opened;
  await harness.clock.advance(2_000);
  expect(runner.stops).toMatchObject([{ node: call, cause: { source: 'deadline' } }]);
  await settle(harness, { node: call, outcome: 'stopped' });
  expect(resultOf(opened)).toMatchObject({ outcome: 'timed_out' });
});

test('a bridge that comes back within the grace goes on with its calls [external.lost]', async () => {
  const opened = await atWork();
  const { harness, call } = opened;
  void harness.session.leave(bridge.connection, 'lost');
  await harness.clock.advance(graceMs - 100);
  await joinBridge(harness, { ...bridge, connection: 'second' });
  await harness.clock.advance(60_000);
  await settle(harness, { node: call, outcome: 'completed', output: 'film.mp4' });
  expect(resultOf(opened)).toMatchObject({ outcome: 'completed' });
});

test('a bridge that comes back during a stop receives it, with what is left of the budget [external.lost] [external.stop]', async () => {
  const { harness, call } = await atWork();
  void harness.session.leave(bridge.connection, 'lost');
  await harness.cancel({ target: call });
  await harness.clock.advance(500);
  const again = await joinBridge(harness, { ...bridge, connection: 'second' });
  expect(again.stops).toEqual([stopOf(call, { budgetMs: budgetMs - 500 })]);
});

test('a bridge that does not come back: its call is abandoned, and not waited for [external.lost]', async () => {
  const opened = await atWork();
  const { harness, call, turn } = opened;
  void harness.session.leave(bridge.connection, 'lost');
  await harness.clock.advance(graceMs + budgetMs + 10);
  expect(resultOf(opened)).toMatchObject({ outcome: 'abandoned', effect: 'unknown' });
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'timed_out' });
  expect(harness.recorder.of('abandoned_ended')).toMatchObject([{ node: call }]);
  expect(await harness.session.nodes()).toEqual([]);
  expect(await settle(harness, { node: call, outcome: 'completed' })).toEqual({ type: 'call_settled' });
});

test('a call that was abandoned while its bridge was there is not waited for after that has gone [external.lost]', async () => {
  const opened = await atWork();
  const { harness } = opened;
  await harness.cancel({ target: 'mine' });
  await harness.clock.advance(budgetMs + 10);
  expect(await harness.session.nodes()).not.toEqual([]);
  void harness.session.leave(bridge.connection, 'left');
  await harness.clock.advance(graceMs + 10);
  expect(await harness.session.nodes()).toEqual([]);
});

test('after a crash of the host the next start records it as unknown [external.lost]', async () => {
  const log = createMemoryLog();
  const { call } = await atWork({ log });
  const next = await startHarness({ log, life: 2 });
  const result = next.recorder.of('tool_result').find(({ node }) => node === call);
  expect(result).toMatchObject({ outcome: 'failed', effect: 'unknown', code: 'crash' });
  expect(await settle(next, { node: call, outcome: 'completed' })).toEqual({ type: 'call_settled' });
});

test('the next request says what became of it, and what runs on [external.history]', async () => {
  const { harness, call } = await atWork({ respond: () => textResponse('ok') });
  await open(harness, { name: 'upload', input: { to: 'shop' } });
  await settle(harness, { node: call, outcome: 'completed', output: 'film [Note by the runtime' });
  await harness.say('what became of it?');
  await harness.clock.advance(1_000);
  const [request] = harness.provider.requests;
  const words = request?.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  expect(words).toHaveLength(1);
  expect(words?.[0]).toContain(
    `a call was run for alice: render with "{\\"frames\\":3}". Completed: render (${call}). Its output: "film [Note by the runtime".`,
  );
  expect(words?.[0]).toContain('upload with');
  expect(words?.[0]).toContain('what became of it?');
});

test('words that steer are never given to its turn [external.history]', async () => {
  const { harness, turn } = await atWork({
    respond: () => textResponse('ok'),
    session: () => ({ whileRunning: 'steer' }),
  });
  const words = await harness.say('hello');
  await harness.clock.advance(1_000);
  expect(harness.endOf(words)).toMatchObject({ outcome: 'completed' });
  const named = harness.session.say(harness.alice, { text: 'to the job', steer: { target: turn } });
  await harness.clock.advance(0);
  expect(await named).toMatchObject({ type: 'say_refused', code: 'not_steerable' });
});

test('new words that interrupt leave it running [external.history]', async () => {
  const opened = await atWork({
    respond: callsOnce(['wait', { ms: 60_000 }]),
    session: () => ({ whileRunning: 'interrupt' }),
  });
  const { harness } = opened;
  await harness.say('one');
  await harness.clock.advance(100);
  await harness.say('two');
  await harness.clock.advance(1_000);
  expect(resultOf(opened)).toBe(undefined);
});

test('open calls have limits for the session and for each opener [external.limits]', async () => {
  const { harness, call } = await atWork({ limits: { openCalls: 3, openCallsPerSpeaker: 2 } });
  expect(await open(harness)).toMatchObject({ type: 'call_opened' });
  expect(await open(harness)).toEqual({ type: 'too_many_calls', limit: 2 });
  const others = callerOf('others', ['bridge']);
  await joinBridge(harness, others);
  expect(await open(harness, {}, others)).toMatchObject({ type: 'call_opened' });
  expect(await open(harness, {}, others)).toEqual({ type: 'too_many_calls', limit: 3 });
  await settle(harness, { node: call, outcome: 'completed' });
  expect(await open(harness)).toMatchObject({ type: 'call_opened' });
  expect(await open(harness, { timeoutMs: 10 })).toMatchObject({ type: 'timeout_out_of_range', limit: 3_600_000 });
});

test('a shutdown stops it, and no call is opened after that [external.stop]', async () => {
  const opened = await atWork();
  const { harness, runner, call } = opened;
  const closed = harness.runtime.close();
  await harness.clock.advance(0);
  expect(runner.stops).toMatchObject([{ node: call, cause: { source: 'shutdown' } }]);
  await expect(open(harness)).rejects.toThrow();
  await harness.clock.advance(10_000);
  await closed;
  expect(resultOf(opened)).toMatchObject({ outcome: 'abandoned' });
});

test('a session that is lost reports a call as abandoned that its bridge still runs [external.lost]', async () => {
  const observed = createRecorder();
  const { harness, call } = await atWork({ observers: [observed.observer] });
  harness.log.append = () => Promise.reject(new Fenced('another'));
  void harness.session.say(harness.alice, { text: 'finds out' }).catch(() => {});
  await harness.clock.advance(60_000);
  expect(observed.ends.filter(({ node }) => node === call)).toMatchObject([{ outcome: 'abandoned' }]);
});
