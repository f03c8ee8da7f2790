// Shields: a cut meanwhile is pending, with a bound.
import { describe, expect, test } from 'vitest';
import { recordingContext } from '../../src/testing/recording-context.ts';
import { shieldRefusals, type Tool } from '../../src/tools/tool.ts';
import { createWorld, once, says, toolOf } from '../support/world.ts';

describe('a shield', () => {
  const commit = (regionMs: number, maxMs: number): Tool => ({
    ...toolOf(
      'commit',
      async (_, { shield, clock, signal }) => {
        const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));
        await shield(() => pause(regionMs));
        if (signal.aborted) return { kind: 'stopped', output: 'written, then stopped' };
        await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
        return { kind: 'stopped', output: 'stopped' };
      },
      { cancel: 'shielded', shieldMaxMs: 1_000 },
    ),
    shieldMaxMs: maxMs,
  });

  test.each([
    { name: 'at its end', regionMs: 300, maxMs: 1_000, ms: 300 },
    { name: 'at its maximum', regionMs: 3_000, maxMs: 1_000, ms: 1_000 },
  ])(
    'a cut meanwhile is pending with the bound, and takes effect $name [cancel.shield]',
    async ({ regionMs, maxMs, ms }) => {
      const world = await createWorld({ tools: [commit(regionMs, maxMs)], respond: once(['commit']) });
      const turn = await world.say('words');
      await world.clock.advance(0);
      const began = world.clock.now();
      await world.cancel({ target: turn });
      expect(world.heard.of('cancel_accepted')).toMatchObject([
        { stopping: [turn], pending: [world.call('commit')], pendingMs: maxMs },
      ]);
      await world.clock.advance(ms - 1);
      expect(world.settled()).toEqual([]);
      await world.clock.advance(2_600);
      expect(world.settled()[0]?.nodes[1]).toMatchObject({
        node: world.call('commit'),
        outcome: regionMs > 2_500 ? 'abandoned' : 'cancelled',
      });
      expect(world.clock.now()).toBeGreaterThan(began + ms);
    },
  );

  test('force does not open it, and no region begins behind the cut [cancel.shield] [cancel.fence]', async () => {
    const world = await createWorld({ tools: [commit(300, 1_000)], respond: once(['commit']) });
    const turn = await world.say('words');
    await world.clock.advance(0);
    await world.cancel({ target: turn, force: true });
    await world.clock.advance(290);
    expect(world.settled()).toEqual([]);
    await world.clock.advance(100);
    expect(world.settled()[0]?.nodes[1]).toMatchObject({ outcome: 'cancelled' });
    const late: Tool = {
      ...toolOf(
        'late',
        async (_, { shield, signal }) => {
          await new Promise<void>((done) => signal.addEventListener('abort', () => done()));
          return shield(async () => 'committed all the same');
        },
        { cancel: 'shielded', shieldMaxMs: 1_000 },
      ),
      shieldMaxMs: 1_000,
    };
    const other = await createWorld({ tools: [late], respond: once(['late']) });
    const next = await other.say('words');
    await other.clock.advance(50);
    await other.cancel({ target: next });
    await other.clock.advance(2_000);
    expect(other.results()).toEqual({ [other.call('late')]: 'cancelled' });
    expect(other.heard.of('tool_result')[0]?.output).toBeUndefined();
  });

  const twice = (): { tool: Tool; said: string[] } => {
    const said: string[] = [];
    const tool = toolOf(
      'twice',
      async (_, { shield, clock, signal }) => {
        const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));
        const first = shield(() => pause(300));
        await shield(async () => said.push('begun')).catch((error: Error) => said.push(error.message));
        await first;
        if (signal.aborted) return { kind: 'stopped', output: '' };
        return shield(async () => 'the next one, when the first has ended');
      },
      { cancel: 'shielded', shieldMaxMs: 1_000 },
    );
    return { tool, said };
  };

  test('a call has one region at a time: the second is refused, not run without a shield [cancel.shield]', async () => {
    const { tool, said } = twice();
    const world = await createWorld({ tools: [tool], respond: once(['twice']) });
    await world.say('words');
    await world.clock.advance(400);
    expect(said).toEqual([shieldRefusals.open]);
    expect(world.results()).toEqual({ [world.call('twice')]: 'completed' });
  });

  test('a check of the tool says the same [cancel.shield] [tool.contract]', async () => {
    const { tool, said } = twice();
    const { context } = recordingContext({}, tool);
    await expect(tool.run({}, context)).resolves.toBe('the next one, when the first has ended');
    expect(said).toEqual([shieldRefusals.open]);
  });

  test('a session that is not interruptible answers `pending` until its turn has ended, within the bound [cancel.shield] [cli.chat]', async () => {
    const spec = () => ({ interruptible: false });
    const world = await createWorld({ session: spec, respond: () => says('one ', 'two ', 'three ') });
    const turn = await world.say('words');
    await world.clock.advance(15);
    const answer = await world.cancel({ target: turn });
    expect(answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [], pending: [turn] } });
    await world.clock.advance(2_000);
    expect(world.heard.of('model_ended')[0]?.outcome, 'the request was not closed').toBe('completed');
    expect(world.end(turn)?.outcome).toBe('cancelled');
    const slow = await createWorld({
      session: spec,
      respond: once(['wait', { ms: 60_000 }]),
      limits: { shieldMs: 3_000 },
    });
    const long = await slow.say('words');
    await slow.clock.advance(100);
    await slow.cancel({ target: long });
    await slow.clock.advance(2_800);
    expect(slow.settled()).toEqual([]);
    await slow.clock.advance(500);
    expect(slow.end(long)?.outcome).toBe('cancelled');
  });
});
