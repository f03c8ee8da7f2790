// The facts that a fork begins with, copied in one go.
import type { RecordedFact } from '../../machines/facts.ts';
import { copyFacts } from '../../src/core/transcript/fork.ts';
import { drawOutline } from '../../src/core/transcript/outline.ts';

export function copyAtOnce(facts: readonly RecordedFact[], fork: string): readonly RecordedFact[] {
  const steps = copyFacts(facts, drawOutline(facts), fork);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
