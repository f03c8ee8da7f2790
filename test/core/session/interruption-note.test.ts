// The note on a stopped turn in the request after it: what is true of each call, and what it asks of the model.
import { describe, expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import {
  bobCaller,
  callerOf,
  callsResponse,
  type Harness,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';

const reading = toolOf(
  'reading',
  (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }))),
  { effect: 'none' },
);

/** One call for each way in which a stop may find it. The second `keyed` waits for the first. */
const calls = callsResponse(
  ['note'],
  ['wait', { ms: 60_000 }],
  ['reading'],
  ['keyed', { ms: 60_000 }],
  ['keyed', { ms: 1 }],
  ['ignores_signal', { ms: 60_000 }],
);

const respond =
  (next: Script) =>
  ({ messages }: ModelRequest, n: number): Script => {
    if (n === 0) return calls;
    return messages.at(-1)?.role === 'tool' ? textResponse('done') : next;
  };

const promptOf = (h: Harness, n: number) =>
  h.provider.requests[n]?.messages.findLast(({ role }) => role === 'user')?.content ?? '';

/** Starts the turn with its calls, and stops it. */
async function stopped(next: Script = textResponse('Fine.'), log = createMemoryLog()) {
  const h = await startHarness({ log, tools: [reading], respond: respond(next) });
  await h.session.join(bobCaller, { ...h.recorder.listener, fact: () => {}, text: () => {} }, null);
  const turn = await h.say('build it');
  await h.clock.advance(100);
  await h.cancel({ target: turn, reason: 'wrong branch' }, bobCaller);
  return { h, turn };
}

/** The whole note, with the ids of the calls. `ignoring`: the call that did not end in time, still at work or ended since. */
const expectedNote = (h: Harness, ignoring: 'runs' | 'ended' = 'runs') =>
  `[Note by the runtime, not by a speaker: the turn above was stopped by bob ("wrong branch"), before it was finished. ` +
  `Completed: note (${h.callNamed('note')}). ` +
  (ignoring === 'runs'
    ? `Told to stop, and still not ended: ignores_signal (${h.callNamed('ignores_signal')}). `
    : '') +
  `Did not run: keyed (${h.callNamed('keyed', 1)}). ` +
  `Had no effects: reading (${h.callNamed('reading')}). ` +
  `May have had effects: wait (${h.callNamed('wait')}), keyed (${h.callNamed('keyed')})` +
  (ignoring === 'runs'
    ? '. '
    : `, ignores_signal (${h.callNamed('ignores_signal')}). ignores_signal (${h.callNamed('ignores_signal')}) has ended since. `) +
  'Do not take any of it up again unasked: whether to try again, to go another way or to leave it is for the speakers to say.]';

describe('the request after a stop', () => {
  test('says who stopped the turn and why, what completed, what did not run and what may have had effects, and asks for nothing to be repeated [recover.note]', async () => {
    const { h } = await stopped();
    await h.clock.advance(2_000);
    await h.say('and now?');
    await h.clock.advance(100);
    expect(promptOf(h, 1)).toBe(`${expectedNote(h)}\n\nand now?`);
  });

  test('says the same after the host has died, but for the call that has died with it [recover.note] [store.durable]', async () => {
    const log = createMemoryLog();
    const { h } = await stopped(textResponse('Fine.'), log);
    await h.clock.advance(2_000);
    const after = await startHarness({ log, life: 2 });
    await after.say('and now?');
    await after.clock.advance(100);
    expect(promptOf(after, 0)).toBe(`${expectedNote(h, 'ended')}\n\nand now?`);
  });

  test.each([
    { way: 'try again', next: callsResponse(['wait', { ms: 10 }]), ran: 'wait' },
    { way: 'go another way', next: callsResponse(['note']), ran: 'note' },
    { way: 'finish', next: textResponse('Then I leave it.'), ran: null },
  ])('leaves the model the choice to $way [recover.note]', async ({ next, ran }) => {
    const { h } = await stopped(next);
    await h.clock.advance(2_000);
    const again = await h.say('as you like');
    await h.clock.advance(1_000);
    expect(h.endOf(again)).toMatchObject({ outcome: 'completed' });
    const made = h.recorder.of('tool_call').filter(({ turn }) => turn === again);
    expect(made.map(({ name, node }) => [name, h.outcomes()[node]])).toEqual(ran === null ? [] : [[ran, 'completed']]);
  });

  test('is in no request of a turn that had ended by itself [recover.note]', async () => {
    const h = await startHarness();
    await h.say('hello', callerOf('alice'));
    await h.clock.advance(100);
    await h.say('and now?');
    await h.clock.advance(100);
    expect(promptOf(h, 1)).toBe('and now?');
  });
});
