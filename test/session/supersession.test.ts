// Supersession: a newer call takes the place of an earlier one, where its speaker may stop that.
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../src/tools/tool.ts';
import { createWorld, hear, memberOf, once, toolOf } from '../support/world.ts';

const bob = memberOf('bob');
describe('supersession', () => {
  const only = (world: Partial<Parameters<typeof createWorld>[0]> = {}) => {
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
    return createWorld({ tools: [look], session: () => ({ policy: 'owner' as const }), ...world });
  };

  test('a newer call of the same owner takes the place of the earlier one, and begins when that has settled [tool.supersede] [cancel.sources]', async () => {
    const world = await only({ respond: once(['look', { ms: 900 }], ['look', { ms: 100 }]) });
    const turn = await world.say('words');
    await world.clock.advance(3_000);
    expect(world.heard.of('tool_result').map(({ node, outcome }) => [node, outcome])).toEqual([
      [world.call('look', 0), 'superseded'],
      [world.call('look', 1), 'completed'],
    ]);
    const place = (type: string, node: string) =>
      world.index((fact) => fact.type === type && 'node' in fact && fact.node === node);
    expect(place('tool_result', world.call('look', 0))).toBeLessThan(place('tool_started', world.call('look', 1)));
    expect(world.end(turn)?.outcome).toBe('completed');
  });

  test("another's is denied [tool.supersede]", async () => {
    const world = await only({
      respond: once(['look', { ms: 900, of: 'bob' }], ['look', { ms: 100 }]),
      ownerOfCall: (call) => (call.arguments.includes('bob') ? 'bob' : call.turnOwner),
    });
    await world.session.join(bob, hear().listener, null);
    await world.say('words');
    await world.clock.advance(3_000);
    expect(world.results()).toEqual({ [world.call('look', 0)]: 'completed', [world.call('look', 1)]: 'denied' });
  });

  test('the keys of two tools are two, whatever they are called [tool.supersede]', async () => {
    const waiting = (name: string): Tool => ({
      ...toolOf(name, (_, { clock }) => new Promise((resolve) => void clock.after(500, () => resolve('seen')))),
      supersedes: () => 'page',
    });
    const world = await createWorld({ tools: [waiting('a'), waiting('b')], respond: once(['a'], ['b']) });
    await world.say('words');
    await world.clock.advance(3_000);
    expect(world.results()).toEqual({ [world.call('a')]: 'completed', [world.call('b')]: 'completed' });
  });
});
