// The parts that all sessions of a runtime share.
import type { sessionMachine } from '../../../machines/session.ts';
import type { speechMachine } from '../../../machines/speech.ts';
import type { BlobStore } from '../contracts/blobs.ts';
import type { Log } from '../contracts/log.ts';
import type { Processes } from '../contracts/processes.ts';
import type { RuntimeServices } from '../workers/services.ts';
import type { TerminateLeftoverProcesses } from './recover-session.ts';
import type { ReportedEnds } from './reported-ends.ts';
import type { Observer } from './session-spec.ts';
import type { SpeakerLedger } from './speaker-ledger.ts';
import type { SpeakerTurns } from './turn-shares.ts';

export interface SharedParts {
  readonly runtime: RuntimeServices;
  /** The session's chart with its workers and actions. */
  readonly logic: typeof sessionMachine;
  /** The chart of the bot's speech with its actions. */
  readonly speechLogic: typeof speechMachine;
  readonly log: Log;
  readonly processes: Processes;
  /** The log's own; one in memory where it has none. */
  readonly blobs: BlobStore;
  /** Resolves with the id of this host in the store, while its lease runs. */
  readonly holdLease: () => Promise<string>;
  readonly observers: readonly Observer[];
  readonly reportedEnds: ReportedEnds;
  readonly ledger: SpeakerLedger;
  /** The open turns of the speakers of the host. */
  readonly speakerTurns: SpeakerTurns;
  readonly terminateLeftoverProcesses: TerminateLeftoverProcesses;
  /** Called for each session that is opened, after its recovery. `turns`: how many were closed; null: nothing was open. */
  readonly onRecovered: (turns: number | null) => void;
}
