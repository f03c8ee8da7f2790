// Failures of Belay itself: a machine that throws, a process that dies, a store that does not write.

import { describe, expect, test, vi } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { Fenced, type LoggedEvent, StoreFailed, StoreWentBack } from '../../../src/core/contracts/log.ts';
import type { LiveTree } from '../../../src/core/live/tree.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, type Harness, startHarness, textResponse } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

/** Every live tree that was made. */
const made = vi.hoisted(() => ({ trees: [] as LiveTree[] }));
vi.mock('../../../src/core/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    constructor() {
      super();
      made.trees.push(this);
    }
  }
  return { ...real, LiveTree };
});

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** Two tools, and a sub-agent with a sub-agent, whose tool is three levels below the turn. */
const deep = (_: unknown, n: number) => {
  if (n === 0) return callsResponse(['wait', { unwind: 20 }], ['keyed'], ['spawn_agent', { task: 'one' }]);
  if (n === 1) return callsResponse(['spawn_agent', { task: 'two' }]);
  if (n === 2) return callsResponse(['wait', { unwind: 30 }]);
  return textResponse('done');
};

async function deepWorld() {
  const harness = await startHarness({ agents, respond: deep });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  expect(harness.entered).toHaveLength(3);
  return { harness, turn };
}

const nodeIn = (harness: Harness, id: NodeId) => {
  const entry = made.trees.flatMap((tree) => tree.get(id) ?? [])[0];
  if (!entry?.actor) throw new Error(`${id} is not alive in ${harness.session.id}`);
  return entry.actor;
};
/** An event that makes the guard throw that reads its plan. */
const breakMachine = (harness: Harness, id: NodeId) => nodeIn(harness, id).send({ type: 'CANCEL' });

const everyCallHasOneResult = (harness: Harness) => {
  const results = harness.recorder.of('tool_result').map(({ node }) => node);
  const calls = harness.recorder.of('tool_call').map(({ node }) => node);
  expect(results.toSorted()).toEqual(calls.toSorted());
};

describe('the cut', () => {
  test('with a root machine that throws, the cut alone stops every worker, and the session closes the history [cancel.reach] [cancel.sources] [history.paired]', async () => {
    const { harness, turn } = await deepWorld();
    breakMachine(harness, turn);
    await harness.clock.advance(3_000);
    expect(harness.aborted.toSorted()).toEqual(harness.entered.toSorted());
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'failed' });
    everyCallHasOneResult(harness);
    expect(harness.recorder.of('turn_ended')).toHaveLength(3);
    expect(await harness.session.nodes()).toEqual([]);
    const next = await harness.say('and on');
    await harness.clock.advance(1_000);
    expect(harness.endOf(next)?.outcome).toBe('completed');
  });
});

describe('a machine that throws', () => {
  test('below the root: its siblings and its turn run on [cancel.sources]', async () => {
    const { harness, turn } = await deepWorld();
    breakMachine(harness, harness.callNamed('spawn_agent'));
    await harness.clock.advance(3_000);
    expect(harness.outcomes()).toMatchObject({
      [harness.callNamed('wait')]: 'completed',
      [harness.callNamed('keyed')]: 'completed',
      [harness.callNamed('spawn_agent')]: 'failed',
    });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    everyCallHasOneResult(harness);
    expect(await harness.session.nodes()).toEqual([]);
  });

  test('together with that of the turn below it: that turn ends before its result [history.paired]', async () => {
    const { harness } = await deepWorld();
    const agent = harness.callNamed('spawn_agent');
    const below = harness.recorder.of('turn_started').find(({ parent }) => parent === agent)?.turn ?? '';
    breakMachine(harness, agent);
    breakMachine(harness, below);
    await harness.clock.advance(3_000);
    const { facts } = harness.recorder;
    const endOfTurn = facts.findIndex((fact) => fact.type === 'turn_ended' && fact.turn === below);
    const result = facts.findIndex((fact) => fact.type === 'tool_result' && fact.node === agent);
    expect(endOfTurn).toBeGreaterThan(0);
    expect(result).toBeGreaterThan(endOfTurn);
    everyCallHasOneResult(harness);
    expect(await harness.session.nodes()).toEqual([]);
  });

  test('that is a leaf: its worker is stopped and awaited [cancel.sources]', async () => {
    const { harness, turn } = await deepWorld();
    breakMachine(harness, harness.callNamed('wait'));
    await harness.clock.advance(3_000);
    expect(harness.outcomes()[harness.callNamed('wait')]).toBe('failed');
    expect(harness.aborted).toEqual([harness.callNamed('wait')]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    everyCallHasOneResult(harness);
  });

  test('while it is being cancelled: the receipt waits for the closing that the session writes [cancel.settled]', async () => {
    const { harness, turn } = await deepWorld();
    await harness.cancel({ target: turn });
    breakMachine(harness, turn);
    await harness.clock.advance(3_000);
    expect(harness.settledReceipts()).toHaveLength(1);
    const at = (type: string) => harness.recorder.facts.findLastIndex((fact) => fact.type === type);
    expect(at('turn_ended')).toBeLessThan(at('cancel_settled'));
    everyCallHasOneResult(harness);
    expect(await harness.session.nodes()).toEqual([]);
  });
});

test('a CANCEL that comes while the closing of a turn whose machine threw is being written has its receipt [cancel.settled]', async () => {
  const hold = holdAppend((types) => types.includes('turn_ended'));
  const harness = await startHarness({
    log: hold.wrap(createMemoryLog()),
    respond: () => textResponse('one ', 'two '),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(15);
  breakMachine(harness, turn);
  await harness.clock.advance(0);
  await hold.reached;
  const cancelled = harness.session.cancel(harness.alice, { target: turn });
  await harness.clock.advance(250);
  hold.release();
  await harness.clock.advance(1_000);
  expect(await cancelled).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [turn] } });
  expect(harness.settledReceipts()).toMatchObject([
    { nodes: [{ node: turn, kind: 'turn', outcome: 'failed', code: 'machine_failed', ms: 0 }] },
  ]);
});

