// Reads the calls of a response: a call that cannot run gets a result at once, which names the field and the limit.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { callsOnce, callsResponse, startHarness, textResponse } from '../../support/harness.ts';

const strict = defineTool({
  name: 'strict',
  description: 'wants a number',
  input: z.object({ count: z.number().max(10) }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: async ({ count }) => `counted ${count}`,
});

describe('a call that cannot run', () => {
  test.each([
    {
      name: 'an unknown tool',
      call: { name: 'nonsense', arguments: '{}' },
      code: 'unknown_tool',
      says: 'nonsense',
    },
    {
      name: 'arguments that are not JSON',
      call: { name: 'strict', arguments: '{"count": 1' },
      code: 'bad_arguments',
      says: 'JSON',
    },
    {
      name: 'a field over its limit',
      call: { name: 'strict', arguments: '{"count": 11}' },
      code: 'bad_arguments',
      says: 'count: ',
    },
    {
      name: 'an agent in a session without agents',
      call: { name: 'spawn_agent', arguments: '{"task":"x"}' },
      code: 'unknown_tool',
      says: 'spawn_agent',
    },
  ])(
    '$name: it fails, not started, and the turn goes on [history.effect] [history.paired]',
    async ({ call, code, says: word }) => {
      const harness = await startHarness({
        tools: [strict],
        respond: (_, n) =>
          n === 0
            ? {
                steps: [
                  { call: { callId: 'p', ...call } },
                  { call: { callId: 'q', name: 'strict', arguments: '{"count":2}' } },
                ],
              }
            : textResponse('ok'),
      });
      const turn = await harness.say('words');
      await harness.clock.advance(1_000);
      const [bad, good] = harness.recorder.of('tool_result');
      expect(bad).toMatchObject({ outcome: 'failed', effect: 'not_started', code });
      expect(bad?.message).toContain(word);
      expect(good).toMatchObject({ outcome: 'completed', output: 'counted 2', effect: 'none' });
      expect(harness.recorder.of('tool_started')).toHaveLength(1);
      expect(harness.endOf(turn)?.outcome).toBe('completed');
    },
  );

  test('calls over the limit of one response fail, and at most as many failed ones as the limit are kept [tool.parallel]', async () => {
    const flood = Array.from({ length: 20 }, (_, i): [string, object] => ['note', { i }]);
    const harness = await startHarness({ respond: callsOnce(...flood), limits: { fanOut: 4 } });
    await harness.say('words');
    await harness.clock.advance(1_000);
    const results = harness.recorder.of('tool_result').map(({ outcome, code }) => code ?? outcome);
    expect(results.toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 'completed'),
      ...Array.from({ length: 4 }, () => 'fan_out_limit'),
    ]);
  });

  test('sub-agents nested too deep, and agents of another name [agent.tree]', async () => {
    const harness = await startHarness({
      agents: { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } },
      limits: { depth: 2 },
      respond: (_, n) =>
        n === 0
          ? callsResponse(['spawn_agent', { task: 'x', agent: 'nobody' }], ['spawn_agent', { task: 'one' }])
          : n < 3
            ? callsResponse(['spawn_agent', { task: 'deeper' }])
            : textResponse('ok'),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    const failed = harness.recorder.of('tool_result').filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ code }) => code)).toEqual(['bad_arguments', 'depth_limit']);
    expect(failed[0]?.message).toContain('helper');
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('a turn that makes calls in every round ends at the limit of rounds', async () => {
    const harness = await startHarness({ respond: () => callsResponse(['note']), limits: { roundsPerTurn: 3 } });
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    expect(harness.provider.requests).toHaveLength(3);
    expect(harness.endOf(turn)).toMatchObject({ outcome: 'failed', code: 'round_limit' });
  });
});
