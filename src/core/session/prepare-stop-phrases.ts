// Compiles the grammars of stop phrases before the first words need them, so that no command waits for it.
import { stopGrammars } from '../intent/cancel-intent.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';

const nextTurnOfLoop = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Compiles one language in each turn of the event loop. Resolves when all are ready; those that are cost nothing. */
export async function prepareStopPhrases(options: StopPhraseOptions | undefined): Promise<void> {
  for (const _ of stopGrammars(options)) await nextTurnOfLoop();
}
