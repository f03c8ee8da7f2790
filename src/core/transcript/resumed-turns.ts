// Finds interrupted turns in the log, and the turns that a resumed one takes up again.
import type { RecordedFact } from '../../../machines/facts.ts';
import type { TurnOptions } from '../../../machines/model-options.ts';
import type { ResumedTurn } from '../../../machines/resume.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { type CallOutline, callsOf, type Outline, type TurnOutline } from './outline.ts';

/** A turn that a RESUME names, with what its SAY has asked of the model. */
export interface FoundTurn extends ResumedTurn {
  readonly options: TurnOptions | undefined;
}

/** Returns a turn that a SAY or RESUME has opened; null if the facts have none of this id. */
export function findResumedTurn(facts: readonly RecordedFact[], id: NodeId): FoundTurn | null {
  const found: { -readonly [K in keyof FoundTurn]: FoundTurn[K] }[] = [];
  for (const fact of facts) {
    if (fact.type === 'turn_opened' && fact.kind === 'say' && fact.turn === id)
      found.push({ id, owner: fact.owner, options: fact.options, outcome: null, resumedBy: null });
    const [turn] = found;
    if (turn && fact.type === 'turn_ended' && fact.turn === id) turn.outcome ??= fact.outcome;
    if (turn && fact.type === 'turn_opened' && fact.resumes === id) turn.resumedBy ??= fact.turn;
  }
  return found[0] ?? null;
}

/** Returns the turns that a turn takes up, the last one first: the one that it resumes, the one that that one resumes, and so on, as far as the outline has them. */
export function resumedTurns({ turns }: Pick<Outline, 'turns'>, turn: TurnOutline): readonly TurnOutline[] {
  const chain: TurnOutline[] = [];
  for (let at: TurnOutline | undefined = turn; at; ) {
    const before: TurnOutline | undefined = turns.get(at.opened?.resumes ?? '');
    if (!before || before === turn || chain.includes(before)) return chain;
    chain.push(before);
    at = before;
  }
  return chain;
}

/** Returns the calls of a turn and of the sub-agents below it, each before those of its own turn. */
export const callsBelow = (turn: TurnOutline): readonly CallOutline[] =>
  callsOf(turn).flatMap((call) => [call, ...(call.child ? callsBelow(call.child) : [])]);