/** The log as it was when the process died. */
async function logUpTo(events: readonly LoggedEvent[], session = 's') {
  const log = createMemoryLog();
  const epoch = await log.claim(session, 0, 'the dead');
  if (events.length > 0)
    await log.append(
      session,
      epoch,
      0,
      events.map(({ body }) => body),
    );
  return log;
}

describe('a process that dies', () => {
  test('at any point: the next start closes every open turn and call once, and resumes none [store.durable] [history.paired]', async () => {
    const { harness, turn } = await deepWorld();
    await harness.cancel({ target: turn, ref: 'c1' });
    await harness.clock.advance(2_000);
    await harness.say('more');
    await harness.clock.advance(2_000);
    const events = await harness.log.read('s', 0);
    expect(events.length).toBeGreaterThan(25);
    for (let length = 1; length <= events.length; length++) {
      const prefix = events.slice(0, length);
      const log = await logUpTo(prefix);
      const next = await startHarness({ log });
      await next.clock.advance(100);
      const { recorder } = next;
      expect(next.provider.requests, `prefix ${length}`).toHaveLength(0);
      for (const opened of recorder.of('turn_opened'))
        expect(
          recorder.of('turn_ended').filter((f) => f.turn === opened.turn),
          `prefix ${length}`,
        ).toHaveLength(1);
      for (const call of recorder.of('tool_call'))
        expect(
          recorder.of('tool_result').filter((f) => f.node === call.node),
          `prefix ${length}`,
        ).toHaveLength(1);
      for (const accepted of recorder.of('cancel_accepted'))
        expect(
          recorder.of('cancel_settled').filter((f) => f.cancel === accepted.cancel),
          `prefix ${length}`,
        ).toHaveLength(1);
      for (const call of recorder.of('tool_call')) {
        const started = prefix.some(
          ({ body }) => body.type === 'tool_started' && (body as unknown as { node: string }).node === call.node,
        );
        const before = prefix.some(
          ({ body }) => body.type === 'tool_result' && (body as unknown as { node: string }).node === call.node,
        );
        const result = recorder.of('tool_result').find((f) => f.node === call.node);
        if (!before) expect(result?.effect, `prefix ${length}`).toBe(started ? 'unknown' : 'not_started');
      }
      expect(recover(recorder.facts), `prefix ${length}`).toEqual([]);
      // the same ref gets the recorded receipt, if it was recorded
      const again = await next.cancel({ target: turn, ref: 'c1' });
      const recorded = prefix.some(({ body }) => body.type === 'cancel_accepted');
      const known = prefix.some(({ body }) => body.type === 'turn_opened');
      expect(again.type, `prefix ${length}`).toBe(
        recorded ? 'cancel_accepted' : known ? 'already_settled' : 'unknown_target',
      );
      await next.say('and on');
      await next.clock.advance(1_000);
      expect(recorder.of('turn_ended').at(-1)?.outcome, `prefix ${length}`).toBe('completed');
    }
  });

  test('while text streams: the text is kept up to its last checkpoint, and the loss is marked [history.partial] [store.durable]', async () => {
    const words = Array.from({ length: 400 }, (_, i) => `${i} `);
    const harness = await startHarness({ respond: () => textResponse(...words) });
    await harness.say('words');
    await harness.clock.advance(1_900);
    const before = await harness.log.read('s', 0);
    expect(before.some(({ body }) => body.type === 'text_checkpoint')).toBe(false);
    await harness.clock.advance(95);
    await harness.clock.advance(5);
    const events = await harness.log.read('s', 0);
    const saved = harness.recorder.texts.map(({ text }) => text).join('');
    const next = await startHarness({ log: await logUpTo(events) });
    const [ended] = next.recorder.of('model_ended');
    expect(ended).toMatchObject({ cutOff: true, outcome: 'failed' });
    expect(saved.startsWith(ended?.text ?? 'nothing')).toBe(true);
    expect(ended?.text.length).toBeGreaterThan(100);
    expect(ended?.lostAfter).toBe(ended?.text.length);
  });
});

