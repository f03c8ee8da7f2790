// Does what a runtime owes its store beside its sessions: ends the deletions that an earlier process has left, and deletes old sessions. It loads each with its first use.
import { loadOnce } from '../collections/load-once.ts';
import type { Session } from '../session/session.ts';
import type { SessionArchive } from '../session/session-archive.ts';
import { keepingAlive } from '../sources/system.ts';
import type { RuntimeConfig } from './config.ts';
import type { EarlyParts } from './early-parts.ts';
import type { LoadedParts } from './load-sessions.ts';
import type { Retention } from './retention.ts';
import type { SpeakerDeletions } from './speaker-deletions.ts';

export interface HousekeepingOptions {
  readonly config: Pick<RuntimeConfig, 'log' | 'retentionDays' | 'outsideAgents'>;
  readonly shared: Pick<EarlyParts, 'runtime'>;
  /** The sessions that are awake, by id. */
  readonly sessions: ReadonlyMap<string, Session>;
  readonly load: () => Promise<LoadedParts>;
  readonly open: (session: string) => Promise<unknown>;
  /** Resolves when the forks that are being made now are there. */
  readonly untilForksMade: () => Promise<void>;
  readonly runtime: Pick<SessionArchive, 'deleteSession'>;
}

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #isStopped = false;
  #retention: Retention | null = null;
  #loaded: SpeakerDeletions | null = null;
  /** Resolves with what ends deletions. */
  readonly deletions = loadOnce(() => this.#loadDeletions());

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Called once, after the recovery. */
  async start(): Promise<void> {
    await this.#goOnDeleting();
    const { config, shared, runtime } = this.#options;
    const { retentionDays: days = 0, log } = config;
    if (days === 0 || this.#isStopped) return;
    const { Retention } = await import('./retention.ts');
    const deleteSession = (session: string) => runtime.deleteSession(session, null);
    const purge = async () => (await this.deletions()).purge();
    const { clock } = shared.runtime.sources;
    this.#retention = new Retention({ log, days, deleteSession, purge, ...shared.runtime, clock });
    this.#retention.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#retention?.stop();
    this.#loaded?.stop();
  }

  /** Ends the deletions that an earlier process has left. Their failure keeps nothing from starting. */
  async #goOnDeleting(): Promise<void> {
    const { log } = this.#options.config;
    const { sources, warn } = this.#options.shared.runtime;
    try {
      const [speakers = [], purge] = await Promise.all([log.deletions?.listSpeakers(), log.deletions?.purge(0)]);
      if (this.#isStopped || (speakers.length === 0 && (purge?.remains ?? 'nothing') === 'nothing')) return;
      await keepingAlive(sources.clock, async () => (await this.deletions()).goOn());
    } catch (error) {
      warn('A deletion that was interrupted has not ended: the next start goes on with it.', error);
    }
  }

  async #loadDeletions(): Promise<SpeakerDeletions> {
    const { config, sessions, load, open, untilForksMade } = this.#options;
    const [parts, { SpeakerDeletions }, { StorePurge }] = await Promise.all([
      load(),
      import('./speaker-deletions.ts'),
      import('./store-purge.ts'),
    ]);
    const { warn, sources } = parts.runtime;
    const countAwake = () => sessions.size;
    this.#loaded = new SpeakerDeletions({
      ...parts,
      ...sources,
      open,
      untilForksMade,
      sessions: parts.deletions,
      storePurge: new StorePurge({ ...parts, ...sources, warn, countAwake }),
      awake: (id) => sessions.get(id),
      onRedacted: (id) => config.outsideAgents?.forgetSession(id),
    });
    if (this.#isStopped) this.#loaded.stop();
    return this.#loaded;
  }
}
