// Interceptors: they allow, change, answer or deny a call, and a CANCEL meanwhile wins over their verdict.
import { describe, expect, test } from 'vitest';
import type { InterceptorVerdict } from '../../../src/core/workers/extensions.ts';
import { callsOnce, startHarness } from '../../support/harness.ts';

describe('an interceptor', () => {
  const screened = (verdict: InterceptorVerdict | undefined, waitMs = 20) => {
    const seen: unknown[] = [];
    const ended: string[] = [];
    const harness = startHarness({
      interceptors: [
        {
          async beforeTool(call) {
            seen.push(call.arguments);
            await new Promise<void>((done) => void timer(waitMs, done));
            return verdict;
          },
          afterTool: ({ name, outcome }) => ended.push(`${name} ${outcome}`),
        },
      ],
      respond: callsOnce(['wait', { ms: 50 }]),
    });
    let timer: (ms: number, fn: () => void) => void = () => {};
    return harness.then((it) => {
      timer = it.clock.after;
      return { harness: it, seen, ended };
    });
  };

  test.each([
    { name: 'allows', verdict: { do: 'allow' }, outcome: 'completed', effect: 'done', ran: 1 },
    { name: 'returns no verdict', verdict: undefined, outcome: 'completed', effect: 'done', ran: 1 },
    {
      name: 'answers',
      verdict: { do: 'answer', output: 'from a cache' },
      outcome: 'completed',
      effect: 'none',
      ran: 0,
    },
    { name: 'denies', verdict: { do: 'deny', reason: 'not today' }, outcome: 'denied', effect: 'not_started', ran: 0 },
  ] as const)(
    'that $name is called once: $outcome, $effect [tool.before]',
    async ({ verdict, outcome, effect, ran }) => {
      const { harness, seen, ended } = await screened(verdict);
      const turn = await harness.say('words');
      await harness.clock.advance(2_000);
      expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome, effect }]);
      expect(harness.entered).toHaveLength(ran);
      expect(seen).toEqual([{ ms: 50 }]);
      expect(ended).toEqual([`wait ${outcome}`]);
      expect(harness.endOf(turn)?.outcome).toBe('completed');
    },
  );

  test('changes the arguments of a call; the model still reads the arguments that it sent [tool.before]', async () => {
    const { harness } = await screened({ do: 'change', arguments: { ms: 400 } });
    await harness.say('words');
    await harness.clock.advance(300);
    expect(harness.recorder.of('tool_changed')).toMatchObject([{ arguments: '{"ms":400}' }]);
    expect(harness.recorder.of('tool_result')).toEqual([]);
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', ms: 400 }]);
    const call = harness.provider.requests.at(-1)?.messages.find((message) => message.role === 'assistant');
    expect(call).toMatchObject({ calls: [{ arguments: '{"ms":50}' }] });
  });

  test.each(['allow', 'deny'] as const)(
    'a CANCEL meanwhile wins over its %s [tool.before] [ladder.call.screening]',
    async (verdict) => {
      const { harness } = await screened(verdict === 'allow' ? { do: 'allow' } : { do: 'deny', reason: 'no' }, 300);
      const turn = await harness.say('words');
      await harness.clock.advance(50);
      await harness.cancel({ target: turn });
      await harness.clock.advance(2_000);
      expect(harness.entered).toEqual([]);
      expect(harness.recorder.of('tool_started')).toEqual([]);
      expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    },
  );

  test.each([
    { name: 'that the model requested', isDetached: true, verdict: { do: 'allow' } },
    {
      name: 'that an interceptor made of an attached one',
      isDetached: false,
      verdict: { do: 'change', arguments: { task: 'x', detached: true } },
    },
  ] as const)('gets a detached agent $name [tool.before] [agent.tree]', async ({ isDetached, verdict }) => {
    const seen: string[] = [];
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      interceptors: [
        {
          async beforeTool({ name }) {
            seen.push(name);
            return verdict;
          },
        },
      ],
      respond: callsOnce(['spawn_agent', { task: 'x', ...(isDetached && { detached: true }) }]),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(2_000);
    expect(seen).toEqual(['spawn_agent']);
    const opened = harness.recorder.of('turn_opened').find(({ kind }) => kind === 'agent');
    expect(opened).toMatchObject({ from: turn, text: 'x', agent: 'helper' });
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'completed', effect: 'done' }]);
    expect(harness.recorder.of('tool_result')[0]?.output).toContain(opened?.turn);
    for (const { turn: each } of harness.recorder.of('turn_opened'))
      expect(harness.endOf(each)?.outcome).toBe('completed');
  });

  test('denies a detached agent: no turn of it is opened [tool.before] [agent.tree]', async () => {
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      interceptors: [{ beforeTool: async () => ({ do: 'deny', reason: 'no' }) }],
      respond: callsOnce(['spawn_agent', { task: 'x', detached: true }]),
    });
    await harness.say('words');
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('turn_opened')).toHaveLength(1);
    expect(harness.recorder.of('tool_result')).toMatchObject([{ outcome: 'denied', effect: 'not_started' }]);
  });

  test('that never returns: its call is abandoned, not started [ladder.call.screening] [cancel.bounded]', async () => {
    const harness = await startHarness({
      interceptors: [{ beforeTool: () => new Promise(() => {}) }],
      respond: callsOnce(['wait']),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(harness.settledReceipts()[0]?.nodes[1]).toMatchObject({ outcome: 'abandoned', effect: 'not_started' });
  });

  test('that throws fails the call, not the turn [tool.before]', async () => {
    const harness = await startHarness({
      interceptors: [{ beforeTool: () => Promise.reject(new Error('broken')) }],
      respond: callsOnce(['wait']),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(2_000);
    expect(harness.recorder.of('tool_result')).toMatchObject([
      { outcome: 'failed', effect: 'not_started', message: 'broken' },
    ]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });
});

describe('an interceptor of a delegation', () => {
  const delegated = (verdict: () => Promise<InterceptorVerdict>) =>
    startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      interceptors: [
        { beforeTool: ({ name }) => (name === 'spawn_agent' ? verdict() : Promise.resolve({ do: 'allow' as const })) },
      ],
      respond: callsOnce(['spawn_agent', { task: 'look around' }]),
    });

  test('may deny it, and may change its task [tool.before] [agent.tree]', async () => {
    const denied = await delegated(async () => ({ do: 'deny', reason: 'no agents today' }));
    const turn = await denied.say('words');
    await denied.clock.advance(1_000);
    expect(denied.recorder.of('tool_result')).toMatchObject([
      { outcome: 'denied', effect: 'not_started', message: 'no agents today' },
    ]);
    expect(denied.recorder.of('turn_started')).toHaveLength(1);
    expect(denied.endOf(turn)?.outcome).toBe('completed');
    const changed = await delegated(async () => ({ do: 'change', arguments: { task: 'look elsewhere' } }));
    await changed.say('words');
    await changed.clock.advance(1_000);
    expect(changed.recorder.of('turn_started').at(-1)).toMatchObject({ text: 'look elsewhere' });
    expect(await changed.session.nodes()).toEqual([]);
  });

  test('a CANCEL meanwhile wins over its allow, and a delegation whose interceptor never returns is abandoned [ladder.call.screening] [cancel.bounded]', async () => {
    const harness = await delegated(() => new Promise(() => {}));
    const turn = await harness.say('words');
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(2_000);
    expect(harness.settledReceipts()[0]?.nodes).toMatchObject([
      { outcome: 'cancelled' },
      { kind: 'sub-agent', outcome: 'abandoned', effect: 'not_started' },
    ]);
    expect(harness.recorder.of('turn_started')).toHaveLength(1);
  });
});
