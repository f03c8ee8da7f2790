// Own workers: the charts `turn` and `tool-call` in a plain XState program, without runtime, gateway or log.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import { type OutcomeEvent, planOf } from '../../machines/cancel.ts';
import type {
  Call,
  CallWorkInput,
  callChild,
  ModelInput,
  ModelReply,
  PhaseReply,
  PrepareInput,
  PrepareReply,
} from '../../machines/contracts.ts';
import type { Fact } from '../../machines/facts.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { turnMachine } from '../../machines/turn.ts';
import { noUsage } from '../../machines/vocabulary.ts';

// 1. What lies beside the charts: an AbortController for each node, and somewhere to put the facts. No handle is in a context.
const stoppers = new Map<string, AbortController>();
const stopperOf = (node: string): AbortController => {
  const stopper = stoppers.get(node) ?? new AbortController();
  stoppers.set(node, stopper);
  return stopper;
};
const facts: Fact[] = [];
const stopWork = ({ context }: { readonly context: { readonly id: string } }) => stopperOf(context.id).abort();

// 2. The worker of a call. It obeys its node's signal, takes the time that it needs, and resolves with how it ended. It never rejects.
async function build({ call }: CallWorkInput, signal: AbortSignal): Promise<PhaseReply> {
  try {
    await sleep(Number(call.arguments), null, { signal });
    return { kind: 'completed', effect: 'done', output: `${call.id} is built` };
  } catch {
    await sleep(20); // cleans up
    return { kind: 'cancelled', effect: 'unknown', output: `${call.id} is half built` };
  }
}
const toolCall = toolCallMachine.provide({
  actors: {
    work: fromPromise<PhaseReply, CallWorkInput>(({ input }) => build(input, stopperOf(input.id).signal)),
  },
  actions: { stopWork },
});

// 3. The worker of a model call: three calls in the first round, of two speakers, and text in the next.
const callOf = (id: string, owner: string, ms: number): Call => {
  return { id, owner, kind: 'tool-call', callId: id, name: 'build', arguments: String(ms), index: 0, needs: [] };
};
const model = fromPromise<ModelReply, ModelInput>(async ({ input: { index } }) => {
  const calls = [callOf('call_1', 'ann', 10), callOf('call_2', 'ann', 60_000), callOf('call_3', 'ben', 300)];
  return { kind: 'go', text: index === 0 ? '' : 'All is built.', calls: index === 0 ? calls : [], usage: noUsage };
});

// 4. The turn. What is below it is hidden by a contract: its input and its OUTCOME.
const turn = turnMachine.provide({
  actors: {
    prepare: fromPromise<PrepareReply, PrepareInput>(async () => ({ kind: 'go' })),
    model,
    append: fromPromise<void, readonly Fact[]>(async ({ input }) => void facts.push(...input)),
    tool: toolCall as unknown as typeof callChild,
  },
  actions: { stopWork, appendFacts: (_, written) => void facts.push(...written) },
});

// 5. A parent receives the OUTCOME. The turn is an actor, which waits until it is admitted.
const outcomes: OutcomeEvent[] = [];
const parent = createActor(
  fromCallback<OutcomeEvent>(({ receive }) => receive((event) => void outcomes.push(event))),
).start();
const actor = createActor(turn, {
  input: { id: 'turn_1', owner: 'ann', parentId: null, parent, depth: 0, text: 'build it', agent: null },
});
actor.start();
actor.send({ type: 'ADMIT' });
const isWritten = (node: string) => facts.some((fact) => fact.type === 'tool_result' && fact.node === node);
await waitFor(actor, () => isWritten('call_1'));
assert.deepEqual(actor.getSnapshot().value, { acting: 'active' });

// 6. Ann cancels. A CANCEL carries a plan: one verdict for each live node, here by the rules of Belay. Ben's call is not hers.
const command = { cancel: 'cancel_1', ref: null, source: 'client', reason: 'changed my mind', force: false } as const;
const plan = planOf(
  { ...command, by: { id: 'ann', roles: ['member'] }, target: 'turn_1' },
  {
    nodes: [
      { id: 'turn_1', kind: 'turn', owner: 'ann' } as const,
      { id: 'call_2', kind: 'tool-call', owner: 'ann' } as const,
      { id: 'call_3', kind: 'tool-call', owner: 'ben' } as const,
    ].map((node) => ({ ...node, addressee: null, cut: null, shield: null })),
    detached: [],
    running: [],
  },
  { source: 'client', participants: 2 },
  'owner',
);
assert.deepEqual([...plan.stop.keys()], ['turn_1', 'call_2']);
assert.deepEqual(plan.refused, [{ node: 'call_3', reason: 'not_owner' }]);
actor.send({ type: 'CANCEL', plan });
assert.deepEqual(actor.getSnapshot().value, { acting: 'interrupted' }, 'it waits for the call that it stops');
assert.equal(stopperOf('call_2').signal.aborted, true);

// 7. The outcome comes up when Ann's call has ended and the closing has been written.
await waitFor(actor, (state) => state.hasTag('settled'));
assert.deepEqual(
  outcomes.map(({ node, outcome }) => [node, outcome.kind]),
  [['turn_1', 'cancelled']],
);
const resultOf = (node: string) => facts.find((fact) => fact.type === 'tool_result' && fact.node === node);
assert.partialDeepStrictEqual(resultOf('call_1'), { outcome: 'completed', output: 'call_1 is built' });
assert.partialDeepStrictEqual(resultOf('call_2'), { outcome: 'cancelled', output: 'call_2 is half built' });
assert.partialDeepStrictEqual(resultOf('call_3'), { outcome: 'continues' });
assert.partialDeepStrictEqual(facts.at(-1), { type: 'turn_ended', outcome: 'cancelled' });

// 8. Settled is not gone: the turn is the caretaker of Ben's call, which ends as it likes. Its result is evidence.
await waitFor(actor, (state) => state.status === 'done');
assert.equal(actor.getSnapshot().value, 'gone');
assert.partialDeepStrictEqual(facts.at(-1), { type: 'late_result', node: 'call_3', outcome: 'completed' });
assert.equal(facts.filter((fact) => fact.type === 'tool_result').length, 3, 'one result for each call');

parent.stop();
for (const fact of facts) console.log(fact.type, 'outcome' in fact ? fact.outcome : '');
