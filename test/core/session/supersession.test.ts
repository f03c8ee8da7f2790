// Supersession: a newer call stops an earlier one with the same key, where its speaker has standing.
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, startHarness, toolOf } from '../../support/harness.ts';

const bob = callerOf('bob');
describe('supersession', () => {
  const only = (harness: Partial<Parameters<typeof startHarness>[0]> = {}) => {
    const look: Tool = {
      ...toolOf(
        'look',
        (input, { clock, signal }) =>
          new Promise((resolve) => {
            clock.after(Number(input['ms']), () => resolve('seen'));
            signal.addEventListener('abort', () => clock.after(50, () => resolve({ kind: 'stopped', output: '' })));
          }),
      ),
      supersedes: () => 'view',
    };
    return startHarness({ tools: [look], session: () => ({ policy: 'owner' as const }), ...harness });
  };

  test('a newer call of the same owner stops the earlier one, and starts when that has settled: it says for which it waits [tool.supersede] [cancel.sources] [tool.waits]', async () => {
    const harness = await only({ respond: callsOnce(['look', { ms: 900 }], ['look', { ms: 100 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(3_000);
    expect(harness.recorder.of('tool_result').map(({ node, outcome }) => [node, outcome])).toEqual([
      [harness.callNamed('look', 0), 'superseded'],
      [harness.callNamed('look', 1), 'completed'],
    ]);
    const indexOf = (type: string, node: string) =>
      harness.index((fact) => fact.type === type && 'node' in fact && fact.node === node);
    expect(indexOf('tool_result', harness.callNamed('look', 0))).toBeLessThan(
      indexOf('tool_started', harness.callNamed('look', 1)),
    );
    const [earlier, newer] = [harness.callNamed('look', 0), harness.callNamed('look', 1)];
    const waitsFor = { node: earlier, name: 'look', owner: 'alice' };
    expect(harness.recorder.waits).toEqual([{ node: newer, waitsFor, elapsedMs: 0 }]);
    expect(harness.endOf(turn)?.outcome).toBe('completed');
  });

  test('a newer call of another owner is denied [tool.supersede]', async () => {
    const harness = await only({
      respond: callsOnce(['look', { ms: 900, of: 'bob' }], ['look', { ms: 100 }]),
      ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    });
    await harness.session.join(bob, createRecorder().listener, null);
    await harness.say('words');
    await harness.clock.advance(3_000);
    expect(harness.outcomes()).toEqual({
      [harness.callNamed('look', 0)]: 'completed',
      [harness.callNamed('look', 1)]: 'denied',
    });
  });

  test('equal keys of two tools are two keys [tool.supersede]', async () => {
    const waiting = (name: string): Tool => ({
      ...toolOf(name, (_, { clock }) => new Promise((resolve) => void clock.after(500, () => resolve('seen')))),
      supersedes: () => 'page',
    });
    const harness = await startHarness({ tools: [waiting('a'), waiting('b')], respond: callsOnce(['a'], ['b']) });
    await harness.say('words');
    await harness.clock.advance(3_000);
    expect(harness.outcomes()).toEqual({
      [harness.callNamed('a')]: 'completed',
      [harness.callNamed('b')]: 'completed',
    });
  });
});
