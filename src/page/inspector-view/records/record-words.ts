// The words that fields of records may have. They repeat those of machines/, which the page does not load: the compiler compares the two.
import type { NodeRecord, StateRecord } from '../../../wire/inspection.ts';

/** Returns the words of a set. They are the keys of an object, so that the compiler reports a word that is missing. */
const wordsOf = <Word extends string>(words: Readonly<Record<Word, true>>): readonly Word[] =>
  Object.keys(words) as Word[]; // its keys are the words

type Words<Field extends keyof NodeRecord> = Extract<NonNullable<NodeRecord[Field]>, string>;

export const statuses = wordsOf<StateRecord['status']>({ active: true, done: true, error: true, stopped: true });
export const steps = wordsOf<Words<'step'>>({ planned: true, cut: true, aborted: true, settled: true });
export const verdicts = wordsOf<Words<'verdict'>>({ stop: true, pending: true, refused: true, detached: true });
export const recordNodeKinds = wordsOf<Words<'kind'>>({
  turn: true,
  'tool-call': true,
  'sub-agent': true,
  input: true,
  speech: true,
});
export const recordOutcomes = wordsOf<Words<'outcome'>>({
  completed: true,
  cancelled: true,
  timed_out: true,
  superseded: true,
  failed: true,
  denied: true,
  abandoned: true,
  continues: true,
});
export const recordEffects = wordsOf<Words<'effect'>>({ not_started: true, none: true, unknown: true, done: true });
