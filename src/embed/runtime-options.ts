// The options of an embedded runtime: its configuration, with a default for the log.
import type { RuntimeConfig } from '../runtime/config.ts';
import type { Log } from '../transcript/log.ts';

export interface RuntimeOptions extends Omit<RuntimeConfig, 'log' | 'agentSessions'> {
  /** A SQLite file for the transcripts, made with its folder if it does not exist. Left out, as `log`: they are kept in memory, and lost. */
  readonly store?: string | undefined;
  /** A log of your own, instead of `store`. `close()` leaves it open. */
  readonly log?: Log | undefined;
}
