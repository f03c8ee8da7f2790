// Loads what no start needs: with the first session its machines, workers and observers, with the first door that shows it the directory.
import type { SessionDirectory } from '../session/api.ts';
import { notifyObservers } from '../session/observers.ts';
import type { Session } from '../session/session.ts';
import type { SharedParts } from '../session/shared-parts.ts';
import type { RuntimeConfig, Telemetry } from './config.ts';
import type { EarlyParts } from './early-parts.ts';
import type { HostLease } from './host-lease.ts';
import type { IdleSweep } from './idle-sweep.ts';
import type { LocalDirectory } from './local-directory.ts';
import type { SessionDeletions } from './session-deletions.ts';
import type { SessionForks } from './session-forks.ts';

/** What a runtime makes its sessions of. */
export type LoadedParts = SharedParts &
  Awaited<ReturnType<typeof loadSessionModules>> & {
    readonly idleSweep: IdleSweep;
    readonly deletions: SessionDeletions;
  };

/** Resolves with the class of sessions, their chart, what makes their rules and services, and all that they share. `awake`: the sessions, as they come and go. */
export async function loadSessions(
  config: RuntimeConfig,
  early: EarlyParts,
  lease: HostLease,
  awake: ReadonlyMap<string, Session>,
): Promise<LoadedParts> {
  const [loaded, telemetry] = await Promise.all([loadSessionModules(), loadTelemetry(config, early, () => awake.size)]);
  const holdLease = () => lease.hold();
  const { observers = [], tracing } = telemetry ?? {};
  const runtime = { ...early.runtime, tracing };
  const { sources, limits, warn } = runtime;
  const shared = { ...early, runtime, observers: [...early.observers, ...observers], holdLease };
  const onDeleted = (session: string) => {
    config.outsideAgents?.forgetSession(session); // a new session under the id must not go on in theirs
    notifyObservers(shared.observers, (observer) => observer.deleted?.(session), warn);
  };
  return {
    ...shared,
    ...loaded,
    reportedEnds: new loaded.ReportedEnds(),
    ledger: new loaded.SpeakerLedger(early.log, sources.clock),
    idleSweep: new loaded.IdleSweep(sources.clock, limits.idleMs, awake),
    deletions: new loaded.SessionDeletions({ log: early.log, awake: (id) => awake.get(id), onDeleted }),
  };
}

/** Loads the modules that the first session needs. */
export async function loadSessionModules() {
  const [
    { sessionLogic: logic, speechLogic },
    { Session },
    { sessionSpecOf },
    { createSessionServices },
    { IdleSweep },
    { SessionDeletions },
    { ReportedEnds },
    { SpeakerLedger },
    { assertSameOptions, readOpening, withOptions },
  ] = await Promise.all([
    import('./provide.ts'),
    import('../session/session.ts'),
    import('../session/session-spec.ts'),
    import('./session-services.ts'),
    import('./idle-sweep.ts'),
    import('./session-deletions.ts'),
    import('../session/reported-ends.ts'),
    import('../session/speaker-ledger.ts'),
    import('./session-opening.ts'),
  ]);
  return {
    logic,
    speechLogic,
    Session,
    sessionSpecOf,
    createSessionServices,
    IdleSweep,
    SessionDeletions,
    ReportedEnds,
    SpeakerLedger,
    assertSameOptions,
    readOpening,
    withOptions,
  };
}

/** Resolves with undefined if it fails: sessions work without it, too. */
async function loadTelemetry(
  { loadTelemetry: load }: RuntimeConfig,
  { runtime: { warn } }: EarlyParts,
  countSessions: () => number,
): Promise<Telemetry | undefined> {
  try {
    return await load?.(countSessions);
  } catch (error) {
    warn('Metrics and spans could not be loaded.', error);
    return undefined;
  }
}

/** Resolves with what forks sessions. Its parameters are those of `SessionForks`. */
export async function loadForks(...parts: ConstructorParameters<typeof SessionForks>): Promise<SessionForks> {
  const loaded = await import('./session-forks.ts');
  return new loaded.SessionForks(...parts);
}

/** Resolves with the directory of the sessions. Its parameters are those of `LocalDirectory`. */
export async function loadDirectory(...parts: ConstructorParameters<typeof LocalDirectory>): Promise<SessionDirectory> {
  const loaded = await import('./local-directory.ts'); // not by its name, which the declarations of the package would look up here
  return new loaded.LocalDirectory(...parts);
}
