// A CANCEL of tools: it stops the tools of a turn, and the turn goes on with their results. Each phase of the turn, standing, shields, copies, and what the model reads.
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { CancelReply } from '../../../src/core/session/api.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import {
  bobCaller,
  type CallSpec,
  callsOnce,
  callsResponse,
  type Harness,
  later,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** Responses in the order of the requests; text after the last. */
const inOrder =
  (...scripts: Script[]) =>
  (_: unknown, n: number): Script =>
    scripts[n] ?? textResponse('done');

const receiptOf = (reply: CancelReply) => {
  if (reply.type !== 'cancel_accepted') throw new Error(`The CANCEL was not accepted: ${JSON.stringify(reply)}.`);
  return reply.receipt;
};

const textsOf = (messages: readonly Message[]): string => messages.map(({ content }) => content).join('\n');

const lastRequest = (harness: Harness): string => textsOf(harness.provider.requests.at(-1)?.messages ?? []);

/** Returns the outcome and the effect of each node of the last receipt. */
const settled = (harness: Harness): Record<NodeId, string> =>
  Object.fromEntries(
    harness
      .settledReceipts()
      .at(-1)
      ?.nodes.map(({ node, outcome, effect }) => [node, `${outcome}/${effect}`]) ?? [],
  );

const count = (harness: Harness, type: Fact['type']): number => harness.recorder.of(type).length;

