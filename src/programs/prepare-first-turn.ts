// Prepares the first turn of a gateway that has just begun to listen.
import module from 'node:module';
import { systemSources } from '../core/sources/system.ts';
import type { Config } from './settings.ts';

/** A client that waits for the gateway connects first. */
const prepareAfterMs = 500;

/** Prepares the first turn in a moment. What cannot be loaded is reported by the turn that needs it. */
export function prepareFirstTurn(config: Config): void {
  systemSources.clock.after(prepareAfterMs, () => void loadForTurn(config).catch(() => {}));
}

async function loadForTurn(config: Config): Promise<void> {
  const { prepareTurns } = await import('./prepare-turns.ts');
  await prepareTurns(config);
  module.flushCompileCache(); // Node writes it at an orderly exit only, and a gateway may be killed
}
