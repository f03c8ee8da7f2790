// The reason that a tool finds at its signal: one error for all calls of a CANCEL, with the fields of the cause.
import { expect, test } from 'vitest';
import { CancelError } from '../../../src/core/contracts/cancel-error.ts';
import { callsOnce, startHarness, toolOf } from '../../support/harness.ts';

test('all calls that a CANCEL stops get the same error, which has the fields of the cause [tool.signal] [cancel.sources]', async () => {
  const reasons: unknown[] = [];
  const caught = toolOf('caught', async (_, { signal, clock }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await new Promise<void>((resolve) => clock.after(5, resolve));
    try {
      signal.throwIfAborted();
    } catch (error) {
      reasons.push(error);
    }
    return { kind: 'stopped', output: '' };
  });
  const harness = await startHarness({ tools: [caught], respond: callsOnce(['caught'], ['caught', { n: 2 }]) });
  const turn = await harness.say('go');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn, reason: 'changed my mind' });
  await harness.clock.advance(50);
  const [reason] = reasons;
  expect(reasons).toEqual([reason, reason]);
  expect(reasons[1]).toBe(reason);
  expect(reason).toBeInstanceOf(CancelError);
  expect(reason).toMatchObject({
    name: 'AbortError',
    message: 'changed my mind',
    source: 'client',
    by: 'alice',
    reason: 'changed my mind',
    target: turn,
  });
});

test('a tool that looks at `kill` and `skipGrace` only after a CANCEL with `force` finds that both have fired [tool.signal]', async () => {
  const found: boolean[] = [];
  const late = {
    ...toolOf('late', async (_, context) => {
      await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
      await new Promise<void>((resolve) => context.clock.after(5, resolve));
      found.push(context.kill.aborted, context.skipGrace.aborted);
      return { kind: 'stopped', output: '' };
    }),
    cancel: 'killable' as const,
  };
  const harness = await startHarness({ tools: [late], respond: callsOnce(['late']) });
  const turn = await harness.say('go');
  await harness.clock.advance(50);
  await harness.cancel({ target: turn, force: true });
  await harness.clock.advance(50);
  expect(found).toEqual([true, true]);
});