describe('the phases of the turn', () => {
  test('acting: every call is stopped under one receipt, and the model is called once, with all results and a note [cancel.tools] [cancel.tools.goes_on]', async () => {
    const respond = callsOnce(['wait', { n: 1 }], ['wait', { n: 2, unwind: 40 }], ['note']);
    const harness = await startHarness({ respond });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const reply = await harness.cancel({ target: `tools:${turn}`, reason: 'too slow' });
    const [first, second] = [harness.callNamed('wait'), harness.callNamed('wait', 1)];
    expect(receiptOf(reply)).toMatchObject({ stopping: [first, second], target: `tools:${turn}`, refused: [] });
    await harness.clock.advance(200);
    expect(settled(harness)).toEqual({ [first]: 'cancelled/unknown', [second]: 'cancelled/unknown' });
    expect(harness.provider.requests).toHaveLength(2);
    expect(harness.provider.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
    const note = lastRequest(harness);
    expect(note).toContain(
      `alice has stopped the tools ("too slow"). May have had effects: wait (${first}), wait (${second}).`,
    );
    expect(note).toContain('This turn goes on');
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test('queued in its lane, preparing and settled: there is no call, and nothing is stopped [cancel.tools]', async () => {
    const harness = await startHarness({ respond: () => textResponse('a', 'b') });
    const [turn, waiting] = [await harness.say('words'), await harness.say('more')];
    for (const target of [`tools:${turn}`, `tools:${waiting}`, 'tools:mine'])
      expect(await harness.cancel({ target })).toEqual({ type: 'already_settled', target, receipt: null, running: [] });
    await harness.clock.advance(1_000);
    expect(await harness.cancel({ target: `tools:${turn}` })).toMatchObject({ type: 'already_settled' });
    expect([harness.endOf(turn)?.outcome, harness.endOf(waiting)?.outcome]).toEqual(['completed', 'completed']);
  });

  test('generating: a call whose arguments change after it looked whole is stopped under the id of the receipt [cancel.tools]', async () => {
    const script: Script = {
      steps: [{ call: { callId: 'p0', name: 'wait', arguments: '{"n":1}' } }, { waitMs: 100 }],
    };
    const harness = await startHarness({ respond: inOrder(script) });
    const { provider } = harness;
    const stream = provider.stream.bind(provider);
    provider.stream = (request, listeners) =>
      stream(request, { ...listeners, onCallInput: (piece) => listeners.onCallInput?.({ ...piece, text: '{}' }) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const [stopped = ''] = receiptOf(await harness.cancel({ target: `tools:${turn}` })).stopping;
    await harness.clock.advance(1_000);
    expect(settled(harness)).toEqual({ [stopped]: 'cancelled/not_started' });
    expect(harness.outcomes()).toEqual({ [stopped]: 'cancelled' });
    expect(harness.entered).toEqual([]);
  });

  test('generating: calls that are whole are not started, the response goes on, and its later calls run [cancel.tools]', async () => {
    const first: Script = {
      steps: [
        { call: { callId: 'p0', name: 'wait', arguments: '{"n":1}' } },
        { waitMs: 100 },
        { text: 'and also' },
        { call: { callId: 'p1', name: 'note', arguments: '{}' } },
      ],
    };
    const harness = await startHarness({ respond: inOrder(first) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const [stopped = ''] = receiptOf(await harness.cancel({ target: `tools:${turn}` })).stopping;
    await harness.clock.advance(1_000);
    expect(stopped).toBe(harness.callNamed('wait'));
    expect(settled(harness)).toEqual({ [stopped]: 'cancelled/not_started' });
    expect(harness.outcomes()).toEqual({ [stopped]: 'cancelled', [harness.callNamed('note')]: 'completed' });
    expect(harness.entered).toEqual([]);
    expect(count(harness, 'tool_started')).toBe(1);
    expect(harness.recorder.of('model_ended')[0]).toMatchObject({ outcome: 'completed', text: 'and also' });
    expect(lastRequest(harness)).toContain(`alice has stopped the tools. Did not run: wait (${stopped}).`);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
    expect(harness.provider.requests).toHaveLength(2);
  });

  test('generating, and the response fails: the call that was whole has its end, and so has the receipt [cancel.tools]', async () => {
    const steps = [
      { call: { callId: 'p0', name: 'wait', arguments: '{}' } },
      { waitMs: 100 },
      { fail: 'model_malformed' as const },
    ];
    const harness = await startHarness({ respond: inOrder({ steps }) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const [stopped = ''] = receiptOf(await harness.cancel({ target: `tools:${turn}` })).stopping;
    await harness.clock.advance(200);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'failed' });
    expect(settled(harness)).toEqual({ [stopped]: 'cancelled/not_started' });
    expect(harness.recorder.of('tool_call')).toMatchObject([{ node: stopped }]);
  });

  test('generating, then a CANCEL of the turn: the call keeps its first cause, and the turn adds its own [cancel.tools]', async () => {
    const steps = [{ call: { callId: 'p0', name: 'wait', arguments: '{}' } }, { waitMs: 500 }, { text: 'never' }];
    const harness = await startHarness({ respond: inOrder({ steps }) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const [stopped = ''] = receiptOf(await harness.cancel({ target: `tools:${turn}` })).stopping;
    expect(receiptOf(await harness.cancel({ target: turn })).stopping).toEqual([turn, stopped]);
    await harness.clock.advance(100);
    expect(harness.settledReceipts().map(({ nodes }) => nodes.map(({ node }) => node))).toEqual([
      [stopped],
      [turn, stopped],
    ]);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled' });
  });

  test('dispatching: the write is completed, and no call starts [cancel.tools]', async () => {
    const hold = holdAppend((types) => types.includes('tool_call'));
    const log = hold.wrap(createMemoryLog());
    const respond = callsOnce(['wait'], ['wait', { n: 2 }]);
    const harness = await startHarness({ log, respond: (request, n) => later(respond(request, n)) });
    const turn = await harness.say('words');
    await harness.clock.advance(1);
    await hold.reached;
    const reply = harness.session.cancel(harness.alice, { target: `tools:${turn}` });
    await harness.clock.advance(300);
    expect(receiptOf(await reply).stopping).toHaveLength(2);
    hold.release();
    await harness.clock.advance(500);
    expect(Object.values(settled(harness))).toEqual(['cancelled/not_started', 'cancelled/not_started']);
    expect(harness.entered).toEqual([]);
    expect(harness.provider.requests).toHaveLength(2);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test('compacting: there is no call, and the summary is written [cancel.tools]', async () => {
    const isSummary = (messages: readonly Message[]) => textsOf(messages).includes('Summarize this conversation');
    const summary: Script = { steps: [{ text: 'In short.' }, { waitMs: 500 }] };
    const harness = await startHarness({
      limits: { compactAboveBytes: 9_000 },
      respond: ({ messages }) => (isSummary(messages) ? summary : textResponse('x'.repeat(3_000))),
    });
    for (const words of ['one', 'two', 'three', 'four']) {
      await harness.say(words);
      await harness.clock.advance(1_000);
    }
    const turn = await harness.say('and now?');
    await harness.clock.advance(100);
    expect(isSummary(harness.provider.requests.at(-1)?.messages ?? [])).toBe(true);
    const target = `tools:${turn}`;
    expect(await harness.cancel({ target })).toEqual({ type: 'already_settled', target, receipt: null, running: [] });
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('history_compacted').at(-1)).toMatchObject({ turn, summary: 'In short.' });
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test('settling: its calls have their results, and nothing is stopped [cancel.tools]', async () => {
    const hold = holdAppend((types) => types.includes('turn_ended'));
    const harness = await startHarness({ log: hold.wrap(createMemoryLog()), respond: callsOnce(['note']) });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await hold.reached;
    const target = `tools:${turn}`;
    const reply = harness.cancel({ target });
    hold.release();
    await harness.clock.advance(1_000);
    expect(await reply).toEqual({ type: 'already_settled', target, receipt: null, running: [] });
    expect(harness.outcomes()).toEqual({ [harness.callNamed('note')]: 'completed' });
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test.each(['settling', 'settled'])(
    '%s: a call that was refused to be stopped and runs on below the turn is reached [cancel.tools] [owner.node]',
    async (phase) => {
      const hold = holdAppend((types) => phase === 'settling' && types.includes('turn_ended'));
      const harness = await startHarness({
        log: hold.wrap(createMemoryLog()),
        respond: callsOnce(['wait'], ['wait', { ms: 60_000, of: 'bob' }]),
        session: () => ({ policy: 'owner' }),
        ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
      });
      await harness.session.join(bobCaller, createRecorder().listener, 0);
      const turn = await harness.say('words');
      await harness.clock.advance(50);
      await harness.cancel({ target: turn });
      await harness.clock.advance(100);
      if (phase === 'settling') await hold.reached;
      const his = harness.callNamed('wait', 1);
      expect(harness.endOf(turn)?.outcome).toBe(phase === 'settling' ? undefined : 'cancelled');
      const reply = harness.cancel({ target: `tools:${turn}` }, bobCaller);
      hold.release();
      await harness.clock.advance(1_000);
      expect(receiptOf(await reply)).toMatchObject({ stopping: [his], refused: [] });
      expect(settled(harness)).toEqual({ [his]: 'cancelled/unknown' });
      expect(harness.recorder.of('late_result')).toMatchObject([{ node: his, outcome: 'cancelled' }]);
      expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled' });
    },
  );
});

describe('whom it reaches', () => {
  test('everything below an attached sub-agent, at depth 3, and not a detached one, which is listed [cancel.tools]', async () => {
    const deep = (depth: number): CallSpec => ['spawn_agent', { task: `level ${depth}` }];
    const respond = (request: { readonly messages: readonly Message[] }, n: number): Script => {
      if (n === 0)
        return callsResponse(deep(1), ['spawn_agent', { task: 'beside', detached: true }], ['wait', { ms: 60_000 }]);
      const text = textsOf(request.messages);
      if (request.messages.some(({ role }) => role === 'tool')) return textResponse('done');
      if (text.includes('the agent helper') || text.includes('beside')) return callsResponse(['wait', { ms: 500 }]);
      for (const depth of [2, 3]) if (text.includes(`level ${depth - 1}`)) return callsResponse(deep(depth));
      return callsResponse(['wait', { ms: 60_000, deep: true }]);
    };
    const harness = await startHarness({ agents, respond });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    const agentTurns = harness.recorder.of('turn_started').filter(({ parent }) => parent !== null);
    expect(agentTurns).toHaveLength(3);
    const detached = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn;
    const receipt = receiptOf(await harness.cancel({ target: `tools:${turn}` }));
    expect(receipt.detached).toEqual([detached]);
    expect(receipt.stopping).toHaveLength(8); // an agent and its turn at each depth, and two calls
    expect(receipt.stopping).not.toContain(turn);
    await harness.clock.advance(3_000);
    expect(Object.values(settled(harness)).every((end) => end.startsWith('cancelled/'))).toBe(true);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
    expect(harness.endOf(detached ?? '')).toMatchObject({ outcome: 'completed' });
  });

  test('`mine`: the calls of the turns of the speaker alone; standing is judged for each call [cancel.tools] [owner.node]', async () => {
    const respond = inOrder(callsResponse(['wait']), callsResponse(['wait', { n: 2 }]));
    const harness = await startHarness({ respond, session: () => ({ policy: 'owner' }) });
    const mine = await harness.say('words');
    await harness.session.join(bobCaller, createRecorder().listener, 0);
    const his = await harness.say('his', bobCaller);
    await harness.clock.advance(50);
    const [ann, bob] = harness.recorder.of('tool_call').map(({ node }) => node);
    expect(await harness.cancel({ target: `tools:${mine}` }, bobCaller)).toMatchObject({
      type: 'cancel_refused',
      refusal: { refused: [{ node: ann, reason: 'not_owner' }] },
    });
    expect(receiptOf(await harness.cancel({ target: 'tools:mine' }, bobCaller)).stopping).toEqual([bob]);
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toMatchObject({ [ann ?? '']: 'completed', [bob ?? '']: 'cancelled' });
    expect([harness.endOf(mine)?.outcome, harness.endOf(his)?.outcome]).toEqual(['completed', 'completed']);
  });

  test('`say:<ref>` names a turn of the same connection; a SAY that is not there yet is not refused for it [cancel.tools]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']) });
    expect(await harness.cancel({ target: 'tools:say:r1' })).toMatchObject({ type: 'unknown_target' });
    const turn = await harness.say('words', harness.alice, 'r1');
    await harness.clock.advance(50);
    expect(receiptOf(await harness.cancel({ target: 'tools:say:r1' }))).toMatchObject({ target: `tools:${turn}` });
    for (const target of ['tools:nowhere', 'tools:session', `tools:${harness.callNamed('wait')}`])
      expect(await harness.cancel({ target })).toEqual({ type: 'unknown_target', target });
  });

  test('a call that asks or waits for a key is not started, and its question is withdrawn [cancel.tools]', async () => {
    const asks = { ...toolOf('asks', async () => 'ran'), approval: () => ({ text: 'May I?' }) };
    const respond = callsOnce(['asks'], ['keyed'], ['keyed', { n: 2 }]);
    const harness = await startHarness({ tools: [asks], respond });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: `tools:${turn}` });
    await harness.clock.advance(200);
    const [asked, holds, waits] = [
      harness.callNamed('asks'),
      harness.callNamed('keyed'),
      harness.callNamed('keyed', 1),
    ];
    expect(settled(harness)).toEqual({
      [asked]: 'cancelled/not_started',
      [holds]: 'cancelled/unknown',
      [waits]: 'cancelled/not_started',
    });
    expect(harness.recorder.of('approval_closed')).toMatchObject([{ node: asked, answer: 'withdrawn' }]);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test('words that wait for the next model call stay, and are read by it [cancel.tools]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']), session: () => ({ whileRunning: 'steer' }) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const steered = harness.session.say(harness.alice, { text: 'rather the other way' });
    await harness.clock.advance(0);
    expect(await steered).toMatchObject({ type: 'input_deferred' });
    expect(receiptOf(await harness.cancel({ target: `tools:${turn}` }))).not.toHaveProperty('queue');
    await harness.clock.advance(200);
    expect(harness.recorder.of('input_settled')).toMatchObject([{ fate: 'consumed', index: 1 }]);
    expect(lastRequest(harness)).toMatch(/has stopped the tools.*\n*.*rather the other way/s);
  });

  test('no acknowledgement follows: the model itself goes on [cancel.tools.goes_on]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']), acknowledge: 'on' });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: `tools:${turn}` });
    await harness.clock.advance(5_000);
    expect(harness.provider.requests).toHaveLength(2);
    expect(count(harness, 'reaction') + count(harness, 'acknowledged')).toBe(0);
  });
});