describe('a store that does not write', () => {
  test('for a moment: the append of the closing is repeated, and published after its commit [store.durable]', async () => {
    const harness = await startHarness();
    const { append } = harness.log;
    let failing = 3;
    harness.log.append = async (session, epoch, seq, bodies) => {
      if (bodies.some(({ type }) => type === 'turn_ended') && failing-- > 0) throw new StoreFailed('disk full');
      return append.call(harness.log, session, epoch, seq, bodies);
    };
    const turn = await harness.say('words');
    await harness.clock.advance(2_000);
    expect(failing).toBeLessThanOrEqual(0);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test.each([
    { name: 'for too long', error: () => new StoreFailed('disk full'), reason: 'store_failed' as const },
    {
      name: 'because it ends before what it has confirmed',
      error: () => new StoreWentBack('older'),
      reason: 'store_failed' as const,
    },
    { name: 'because another host holds the session', error: () => new Fenced('another'), reason: 'fenced' as const },
  ])(
    '$name: every node is cut, nothing uncommitted is published, and the members get the reason by name [store.durable]',
    async ({ error, reason }) => {
      const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
      const turn = await harness.say('words');
      await harness.clock.advance(50);
      const { append } = harness.log;
      harness.log.append = () => Promise.reject(error());
      const cancelled = harness.session.cancel(harness.alice, { target: turn });
      await harness.clock.advance(10_000);
      expect(await Promise.race([cancelled, Promise.resolve('no answer')])).not.toMatchObject({ durable: true });
      expect(harness.recorder.ended).toBe(reason);
      expect(harness.aborted).toEqual(harness.entered);
      expect(harness.recorder.of('turn_ended')).toEqual([]);
      expect(harness.recorder.of('cancel_settled')).toEqual([]);
      harness.log.append = append;
      const back = createRecorder();
      const again = await bindSession(harness.runtime, 's');
      await again.join(callerOf('alice'), back.listener, 0);
      await harness.clock.advance(100);
      expect(back.of('turn_ended').filter((fact) => fact.turn === turn)).toHaveLength(1);
    },
  );
});

test('a CANCEL rejects when its session is lost before it was decided, also one that comes after that [cancel.exact]', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
  const { session, alice, clock } = harness;
  const turn = await harness.say('words');
  await clock.advance(50);
  harness.log.append = () => Promise.reject(new Fenced('another'));
  void session.say(alice, { text: 'finds out' }).catch(() => {});
  await new Promise<void>(clock.afterPromises); // the append is under way
  const endings: string[] = [];
  const cancel = () =>
    session.cancel(alice, { target: turn }).then(
      ({ type }) => endings.push(type),
      ({ name }: Error) => endings.push(name),
    );
  for (let i = 0; i < 40; i++) {
    void cancel();
    await Promise.resolve();
  }
  await clock.advance(1_000);
  expect(harness.recorder.ended).toBe('fenced');
  expect(endings).toHaveLength(40);
});

test('a session whose log has a result without an outcome can be used [history.paired] [store.durable]', async () => {
  const harness = await startHarness({ respond: callsOnce(['note']) });
  const { append } = harness.log;
  harness.log.append = (session, epoch, seq, bodies) => {
    const strange = bodies.map((body) => (body.type === 'tool_result' ? { ...body, outcome: undefined } : body));
    return append.call(harness.log, session, epoch, seq, strange);
  };
  await harness.say('words');
  await harness.clock.advance(1_000);
  const again = await startHarness({ log: harness.log, life: 2 });
  const turn = await again.say('and now?');
  await again.clock.advance(1_000);
  expect(again.endOf(turn)?.outcome).toBe('completed');
  expect(JSON.stringify(again.provider.requests.at(-1))).toContain('How it ended is not known');
});
