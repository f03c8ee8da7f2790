// Consumes the deferred inputs of a turn: they are read into the request that is about to be built.

import type { RecordedFact } from '../../../machines/facts.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Services } from './services.ts';

/** Writes the fate of the inputs that wait at the turn. `index`: the number of the model call that reads them. Called in the tick in which the transcript is rendered. */
export function consumeInputs(
  turn: NodeId,
  index: number,
  { tree, journal, inbox }: Pick<Services, 'tree' | 'journal' | 'inbox'>,
): void {
  const waiting = tree
    .entries()
    .filter(({ kind, parent, isRunning }) => kind === 'input' && parent === turn && isRunning);
  for (const { id: input, owner } of waiting) {
    void journal.append([{ type: 'input_settled', input, turn, owner, fate: 'consumed', index }]);
    tree.remove(input);
    inbox.deliver({ type: 'INPUT_CONSUMED', input });
  }
}

/** Returns the speaker of the last input that the turn has consumed; null: it has consumed none. The calls of its rounds belong to that speaker from then on. */
export function lastConsumedOwner(facts: readonly RecordedFact[], turn: NodeId): SpeakerId | null {
  const last = facts.findLast(
    (fact) => fact.type === 'input_settled' && fact.fate === 'consumed' && fact.turn === turn,
  );
  return last?.type === 'input_settled' ? last.owner : null;
}
