// Promises that hold when a part of Belay itself fails: a machine that throws, a process that dies, a store that does not write.

import { describe, expect, test, vi } from 'vitest';
import type { NodeId } from '../../machines/vocabulary.ts';
import { bindSession } from '../../src/embed/bound-session.ts';
import type { LiveTree } from '../../src/live/tree.ts';
import { Fenced, type LoggedEvent, StoreFailed } from '../../src/transcript/log.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { recover } from '../../src/transcript/recover.ts';
import { asks, createWorld, hear, memberOf, once, says, type World } from '../support/world.ts';

/** Every live tree that was made, and whether the abort at the cut is left out. */
const made = vi.hoisted(() => ({ trees: [] as LiveTree[], unplugged: false }));
vi.mock('../../src/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../src/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    #isCutting = false;

    constructor() {
      super();
      made.trees.push(this);
    }

    override cut(...args: Parameters<typeof real.LiveTree.prototype.cut>): void {
      this.#isCutting = made.unplugged;
      super.cut(...args);
      this.#isCutting = false;
    }

    override abort(id: NodeId): void {
      if (!this.#isCutting) super.abort(id);
    }
  }
  return { ...real, LiveTree };
});

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** Two tools and a sub-agent with a sub-agent, whose tool works three storeys down. */
const deep = (_: unknown, n: number) => {
  if (n === 0) return asks(['wait', { unwind: 20 }], ['keyed'], ['spawn_agent', { task: 'one' }]);
  if (n === 1) return asks(['spawn_agent', { task: 'two' }]);
  if (n === 2) return asks(['wait', { unwind: 30 }]);
  return says('done');
};

async function deepWorld() {
  const world = await createWorld({ agents, respond: deep });
  const turn = await world.say('words');
  await world.clock.advance(50);
  expect(world.ran).toHaveLength(3);
  return { world, turn };
}

const nodeIn = (world: World, id: NodeId) => {
  const entry = made.trees.flatMap((tree) => tree.get(id) ?? [])[0];
  if (!entry?.actor) throw new Error(`${id} is not alive in ${world.session.id}`);
  return entry.actor;
};
/** A guard that reads the plan of this throws. */
const breakMachine = (world: World, id: NodeId) => nodeIn(world, id).send({ type: 'CANCEL' });

const everyCallHasOneResult = (world: World) => {
  const results = world.heard.of('tool_result').map(({ node }) => node);
  const calls = world.heard.of('tool_call').map(({ node }) => node);
  expect(results.toSorted()).toEqual(calls.toSorted());
};

describe('the two ways of a CANCEL', () => {
  test('with the abort at the cut left out, the event alone stops every worker [cancel.reach]', async () => {
    made.unplugged = true;
    try {
      const { world, turn } = await deepWorld();
      await world.cancel({ target: turn });
      await world.clock.advance(1_000);
      expect(world.signals.toSorted()).toEqual(world.ran.toSorted());
      expect(world.settled()[0]?.nodes.map(({ outcome }) => outcome)).toEqual(new Array(8).fill('cancelled'));
      expect(await world.session.nodes()).toEqual([]);
    } finally {
      made.unplugged = false;
    }
  });

  test('with a root machine that throws, the cut alone does, and the session closes the history [cancel.reach] [cancel.sources] [history.paired]', async () => {
    const { world, turn } = await deepWorld();
    breakMachine(world, turn);
    await world.clock.advance(3_000);
    expect(world.signals.toSorted()).toEqual(world.ran.toSorted());
    expect(world.end(turn)).toMatchObject({ outcome: 'failed' });
    everyCallHasOneResult(world);
    expect(world.heard.of('turn_ended')).toHaveLength(3);
    expect(await world.session.nodes()).toEqual([]);
    const next = await world.say('and on');
    await world.clock.advance(1_000);
    expect(world.end(next)?.outcome).toBe('completed');
  });
});

