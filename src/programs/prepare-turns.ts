// Loads what the first session and its first turn need as soon as a gateway listens and is idle: no SAY waits for it.
import { aiSdkApiOf } from './model-provider.ts';
import type { Config } from './settings.ts';

/** Resolves when the phrases that stop, and those that go on if they count, are compiled, and sessions and the client of the model's endpoint are loaded. */
export async function prepareTurns(config: Pick<Config, 'stopPhrases' | 'resumePhrases' | 'model'>): Promise<void> {
  const { stopPhrases, resumePhrases, model } = config;
  const { preparePhrases } = await import('../core/session/said-content.ts');
  const { stopPhraseReader } = await import('../core/intent/cancel-intent.ts');
  await preparePhrases(stopPhraseReader, stopPhrases);
  if (resumePhrases !== 'off') {
    const { resumePhraseReader } = await import('../core/intent/resume-intent.ts');
    await preparePhrases(resumePhraseReader, stopPhrases);
  }
  const { loadSessionModules } = await import('../core/runtime/load-sessions.ts');
  await loadSessionModules();
  if (aiSdkApiOf(model) === null) await import('../adapters/models/endpoint-client.ts');
}
