// CANCELs that are readable at the same time: the signals of all come before the ends of the first are worked on, and no end that waits is abandoned.
import { expect, test } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { callerOf, callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';

test('all signals of a storm fire before the first end of a tool is recorded [cancel.bounded]', async () => {
  const order: string[] = [];
  const obeys = toolOf('obeys', async (_, { signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return { kind: 'stopped', output: '' };
  });
  const noted = toolOf('noted', async (input, context) => {
    context.signal.addEventListener('abort', () => order.push('signal'));
    return obeys.run(input, context);
  });
  const harness = await startHarness({
    tools: [noted],
    respond: ({ messages }) =>
      messages.at(-1)?.role === 'user' ? callsResponse(['noted', {}], ['noted', { n: 2 }]) : textResponse('done'),
    observers: [{ fact: (_session, _seq, { type }) => type === 'tool_result' && order.push('end') }],
  });
  const sessions = await Promise.all(['a', 'b', 'c'].map((id) => bindSession(harness.runtime, id)));
  const said = sessions.map((session) => session.say(harness.alice, { text: 'go' }));
  await harness.clock.advance(50);
  expect((await Promise.all(said)).map(({ type }) => type)).toEqual(['turn_opened', 'turn_opened', 'turn_opened']);
  // as sockets that are readable at the same time: promises settle after each
  for (const session of sessions) setImmediate(() => void session.cancel(harness.alice, { target: 'mine' }));
  await harness.clock.advance(50);
  expect(order).toEqual([...new Array(6).fill('signal'), ...new Array(6).fill('end')]);
});

test('an end that waits for the event loop is not abandoned, however long the wait is [cancel.bounded]', async () => {
  const harness = await startHarness({ log: createMemoryLog(), respond: callsOnce(['wait', { unwind: 0 }]) });
  const { clock } = harness;
  const held: (() => void)[] = [];
  clock.afterPoll = (fn) => void held.push(fn);
  const turn: NodeId = await harness.say('go', callerOf('alice'));
  await clock.advance(50);
  await harness.cancel({ target: turn });
  await clock.advance(10_000);
  expect([harness.ended.length, harness.settledReceipts()]).toEqual([1, []]);
  while (held.length > 0) {
    held.shift()?.();
    await clock.advance(1);
  }
  expect(harness.settledReceipts()[0]?.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
});