describe('shields and calls that do not stop', () => {
  test('a shielded region is pending, and the turn waits for it [cancel.tools] [cancel.shield]', async () => {
    const commits = toolOf(
      'commits',
      async (_, { shield }) => {
        await shield(() => new Promise((resolve) => harness.clock.after(300, () => resolve(undefined))));
        return 'written';
      },
      { cancel: 'shielded', shieldMaxMs: 400 },
    );
    const harness: Harness = await startHarness({ tools: [commits], respond: callsOnce(['commits'], ['wait']) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const [shielded, plain] = [harness.callNamed('commits'), harness.callNamed('wait')];
    expect(receiptOf(await harness.cancel({ target: `tools:${turn}` }))).toMatchObject({
      stopping: [plain],
      pending: [shielded],
    });
    await harness.clock.advance(100);
    expect(harness.provider.requests).toHaveLength(1);
    await harness.clock.advance(1_000);
    expect(harness.outcomes()).toMatchObject({ [shielded]: 'completed', [plain]: 'cancelled' });
    expect(harness.provider.requests).toHaveLength(2);
  });

  test('in a turn that may not be interrupted the calls are pending, and run to their end [cancel.tools] [cancel.shield]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait']), session: () => ({ interruptible: false }) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const call = harness.callNamed('wait');
    expect(receiptOf(await harness.cancel({ target: `tools:${turn}` }))).toMatchObject({
      stopping: [],
      pending: [call],
    });
    await harness.clock.advance(3_000);
    expect(settled(harness)).toEqual({ [call]: 'completed/done' });
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test('the model is called with the result of an abandoned call, and a repeat of it is held for a yes [cancel.tools.goes_on]', async () => {
    const stubborn: CallSpec = ['ignores_signal', { ms: 9_000 }];
    const harness = await startHarness({ respond: inOrder(callsResponse(stubborn), callsResponse(stubborn)) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: `tools:${turn}` });
    await harness.clock.advance(3_000);
    const first = harness.callNamed('ignores_signal');
    expect(settled(harness)).toEqual({ [first]: 'abandoned/unknown' });
    expect(lastRequest(harness)).toContain(`Told to stop, and still not ended: ignores_signal (${first}).`);
    const [asked] = harness.recorder.of('approval_requested');
    expect(asked?.text).toContain(`The same call was interrupted (${first}) and may have had effects`);
    await harness.session.answer(harness.alice, { target: asked?.node ?? '', answer: 'denied' });
    await harness.clock.advance(9_000);
    expect(harness.entered).toEqual([first]);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });

  test('the limits of rounds and of equal calls count on: what was stopped counts [cancel.tools.goes_on] [tool.loop]', async () => {
    const read: CallSpec = ['reads', { ms: 60_000 }];
    const reads = toolOf(
      'reads',
      (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }))),
      { effect: 'none' }, // a repeat of it is not held
    );
    const harness = await startHarness({
      tools: [reads],
      respond: () => callsResponse(read),
      limits: { roundsPerTurn: 5 },
    });
    const turn = await harness.say('words');
    for (let round = 0; round < 3; round++) {
      await harness.clock.advance(50);
      await harness.cancel({ target: `tools:${turn}` });
    }
    await harness.clock.advance(1_000);
    const results = harness.recorder.of('tool_result').map(({ outcome, code }) => code ?? outcome);
    expect(results).toEqual(['cancelled', 'cancelled', 'cancelled', 'loop_limit', 'loop_limit']);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'failed', code: 'round_limit' });
    expect(harness.provider.requests).toHaveLength(5);
  });

  test('a repeat is held no more after a call that has run to its end, and other calls are not held [cancel.tools.goes_on]', async () => {
    const work: CallSpec = ['wait', { ms: 900 }];
    const scripts = [callsResponse(work), callsResponse(work, ['note']), callsResponse(work)];
    const harness = await startHarness({ respond: inOrder(...scripts) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: `tools:${turn}` });
    await harness.clock.advance(200);
    const [asked, ...more] = harness.recorder.of('approval_requested');
    expect(more).toEqual([]);
    await harness.session.answer(harness.alice, { target: asked?.node ?? '', answer: 'approved' });
    await harness.clock.advance(5_000);
    expect(count(harness, 'approval_requested')).toBe(1);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  });
});

