// Facts of one day that say what its speakers have used.
import type { ModelEnded, RecordedFact } from '../../machines/facts.ts';

/** A time of that day: noon, in milliseconds since 1970. */
export const noon = 20_000 * 86_400_000 + 43_200_000;

/** Returns the end of a model call of this speaker, which has used 1 000 tokens. */
export const modelEndOf = (owner: string, at: number): ModelEnded & Pick<RecordedFact, 'at'> => ({
  type: 'model_ended',
  turn: 't',
  index: 0,
  outcome: 'completed',
  text: '',
  cutOff: false,
  owner,
  at,
  usage: { kind: 'exact', input: 900, output: 100 },
});
