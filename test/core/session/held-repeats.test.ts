// A turn that was resumed repeats no unknown effect silently: the same call is held for a yes.
import { describe, expect, test } from 'vitest';
import type { ToolContext, ToolEnd } from '../../../src/core/contracts/tool.ts';
import { bobCaller, type CallSpec, startHarness, toolOf } from '../../support/harness.ts';
import { interrupted, resume, rounds, turnIn } from './interrupted-turn.ts';

/** The work of a tool that ends when it is stopped. */
const untilStopped = (_: unknown, { signal }: ToolContext) =>
  new Promise<ToolEnd>((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' })));

describe('a call whose effect is not known', () => {
  test('is held for a yes when the turn that was resumed repeats it, whatever the order of its arguments [recover.resume]', async () => {
    const { harness, turn } = await interrupted();
    const before = harness.callNamed('wait');
    const resumed = turnIn(await resume(harness, turn));
    await harness.clock.advance(1_000);
    const [asked] = harness.recorder.of('approval_requested');
    expect(asked).toMatchObject({ turn: resumed, node: harness.callNamed('wait', 1), to: 'alice' });
    expect(asked?.text).toContain(`The same call was interrupted (${before}) and may have had effects`);
    expect(harness.entered).toEqual([before]);
    const answer = { target: asked?.node ?? '', answer: 'approved' } as const;
    await harness.session.answer(harness.alice, answer);
    await harness.clock.advance(2_000);
    expect(harness.entered).toEqual([before, asked?.node]);
    expect(harness.endOf(resumed)?.outcome).toBe('completed');
  });

  test('does not run after a no, and the turn goes on [recover.resume]', async () => {
    const { harness, turn } = await interrupted();
    const resumed = turnIn(await resume(harness, turn));
    await harness.clock.advance(100);
    await harness.session.answer(harness.alice, { target: harness.callNamed('wait', 1), answer: 'denied' });
    await harness.clock.advance(1_000);
    expect(harness.outcomes()[harness.callNamed('wait', 1)]).toBe('denied');
    expect(harness.entered).toHaveLength(1);
    expect(harness.endOf(resumed)?.outcome).toBe('completed');
  });

  test('is held in the agents below the turn as well, and after a turn that was resumed was interrupted in its turn [recover.resume]', async () => {
    const agents = { helper: { description: 'helps', instructions: 'Help.' } };
    const spawn: CallSpec = ['spawn_agent', { task: 'help' }];
    const respond = rounds(
      [['wait', { ms: 900 }]],
      [['note']],
      [['keyed', { ms: 5_000 }]],
      [spawn],
      [['wait', { ms: 900 }]],
    );
    const { harness, turn } = await interrupted({ agents, respond });
    const second = turnIn(await resume(harness, turn));
    await harness.clock.advance(100);
    await harness.cancel({ target: second });
    await harness.clock.advance(100);
    await resume(harness, second);
    await harness.clock.advance(200);
    expect(harness.recorder.of('approval_requested').map(({ node }) => node)).toEqual([harness.callNamed('wait', 1)]);
    const prompt = harness.provider.requests[3]?.messages.at(-1)?.content ?? '';
    expect(prompt).toContain(`The turn ${turn}, in which alice said "deploy it".`);
    expect(prompt).toContain(`The turn ${second} of alice. Completed: note`);
  });

  test('is not held in an ordinary turn, nor when it has run to its end since, nor if its tool only reads [recover.resume]', async () => {
    const reads = toolOf('reads', untilStopped, { effect: 'none' });
    const respond = rounds(
      [['reads'], ['wait', { ms: 900 }]],
      [['wait', { ms: 900 }]],
      [],
      [['reads'], ['wait', { ms: 900 }]],
      [['wait', { ms: 900 }]],
    );
    const { harness, turn } = await interrupted({ tools: [reads], respond });
    await harness.say('and the others');
    await harness.clock.advance(1_000);
    expect(harness.recorder.of('approval_requested')).toEqual([]);
    await resume(harness, turn);
    await harness.clock.advance(100);
    const [asked] = harness.recorder.of('approval_requested');
    expect(harness.recorder.of('approval_requested')).toHaveLength(1);
    await harness.session.answer(harness.alice, { target: asked?.node ?? '', answer: 'approved' });
    await harness.cancel({ target: harness.callNamed('reads', 1) });
    await harness.clock.advance(5_000);
    expect(harness.recorder.of('approval_requested')).toHaveLength(1);
    expect(harness.entered).toHaveLength(4);
  });

  test('that an interceptor changes stays held, and asks once with the own question of its tool [recover.resume]', async () => {
    const beforeTool = async () => ({ do: 'change', arguments: { ms: 900, changed: true } }) as const;
    const risky = {
      ...toolOf('risky', untilStopped),
      approval: () => ({ text: 'May I?', to: 'bob' }),
    };
    const respond = rounds([['risky', { ms: 900 }]], [['risky', { ms: 900 }]]);
    const harness = await startHarness({ interceptors: [{ beforeTool }], tools: [risky], respond });
    const turn = await harness.say('deploy it');
    await harness.clock.advance(10);
    await harness.session.answer(bobCaller, { target: harness.callNamed('risky'), answer: 'approved' });
    await harness.clock.advance(50);
    await harness.cancel({ target: turn });
    await harness.clock.advance(1_000);
    await resume(harness, turn);
    await harness.clock.advance(100);
    const [, asked, ...more] = harness.recorder.of('approval_requested');
    expect([asked?.to, more.length]).toEqual(['bob', 0]);
    expect(asked?.text).toMatch(/^May I\?\nThe same call was interrupted/);
  });
});