describe('a machine that throws', () => {
  test('below the root: its siblings run on, its turn goes on [cancel.sources]', async () => {
    const { world, turn } = await deepWorld();
    breakMachine(world, world.call('spawn_agent'));
    await world.clock.advance(3_000);
    expect(world.results()).toMatchObject({
      [world.call('wait')]: 'completed',
      [world.call('keyed')]: 'completed',
      [world.call('spawn_agent')]: 'failed',
    });
    expect(world.end(turn)?.outcome).toBe('completed');
    everyCallHasOneResult(world);
    expect(await world.session.nodes()).toEqual([]);
  });

  test('a leaf: its worker is stopped and waited for [cancel.sources]', async () => {
    const { world, turn } = await deepWorld();
    breakMachine(world, world.call('wait'));
    await world.clock.advance(3_000);
    expect(world.results()[world.call('wait')]).toBe('failed');
    expect(world.signals).toEqual([world.call('wait')]);
    expect(world.end(turn)?.outcome).toBe('completed');
    everyCallHasOneResult(world);
  });

  test('while it is being cancelled: the receipt waits for the closing that the session writes [cancel.settled]', async () => {
    const { world, turn } = await deepWorld();
    await world.cancel({ target: turn });
    breakMachine(world, turn);
    await world.clock.advance(3_000);
    expect(world.settled()).toHaveLength(1);
    const at = (type: string) => world.heard.facts.findLastIndex((fact) => fact.type === type);
    expect(at('turn_ended')).toBeLessThan(at('cancel_settled'));
    everyCallHasOneResult(world);
    expect(await world.session.nodes()).toEqual([]);
  });
});

/** The log as a process that died at that moment has left it. */
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
  test('at any point: the next start closes what was open, once, and resumes nothing [store.durable] [history.paired]', async () => {
    const { world, turn } = await deepWorld();
    await world.cancel({ target: turn, ref: 'c1' });
    await world.clock.advance(2_000);
    await world.say('more');
    await world.clock.advance(2_000);
    const events = await world.log.read('s', 0);
    expect(events.length).toBeGreaterThan(25);
    for (let length = 1; length <= events.length; length++) {
      const prefix = events.slice(0, length);
      const log = await logUpTo(prefix);
      const next = await createWorld({ log });
      await next.clock.advance(100);
      const { heard } = next;
      expect(next.provider.requests, `prefix ${length}`).toHaveLength(0);
      for (const opened of heard.of('turn_opened'))
        expect(
          heard.of('turn_ended').filter((f) => f.turn === opened.turn),
          `prefix ${length}`,
        ).toHaveLength(1);
      for (const call of heard.of('tool_call'))
        expect(
          heard.of('tool_result').filter((f) => f.node === call.node),
          `prefix ${length}`,
        ).toHaveLength(1);
      for (const accepted of heard.of('cancel_accepted'))
        expect(
          heard.of('cancel_settled').filter((f) => f.cancel === accepted.cancel),
          `prefix ${length}`,
        ).toHaveLength(1);
      for (const call of heard.of('tool_call')) {
        const started = prefix.some(
          ({ body }) => body.type === 'tool_started' && (body as unknown as { node: string }).node === call.node,
        );
        const before = prefix.some(
          ({ body }) => body.type === 'tool_result' && (body as unknown as { node: string }).node === call.node,
        );
        const result = heard.of('tool_result').find((f) => f.node === call.node);
        if (!before) expect(result?.effect, `prefix ${length}`).toBe(started ? 'unknown' : 'not_started');
      }
      expect(recover(heard.facts), `prefix ${length}`).toEqual([]);
      // the same ref is answered with the recorded receipt, if it was recorded
      const again = await next.cancel({ target: turn, ref: 'c1' });
      const recorded = prefix.some(({ body }) => body.type === 'cancel_accepted');
      const known = prefix.some(({ body }) => body.type === 'turn_opened');
      expect(again.type, `prefix ${length}`).toBe(
        recorded ? 'cancel_accepted' : known ? 'already_settled' : 'unknown_target',
      );
      await next.say('and on');
      await next.clock.advance(1_000);
      expect(heard.of('turn_ended').at(-1)?.outcome, `prefix ${length}`).toBe('completed');
    }
  });

  test('text comes back up to its last checkpoint, and what is lost is said [history.partial] [store.durable]', async () => {
    const words = Array.from({ length: 400 }, (_, i) => `${i} `);
    const world = await createWorld({ respond: () => says(...words) });
    await world.say('words');
    await world.clock.advance(1_900);
    const before = await world.log.read('s', 0);
    expect(before.some(({ body }) => body.type === 'text_checkpoint')).toBe(false);
    await world.clock.advance(95);
    await world.clock.advance(5);
    const events = await world.log.read('s', 0);
    const saved = world.heard.texts.map(({ text }) => text).join('');
    const next = await createWorld({ log: await logUpTo(events) });
    const [ended] = next.heard.of('model_ended');
    expect(ended).toMatchObject({ cutOff: true, outcome: 'failed' });
    expect(saved.startsWith(ended?.text ?? 'nothing')).toBe(true);
    expect(ended?.text.length).toBeGreaterThan(100);
    expect(ended?.lostAfter).toBe(ended?.text.length);
  });
});