describe('order and copies', () => {
  test('turn, then its tools: the same nodes, the same receipt [cancel.tools]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { unwind: 100 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const first = receiptOf(await harness.cancel({ target: turn }));
    const second = await harness.cancel({ target: `tools:${turn}` });
    expect(second).toMatchObject({ repeated: true, receipt: { cancel: first.cancel } });
    await harness.clock.advance(500);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled' });
    expect(harness.provider.requests).toHaveLength(1);
  });

  test('tools, then the turn: it adds the turn, and the first cause of the call stays [cancel.tools]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { unwind: 100 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: `tools:${turn}` });
    expect(receiptOf(await harness.cancel({ target: turn }, bobCaller)).stopping).toEqual([
      turn,
      harness.callNamed('wait'),
    ]);
    await harness.clock.advance(500);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled' });
    expect(harness.provider.requests).toHaveLength(1);
    await harness.say('and now?');
    await harness.clock.advance(100);
    expect(lastRequest(harness)).toContain('was stopped by bob');
  });

  test.each([
    ['the same ref', { ref: 'c1' }],
    ['a new ref and `seen`', { ref: 'c2' }],
  ])('a copy with %s that arrives in the next round stops nothing of it [cancel.tools.late]', async (_, { ref }) => {
    const respond = inOrder(callsResponse(['wait']), callsResponse(['wait', { n: 2 }]));
    const harness = await startHarness({ respond });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const seen = harness.recorder.facts.length;
    const target = `tools:${turn}`;
    const first = receiptOf(await harness.cancel({ target, ref: 'c1' }));
    await harness.clock.advance(100);
    const later = harness.callNamed('wait', 1);
    const copy = await harness.cancel({ target, ref, ...(ref === 'c2' && { seen }) });
    if (ref === 'c1')
      expect(copy).toMatchObject({ repeated: true, receipt: { cancel: first.cancel }, running: [later] });
    else expect(copy).toMatchObject({ type: 'already_settled', running: [later] });
    await harness.clock.advance(2_000);
    expect(harness.outcomes()[later]).toBe('completed');
  });

  test('a copy with `seen` stops a call that its sender knew, whatever was written since [cancel.tools.late]', async () => {
    const harness = await startHarness({ respond: callsOnce(['wait', { ms: 5_000 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const made = harness.index(({ type }) => type === 'tool_call') + 1;
    await harness.say('other', bobCaller);
    await harness.clock.advance(100);
    const reply = await harness.cancel({ target: `tools:${turn}`, ref: 'c1', seen: made });
    expect(receiptOf(reply).stopping).toEqual([harness.callNamed('wait')]);
    const before = await harness.cancel({ target: `tools:${turn}`, ref: 'c2', seen: made - 1 });
    expect(before).toMatchObject({ type: 'already_settled' });
  });
});

describe('the host is killed', () => {
  test('while a call is being stopped: the receipt follows, the call has its cause, and the turn is lost in the crash [cancel.tools]', async () => {
    const log = createMemoryLog();
    const first = await startHarness({ log, respond: callsOnce(['wait', { unwind: 500 }]) });
    const turn = await first.say('words');
    await first.clock.advance(50);
    await first.cancel({ target: `tools:${turn}` });
    const second = await startHarness({ log, life: 2 });
    await second.clock.advance(500);
    expect(settled(second)).toEqual({ [first.callNamed('wait')]: 'cancelled/unknown' });
    expect(second.endOf(turn)).toMatchObject({ outcome: 'failed', code: 'crash' });
    expect(second.recorder.of('cancel_settled')).toMatchObject([{ cause: { target: `tools:${turn}`, by: 'alice' } }]);
  });

  test('after two CANCELs that list a call which was not opened: in each receipt it ends as the first one says, as in a session that lives [cancel.tools] [cancel.sources]', async () => {
    const steps = [{ call: { callId: 'p0', name: 'wait', arguments: '{}' } }, { waitMs: 2_000 }, { text: 'never' }];
    const harness = await startHarness({ respond: inOrder({ steps }), limits: { turnMs: 500 } });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    const [stopped = ''] = receiptOf(await harness.cancel({ target: `tools:${turn}` })).stopping;
    await harness.clock.advance(3_000);
    const { facts } = harness.recorder;
    const accepted = facts.findLastIndex((fact) => fact.type === 'cancel_accepted');
    expect(facts[accepted]).toMatchObject({ source: 'deadline', stopping: [turn, stopped] });
    expect(facts.findIndex((fact) => fact.type === 'tool_call')).toBeGreaterThan(accepted);
    const endsIn = (written: readonly Fact[]) =>
      written.flatMap((fact) =>
        fact.type === 'cancel_settled'
          ? fact.nodes.flatMap(({ ms: _, times: __, ...end }) => (end.node === stopped ? [end] : []))
          : [],
      );
    const first = { node: stopped, kind: 'tool-call', outcome: 'cancelled', effect: 'not_started' };
    expect(endsIn(facts)).toEqual([first, first]);
    expect(endsIn(recover(facts.slice(0, accepted + 1)))).toEqual([first, first]);
  });

  test('while the model writes: the call that was whole is in the receipt as not started [cancel.tools]', async () => {
    const log = createMemoryLog();
    const steps = [{ call: { callId: 'p0', name: 'wait', arguments: '{}' } }, { hang: true } as const];
    const first = await startHarness({ log, respond: inOrder({ steps }) });
    const turn = await first.say('words');
    await first.clock.advance(50);
    const [stopped = ''] = receiptOf(await first.cancel({ target: `tools:${turn}` })).stopping;
    const second = await startHarness({ log, life: 2 });
    await second.clock.advance(500);
    expect(second.settledReceipts().at(-1)?.nodes).toMatchObject([
      { node: stopped, kind: 'tool-call', outcome: 'cancelled', effect: 'not_started' },
    ]);
  });
});
