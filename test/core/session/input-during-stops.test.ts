// New words during a stop: whatever phase the stopped turn is in, they are accepted in the same tick, and their turn begins after the stop has settled.
import { expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import { callsResponse, later, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';

const hanging: Script = { steps: [{ text: 'I am' }, { hang: true }] };
const asking = toolOf('asking', async (_, { ask }) => {
  await ask({ text: 'Which one?' });
  return 'asked';
});
const risky = { ...toolOf('risky', async () => 'done'), approval: () => ({ text: 'May I?' }) };
const respondOnce =
  (first: Script) =>
  ({ messages }: ModelRequest, n: number): Script => {
    if (messages.at(-1)?.content === 'help') return hanging;
    return n === 0 ? first : textResponse('done');
  };

test.each<{ readonly phase: string; readonly first: Script; readonly held?: string }>([
  { phase: 'its model call streams', first: hanging },
  { phase: 'its model call ignores the signal', first: { ...hanging, ignoresSignal: true } },
  { phase: 'its calls are being written', first: later(callsResponse(['wait'])), held: 'tool_call' },
  { phase: 'a call runs and unwinds', first: callsResponse(['wait', { unwind: 700 }]) },
  { phase: 'a call ignores its signal', first: callsResponse(['ignores_signal', { ms: 60_000 }]) },
  { phase: 'a call waits for a key', first: callsResponse(['keyed', { ms: 60_000 }], ['keyed']) },
  { phase: 'a question is open', first: callsResponse(['asking']) },
  { phase: 'an approval is open', first: callsResponse(['risky']) },
  { phase: 'a sub-agent works', first: callsResponse(['spawn_agent', { task: 'help' }]) },
  { phase: 'its acceptance is being written', first: callsResponse(['wait']), held: 'cancel_accepted' },
  { phase: 'its closing is being written', first: callsResponse(['wait']), held: 'turn_ended' },
  { phase: 'its receipt is being written', first: callsResponse(['wait']), held: 'cancel_settled' },
])('of a turn while $phase [recover.ready]', async ({ first, held }) => {
  const hold = holdAppend((types) => held !== undefined && types.includes(held));
  const h = await startHarness({
    log: hold.wrap(createMemoryLog()),
    tools: [asking, risky],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: respondOnce(first),
  });
  const turn = await h.say('first');
  await h.clock.advance(50);
  void h.session.cancel(h.alice, { target: turn });
  await h.clock.advance(300);
  if (held !== undefined) await hold.reached;
  const replies: unknown[] = [];
  const reply = h.session.say(h.alice, { text: 'second' });
  void reply.then((one) => replies.push(one));
  await h.clock.advance(0);
  expect(replies).toHaveLength(held === undefined ? 1 : 0); // a commit that waits is before its own
  hold.release();
  await h.clock.advance(5_000);
  const second = await reply;
  expect(second).toMatchObject({ type: 'turn_opened' });
  const id = 'turn' in second ? second.turn : '';
  const settledAt = h.index(({ type }) => type === 'cancel_settled');
  expect(settledAt).toBeGreaterThan(-1);
  expect(h.index((fact) => fact.type === 'turn_started' && fact.turn === id)).toBeGreaterThan(settledAt);
  expect(h.endOf(id)).toMatchObject({ outcome: 'completed' });
});
