// Shields: a cut inside a shielded region is pending, for a limited time.
import { describe, expect, test } from 'vitest';
import { recordingContext } from '../../src/testing/recording-context.ts';
import { shieldRefusals, type Tool } from '../../src/tools/tool.ts';
import { callsOnce, startHarness, textResponse, toolOf } from '../support/harness.ts';

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
    'a cut meanwhile is pending, with its longest wait, and takes effect $name [cancel.shield]',
    async ({ regionMs, maxMs, ms }) => {
      const harness = await startHarness({ tools: [commit(regionMs, maxMs)], respond: callsOnce(['commit']) });
      const turn = await harness.say('words');
      await harness.clock.advance(0);
      const began = harness.clock.now();
      await harness.cancel({ target: turn });
      expect(harness.recorder.of('cancel_accepted')).toMatchObject([
        { stopping: [turn], pending: [harness.callNamed('commit')], pendingMs: maxMs },
      ]);
      await harness.clock.advance(ms - 1);
      expect(harness.settledReceipts()).toEqual([]);
      await harness.clock.advance(2_600);
      expect(harness.settledReceipts()[0]?.nodes[1]).toMatchObject({
        node: harness.callNamed('commit'),
        outcome: regionMs > 2_500 ? 'abandoned' : 'cancelled',
      });
      expect(harness.clock.now()).toBeGreaterThan(began + ms);
    },
  );

  test('force does not end it, and no region starts after the cut [cancel.shield] [cancel.fence]', async () => {
    const harness = await startHarness({ tools: [commit(300, 1_000)], respond: callsOnce(['commit']) });
    const turn = await harness.say('words');
    await harness.clock.advance(0);
    await harness.cancel({ target: turn, force: true });
    await harness.clock.advance(290);
    expect(harness.settledReceipts()).toEqual([]);
    await harness.clock.advance(100);
    expect(harness.settledReceipts()[0]?.nodes[1]).toMatchObject({ outcome: 'cancelled' });
    const shieldAfterCut: Tool = {
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
    const other = await startHarness({ tools: [shieldAfterCut], respond: callsOnce(['late']) });
    const next = await other.say('words');
    await other.clock.advance(50);
    await other.cancel({ target: next });
    await other.clock.advance(2_000);
    expect(other.outcomes()).toEqual({ [other.callNamed('late')]: 'cancelled' });
    expect(other.recorder.of('tool_result')[0]?.output).toBeUndefined();
  });

  const twice = (): { tool: Tool; outcomes: string[] } => {
    const outcomes: string[] = [];
    const tool = toolOf(
      'twice',
      async (_, { shield, clock, signal }) => {
        const pause = (ms: number) => new Promise<void>((done) => void clock.after(ms, done));
        const first = shield(() => pause(300));
        await shield(async () => outcomes.push('started')).catch((error: Error) => outcomes.push(error.message));
        await first;
        if (signal.aborted) return { kind: 'stopped', output: '' };
        return shield(async () => 'the next one, when the first has ended');
      },
      { cancel: 'shielded', shieldMaxMs: 1_000 },
    );
    return { tool, outcomes };
  };

  test('a call has one region at a time: a second one is rejected, and does not run without a shield [cancel.shield]', async () => {
    const { tool, outcomes } = twice();
    const harness = await startHarness({ tools: [tool], respond: callsOnce(['twice']) });
    await harness.say('words');
    await harness.clock.advance(400);
    expect(outcomes).toEqual([shieldRefusals.open]);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('twice')]: 'completed' });
  });

  test('the recording context of the test kit rejects it too [cancel.shield] [tool.contract]', async () => {
    const { tool, outcomes } = twice();
    const { context } = recordingContext({}, tool);
    await expect(tool.run({}, context)).resolves.toBe('the next one, when the first has ended');
    expect(outcomes).toEqual([shieldRefusals.open]);
  });

  test('a session that is not interruptible replies `pending` until its turn has ended or the limit is reached [cancel.shield] [cli.chat]', async () => {
    const spec = () => ({ interruptible: false });
    const harness = await startHarness({ session: spec, respond: () => textResponse('one ', 'two ', 'three ') });
    const turn = await harness.say('words');
    await harness.clock.advance(15);
    const answer = await harness.cancel({ target: turn });
    expect(answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [], pending: [turn] } });
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('model_ended')[0]?.outcome, 'the request was not closed').toBe('completed');
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    const slow = await startHarness({
      session: spec,
      respond: callsOnce(['wait', { ms: 60_000 }]),
      limits: { shieldMs: 3_000 },
    });
    const long = await slow.say('words');
    await slow.clock.advance(100);
    await slow.cancel({ target: long });
    await slow.clock.advance(2_800);
    expect(slow.settledReceipts()).toEqual([]);
    await slow.clock.advance(500);
    expect(slow.endOf(long)?.outcome).toBe('cancelled');
  });
});