describe('a store that does not write', () => {
  test('for a moment: the closing is repeated, and told when it has committed [store.durable]', async () => {
    const world = await createWorld();
    const { append } = world.log;
    let failing = 3;
    world.log.append = async (session, epoch, seq, bodies) => {
      if (bodies.some(({ type }) => type === 'turn_ended') && failing-- > 0) throw new StoreFailed('disk full');
      return append.call(world.log, session, epoch, seq, bodies);
    };
    const turn = await world.say('words');
    await world.clock.advance(2_000);
    expect(failing).toBeLessThanOrEqual(0);
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test.each([
    { name: 'for too long', error: () => new StoreFailed('disk full'), reason: 'store_failed' as const },
    { name: 'because another host has the session', error: () => new Fenced('another'), reason: 'fenced' as const },
  ])(
    '$name: all is cut, nothing is claimed, the members are told by name [store.durable]',
    async ({ error, reason }) => {
      const world = await createWorld({ respond: once(['wait', { ms: 60_000 }]) });
      const turn = await world.say('words');
      await world.clock.advance(50);
      const { append } = world.log;
      world.log.append = () => Promise.reject(error());
      const cancelled = world.session.cancel(world.alice, { target: turn });
      await world.clock.advance(10_000);
      expect(await Promise.race([cancelled, Promise.resolve('no answer')])).not.toMatchObject({ durable: true });
      expect(world.heard.ended).toBe(reason);
      expect(world.signals).toEqual(world.ran);
      expect(world.heard.of('turn_ended')).toEqual([]);
      expect(world.heard.of('cancel_settled')).toEqual([]);
      world.log.append = append;
      const back = hear();
      const again = await bindSession(world.runtime, 's');
      await again.join(memberOf('alice'), back.listener, 0);
      await world.clock.advance(100);
      expect(back.of('turn_ended').filter((fact) => fact.turn === turn)).toHaveLength(1);
    },
  );
});

test('a log that holds a result without an outcome is a session that can be used [history.paired] [store.durable]', async () => {
  const world = await createWorld({ respond: once(['note']) });
  const { append } = world.log;
  world.log.append = (session, epoch, seq, bodies) => {
    const strange = bodies.map((body) => (body.type === 'tool_result' ? { ...body, outcome: undefined } : body));
    return append.call(world.log, session, epoch, seq, strange);
  };
  await world.say('words');
  await world.clock.advance(1_000);
  const again = await createWorld({ log: world.log, life: 2 });
  const turn = await again.say('and now?');
  await again.clock.advance(1_000);
  expect(again.end(turn)?.outcome).toBe('completed');
  expect(JSON.stringify(again.provider.requests.at(-1))).toContain('How it ended is not known');
});
