// The contract between an inspector and a gateway: the gateway shows it the connections, and hands out its records.
//
// It is declared without XState's types, like the contract with a runtime (src/core/workers/runtime-inspector.ts).
import type { InspectionEvent } from './inspection.ts';

/** An actor of XState. */
interface ConnectionActor {
  /** The id of the connection. */
  readonly id: string;
  readonly sessionId: string;
}

/** The connections of a gateway. Their actors share one actor system. */
export interface InspectedConnections {
  /** The actor that all connections are below. It is no part of the gateway's work, and has no records. */
  readonly parent: ConnectionActor;
  /** The actors of the connections that are open. */
  list(): readonly ConnectionActor[];
  /** The sessions that a connection has joined. */
  sessionsOf(connection: string): readonly string[];
  /** The speaker of a connection; null: not known yet. */
  speakerOf(connection: string): string | null;
}

/** What a reader may read. It may change while the reader reads. */
export interface ReaderAccess {
  /** Whether it may read records that belong to no session: of connections that have joined none. */
  readonly mayReadUnscoped: boolean;
  /** Whether it may read the records of a session. Null: not known yet; `onMore` of the reader has to be called as soon as it is. */
  mayRead(session: string): boolean | null;
}

export interface ReaderOptions {
  /** Records of other sessions are left out, and so are connections that have not joined it. Null: everything. */
  readonly session: string | null;
  /** Records that it may not read are left out. Left out: it may read everything. */
  readonly access?: ReaderAccess | undefined;
  /** The last record that the reader has. Null: it has none. */
  readonly after: number | null;
  /** Called when there is more to read, at most once in each turn of the event loop. */
  onMore(): void;
}

/** Reads the records at its own pace. */
export interface InspectionReader {
  /** Returns the next events, at most `max`; none when there are no more yet. */
  read(max: number): readonly InspectionEvent[];
  /** Observation ends some time after the last reader was closed. */
  close(): void;
}

export interface InspectionSource {
  /** Called once by each gateway. */
  attachConnections(connections: InspectedConnections): void;
  /** Switches observation on, if it is off. */
  openReader(options: ReaderOptions): Promise<InspectionReader>;
}
