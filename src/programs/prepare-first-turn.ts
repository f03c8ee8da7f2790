// Loads what the first session and its first turn need as soon as a gateway listens and is idle: no SAY waits for it.
import module from 'node:module';
import { systemSources } from '../core/sources/system.ts';
import { aiSdkApiOf } from './model-provider.ts';
import type { Config } from './settings.ts';

/** A client that waits for the gateway connects first. */
const prepareAfterMs = 500;

/** Prepares the first turn in a moment. What cannot be loaded is reported by the turn that needs it. */
export function prepareFirstTurn(config: Config): void {
  systemSources.clock.after(prepareAfterMs, () => void loadForTurn(config).catch(() => {}));
}

/** Resolves when the phrases that stop, and those that go on if they count, are compiled, and sessions and the client of the model's endpoint are loaded. */
async function loadForTurn({ stopPhrases, resumePhrases, model }: Config): Promise<void> {
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
  module.flushCompileCache(); // Node writes it at an orderly exit only, and a gateway may be killed
}
