// The title of a session: the beginning of the first words that were said in it.
import type { SequencedFact } from '../../../machines/facts.ts';
import { truncate } from '../text/bound-text.ts';

const maxTitleChars = 80;

/** Returns the title, as one line; null: no words are known. `facts`: with the first turn among them, in their order. */
export function sessionTitle(facts: readonly SequencedFact[]): string | null {
  for (const { fact } of facts) {
    if (fact.type !== 'turn_opened' || fact.kind !== 'say') continue;
    const words = (fact.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
    const line = (words || fact.text).replace(/\s+/g, ' ').trim();
    if (line !== '') return truncate(line, maxTitleChars);
  }
  return null;
}
