// Shields: a cut inside a shielded region is pending, for a limited time.
import { describe, expect, test } from 'vitest';
import { shieldRefusals, type Tool } from '../../../src/core/contracts/tool.ts';
import { recordingContext } from '../../../src/testing/recording-context.ts';
import { callerOf, callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';

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

  test.each([{ force: false }, { force: true }])(
    'the signal of the call fires at the end of the region, and not before (force: $force) [cancel.shield]',
    async ({ force }) => {
      const firedAt: number[] = [];
      const shielded = toolOf(
        'shielded',
        async (_, { shield, clock, signal }) => {
          signal.addEventListener('abort', () => firedAt.push(clock.now()));
          await shield(() => new Promise<void>((done) => void clock.after(300, done)));
          return { kind: 'stopped', output: '' };
        },
        { cancel: 'shielded', shieldMaxMs: 1_000 },
      );
      const harness = await startHarness({ tools: [shielded], respond: callsOnce(['shielded']) });
      const turn = await harness.say('words');
      await harness.clock.advance(100);
      await harness.cancel({ target: turn, force });
      await harness.clock.advance(1_000);
      expect(firedAt).toEqual([300]);
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
});

describe('a turn that may not be interrupted', () => {
  const guarded = (shieldMs?: number) => () => ({ interruptible: false, shieldMs });
  const guard = callerOf('guard', ['emergency']);

  test('goes on when it is cancelled, shown and kept: text, further rounds and their calls [cancel.shield.shown] [cli.chat]', async () => {
    const harness = await startHarness({
      session: guarded(),
      respond: (_, n) => (n === 0 ? callsResponse(['wait', { ms: 100 }]) : textResponse('one ', 'two ', 'three ')),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(15);
    const wait = harness.callNamed('wait');
    expect(await harness.cancel({ target: turn })).toMatchObject({
      type: 'cancel_accepted',
      receipt: { stopping: [], pending: [turn, wait], pendingMs: 4_985 },
    });
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toEqual({ [wait]: 'completed' });
    expect(harness.recorder.texts.map(({ text }) => text).join('')).toBe('one two three ');
    expect(harness.recorder.of('model_ended').at(-1)).toMatchObject({ outcome: 'completed', text: 'one two three ' });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    expect(harness.settledReceipts()[0]?.nodes.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  test('is stopped when its time is over, with what it has started since [cancel.shield] [cancel.bounded]', async () => {
    const harness = await startHarness({
      session: guarded(),
      respond: (_, n) => callsResponse(['wait', { ms: n === 0 ? 1_000 : 60_000 }]),
      limits: { shieldMs: 3_000 },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await harness.cancel({ target: turn });
    expect(await harness.cancel({ target: turn })).toMatchObject({ type: 'cancel_accepted', repeated: true });
    await harness.clock.advance(2_800);
    expect(harness.settledReceipts()).toEqual([]);
    await harness.clock.advance(500);
    expect(harness.outcomes()).toEqual({
      [harness.callNamed('wait', 0)]: 'completed',
      [harness.callNamed('wait', 1)]: 'cancelled',
    });
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    expect(harness.settledReceipts()).toHaveLength(1);
  });

  test('runs to its own end with a shield of 0; a shutdown stops it all the same [cancel.shield]', async () => {
    const respond = callsOnce(['wait', { ms: 60_000 }]);
    const harness = await startHarness({ session: guarded(0), respond });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    expect(await harness.cancel({ target: turn, force: true })).not.toHaveProperty('receipt.pendingMs');
    await harness.clock.advance(61_000);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    const other = await startHarness({ session: guarded(0), respond });
    const next = await other.say('words');
    await other.clock.advance(100);
    const closing = other.runtime.close();
    await other.clock.advance(2_000);
    await closing;
    expect(other.endOf(next)?.outcome).toBe('cancelled');
  });

  test('is stopped by an emergency with `force`, also when it is pending already; not by an emergency without it [cancel.shield]', async () => {
    const harness = await startHarness({ session: guarded(0), respond: callsOnce(['wait', { ms: 60_000 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    expect(await harness.cancel({ target: turn }, guard)).toMatchObject({ receipt: { stopping: [] } });
    await harness.clock.advance(3_000);
    expect(harness.settledReceipts()).toEqual([]);
    await harness.cancel({ target: turn, force: true }, guard);
    await harness.clock.advance(300);
    expect(harness.endOf(turn)?.outcome).toBe('cancelled');
    expect(harness.settledReceipts()).toHaveLength(1);
  });

  test.each([
    ['session', 'cancelled', 2_005],
    ['mine', 'cancelled', 2_005],
    ['its id', 'completed', 60_510],
  ])(
    'an agent that it detaches while a CANCEL of %s is pending is %s at %i ms [cancel.shield] [agent.tree]',
    async (target, outcome, at) => {
      const harness = await startHarness({
        session: guarded(2_000),
        agents: { helper: { description: 'helps', instructions: 'Help.' } },
        respond: ({ messages }, n) => {
          if (JSON.stringify(messages).includes('in the background')) return textResponse('Detached.');
          if (n === 0) return callsResponse(['wait', { ms: 500 }]);
          if (n === 1) return callsResponse(['spawn_agent', { agent: 'helper', task: 'help', detached: true }]);
          return messages.at(-1)?.role === 'user' ? callsResponse(['wait', { ms: 60_000 }]) : textResponse('done');
        },
        limits: { turnMs: 0 },
      });
      const turn = await harness.say('words');
      await harness.clock.advance(50);
      await harness.cancel({ target: target === 'its id' ? turn : target });
      await harness.clock.advance(70_000);
      const agent = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent')?.turn ?? '';
      expect(harness.endOf(agent)).toMatchObject({ outcome, at });
      expect(harness.endOf(turn)?.outcome).toBe('completed');
      expect(await harness.session.nodes()).toEqual([]);
    },
  );

  test('keeps the timeouts of its calls and questions while a CANCEL is pending: they are the cause [cancel.shield] [tool.timeout]', async () => {
    const asks = toolOf('asks', async (_, { requestApproval }) =>
      String(await requestApproval({ text: 'Sure?', expiresMs: 500 })),
    );
    const harness = await startHarness({
      session: guarded(5_000),
      tools: [asks],
      respond: callsOnce(['wait', { ms: 60_000 }], ['asks']),
      toolTimeouts: { wait: 500 },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    const [wait, question] = [harness.callNamed('wait'), harness.callNamed('asks')];
    expect(harness.outcomes()).toEqual({ [wait]: 'timed_out', [question]: 'timed_out' });
    expect(harness.recorder.of('approval_closed')).toMatchObject([{ answer: 'expired' }]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
    const receipts = harness.settledReceipts().map(({ cause, nodes }) => [cause.source, nodes.length]);
    expect(receipts).toEqual(
      expect.arrayContaining([
        ['client', 3],
        ['deadline', 1],
        ['deadline', 1],
      ]),
    );
  });

  test('keeps the timeouts of its calls [cancel.shield] [tool.timeout]', async () => {
    const harness = await startHarness({
      session: guarded(0),
      respond: callsOnce(['wait', { ms: 60_000 }]),
      toolTimeouts: { wait: 500 },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(2_000);
    expect(harness.outcomes()).toEqual({ [harness.callNamed('wait')]: 'timed_out' });
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });
});

test('an emergency with `force` opens the region of a call [cancel.shield]', async () => {
  const commit = toolOf(
    'commit',
    async (_, { shield, clock, signal }) => {
      await shield(() => new Promise<void>((done) => void clock.after(900, done)));
      return { kind: signal.aborted ? 'stopped' : 'completed', output: '' };
    },
    { cancel: 'shielded', shieldMaxMs: 1_000 },
  );
  const harness = await startHarness({ tools: [commit], respond: callsOnce(['commit']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn, force: true }, callerOf('guard', ['emergency']));
  expect(harness.recorder.of('cancel_accepted')).toMatchObject([{ pending: [] }]);
  await harness.clock.advance(300);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('commit')]: 'abandoned' });
});

test('an emergency with `force` stops a call that was pending in its region: its signal fires, and then its budget starts [cancel.shield] [cancel.bounded]', async () => {
  const obedient = toolOf(
    'obedient',
    async (_, { shield, clock, signal }) => {
      await shield(() =>
        Promise.race([
          new Promise<void>((done) => void clock.after(900, done)),
          new Promise<void>((done) => signal.addEventListener('abort', () => done())),
        ]),
      );
      return { kind: signal.aborted ? 'stopped' : 'completed', output: '' };
    },
    { cancel: 'shielded', shieldMaxMs: 1_000 },
  );
  const harness = await startHarness({ tools: [obedient], respond: callsOnce(['obedient']) });
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn });
  await harness.clock.advance(50);
  await harness.cancel({ target: turn, force: true }, callerOf('guard', ['emergency']));
  await harness.clock.advance(10);
  expect(harness.outcomes()).toEqual({ [harness.callNamed('obedient')]: 'cancelled' });
});
