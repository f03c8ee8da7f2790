// The runtime as a library: optional parts have a default, sessions have a local session for each of their speakers.

import type { CancelSettled, OpeningOptions } from '../../machines/facts.ts';
import type { LiveNode } from '../../machines/live-view.ts';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import { AcpAgents } from '../adapters/acp/acp-agents.ts';
import { systemProcesses } from '../adapters/processes/system-processes.ts';
import { createMemoryLog } from '../adapters/stores/memory.ts';
import { createSqliteLog } from '../adapters/stores/sqlite.ts';
import { storeFiles } from '../adapters/stores/store-files.ts';
import { loadTelemetry } from '../adapters/telemetry/load-telemetry.ts';
import type { Log } from '../core/contracts/log.ts';
import { shutdownMsOf } from '../core/runtime/config.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  CancelReply,
  CancelRequest,
  ImportReply,
  ImportRequest,
  OfferQuery,
  OfferReply,
  ReplayFrom,
  ResumeReply,
  ResumeRequest,
  Runtime,
  SayReply,
  SayRequest,
  SessionDirectory,
  SessionInfo,
  SessionListener,
  VoiceRuntime,
} from '../core/session/api.ts';
import type { CallRuntime } from '../core/session/call-api.ts';
import type {
  CreateInviteReply,
  CreateInviteRequest,
  DelegateReply,
  DelegateRequest,
  InviteReply,
  InviteRequest,
  RedeemReply,
  RemoveReply,
  RenameReply,
  RenameRequest,
  RevokeInviteReply,
  RevokeInviteRequest,
  RoomChange,
  RoomReply,
  SetTimeoutReply,
  SetTimeoutRequest,
} from '../core/session/member-api.ts';
import { keepAlive, systemSources } from '../core/sources/system.ts';
import { printWarning } from '../core/text/print-line.ts';
import { assertRuntimeOptions } from './check-options.ts';
import { EmbeddedSession } from './embedded-session.ts';
import { PendingKeepAlive } from './keep-alive.ts';
import type { LocalSessionServices } from './local-session.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { loadSpokenRooms, startRuntime } from './start-runtime.ts';
import { StoredSessions } from './stored-sessions.ts';

export type { RuntimeOptions } from './runtime-options.ts';

/** The rest of what a runtime is made of. */
interface Parts {
  readonly services: LocalSessionServices & { readonly closeMs: number };
  /** The log that closes with the runtime; null: it is the embedder's. */
  readonly ownLog: Log | null;
  readonly sessions: StoredSessions;
}

export class EmbeddedRuntime implements Runtime {
  /** The sessions that its log holds: `list`, `export`, `delete`. */
  readonly sessions: StoredSessions;
  readonly #inner: Runtime;
  readonly #services: Parts['services'];
  readonly #ownLog: Log | null;
  readonly #closeWith = new Set<() => Promise<void>>();
  #closed: Promise<void> | null = null;

  constructor({ services, ownLog, sessions }: Parts) {
    this.sessions = sessions;
    this.#inner = services.runtime;
    this.#services = services;
    this.#ownLog = ownLog;
  }

  /**
   * Opens a session, or gives the one that is open.
   *
   * @param options What a new session is opened with: they are facts of it, which count on every host. A session that is there has its own: other ones reject.
   * @throws `SessionOptionsDiffer`, `RuntimeClosing` when `close` was called, `StoreFailed`, or `HeldElsewhere` when another host holds it.
   */
  async session(id: string, options?: OpeningOptions): Promise<EmbeddedSession> {
    return new EmbeddedSession(this.#services, await this.#inner.open(id, undefined, options));
  }

  /**
   * A shutdown: everything that runs is cancelled (cause `shutdown`) and waited for, `limits.shutdownMs` at most; then the callbacks of
   * `closeWith` are, as long again at most. `force` skips the grace, also in a second call.
   */
  close(how?: { readonly force?: boolean }): Promise<void> {
    if (this.#closed && how?.force) this.#services.keepAlive.until(this.#inner.close(how));
    this.#closed ??= this.#shutDown(how);
    this.#services.keepAlive.until(this.#closed);
    return this.#closed;
  }

  /**
   * Gives the sessions to the other hosts of the cluster: those at rest at once, the others when they come to rest. To be called before `close`, which cancels what still runs then. Resolves when
   * nothing runs any more, after `ms` milliseconds, or with `close`; at once without a bus.
   */
  async drain(ms: number): Promise<void> {
    await this.#inner.drain?.(ms);
  }

  /** Has `close` call this when everything has stopped, and wait for it. Returns a function that undoes it. */
  closeWith(close: () => Promise<void>): () => void {
    this.#closeWith.add(close);
    return () => void this.#closeWith.delete(close);
  }

  async #shutDown(how?: { readonly force?: boolean }): Promise<void> {
    await this.#inner.close(how);
    await Promise.all([...this.#closeWith].map((close) => this.#callBack(close)));
    await this.#ownLog?.close();
  }

  /** Calls a callback of `closeWith`, and waits for it as long as for a shutdown. */
  async #callBack(close: () => Promise<void>): Promise<void> {
    const { clock, closeMs, warn } = this.#services;
    const { promise: overdue, resolve } = Promise.withResolvers<'overdue'>();
    const disarm = clock.after(closeMs, () => resolve('overdue'));
    try {
      const end = await Promise.race([close(), overdue]);
      if (end === 'overdue')
        warn(
          `A callback of closeWith has not ended within ${closeMs} ms (limits.shutdownMs): the runtime closes without it.`,
          undefined,
        );
    } catch (error) {
      warn('A callback of closeWith failed.', error);
    } finally {
      disarm();
    }
  }

  // -- the commands, for doors

  open(session: string, caller?: Caller, options?: OpeningOptions): Promise<SessionInfo> {
    return this.#inner.open(session, caller, options);
  }

  join(session: string, caller: Caller, listener: SessionListener, from: ReplayFrom): Promise<void> {
    return this.#inner.join(session, caller, listener, from);
  }

  leave(session: string, connection: string, how: LeaveReason): Promise<void> {
    return this.#inner.leave(session, connection, how);
  }

  say(session: string, caller: Caller, said: SayRequest): Promise<SayReply> {
    return this.#inner.say(session, caller, said);
  }

  resume(session: string, caller: Caller, request: ResumeRequest): Promise<ResumeReply> {
    return this.#inner.resume(session, caller, request);
  }

  cancel(session: string, caller: Caller, request: CancelRequest): Promise<CancelReply> {
    return this.#inner.cancel(session, caller, request);
  }

  settled(session: string, cancel: string): Promise<CancelSettled | null> {
    return this.#inner.settled(session, cancel);
  }

  answer(session: string, caller: Caller, request: AnswerRequest): Promise<AnswerReply> {
    return this.#inner.answer(session, caller, request);
  }

  storeBlobs(session: string, contents: readonly Uint8Array[]): Promise<readonly string[]> {
    return this.#inner.storeBlobs(session, contents);
  }

  importMessages(session: string, caller: Caller, request: ImportRequest): Promise<ImportReply> {
    return this.#inner.importMessages(session, caller, request);
  }

  readBlob(session: string, blob: string): Promise<Uint8Array | null> {
    return this.#inner.readBlob(session, blob);
  }

  invite(session: string, caller: Caller | null, request: InviteRequest): Promise<InviteReply> {
    return this.#inner.invite(session, caller, request);
  }

  remove(session: string, caller: Caller | null, request: InviteRequest): Promise<RemoveReply> {
    return this.#inner.remove(session, caller, request);
  }

  renameSession(session: string, caller: Caller | null, request: RenameRequest): Promise<RenameReply> {
    return this.#inner.renameSession(session, caller, request);
  }

  createInvite(session: string, caller: Caller | null, request: CreateInviteRequest): Promise<CreateInviteReply> {
    return this.#inner.createInvite(session, caller, request);
  }

  revokeInvite(session: string, caller: Caller | null, request: RevokeInviteRequest): Promise<RevokeInviteReply> {
    return this.#inner.revokeInvite(session, caller, request);
  }

  redeemInvite(session: string, caller: Caller, secret: string): Promise<RedeemReply> {
    return this.#inner.redeemInvite(session, caller, secret);
  }

  setToolTimeout(session: string, caller: Caller | null, request: SetTimeoutRequest): Promise<SetTimeoutReply> {
    return this.#inner.setToolTimeout(session, caller, request);
  }

  delegate(session: string, caller: Caller, request: DelegateRequest): Promise<DelegateReply> {
    return this.#inner.delegate(session, caller, request);
  }

  setSpeaker(session: string, caller: Caller, change: RoomChange): Promise<RoomReply> {
    return this.#inner.setSpeaker(session, caller, change);
  }

  get external(): CallRuntime {
    return this.#inner.external;
  }

  get voice(): VoiceRuntime {
    return this.#inner.voice;
  }

  readOffer(session: string, caller: Caller, query: OfferQuery): Promise<OfferReply> {
    return this.#inner.readOffer(session, caller, query);
  }

  exportSession(...[session, caller]: Parameters<Runtime['exportSession']>): ReturnType<Runtime['exportSession']> {
    return this.#inner.exportSession(session, caller);
  }

  forkSession(...[session, caller, request]: Parameters<Runtime['forkSession']>): ReturnType<Runtime['forkSession']> {
    return this.#inner.forkSession(session, caller, request);
  }

  deleteSession(...[session, caller]: Parameters<Runtime['deleteSession']>): ReturnType<Runtime['deleteSession']> {
    return this.#inner.deleteSession(session, caller);
  }

  deletions(): ReturnType<Runtime['deletions']> {
    return this.#inner.deletions();
  }

  directory(): Promise<SessionDirectory> {
    return this.#inner.directory();
  }

  nodes(session: string): Promise<readonly LiveNode[]> {
    return this.#inner.nodes(session);
  }
}

/**
 * Starts a runtime. Sessions that a dead process has left in the store are recovered first; those of a living one stay with it.
 *
 * @throws `RangeError` if an option is unknown or missing, or a limit, a timeout or an agent is wrong, `ToolDeclarationError` if a tool is; they name the field. `StoreFailed` if the store cannot be opened.
 */
export async function createRuntime(options: RuntimeOptions): Promise<EmbeddedRuntime> {
  assertRuntimeOptions(options);
  const { store, log, bus, configuration, allowOtherConfiguration, metrics = null, tracing, ...config } = options;
  const { sources = systemSources, warn = printWarning } = config;
  const opened = log ?? (store === undefined ? createMemoryLog() : createSqliteLog({ path: store }));
  const ownLog = log ? null : opened;
  const protectedPaths = [...(config.protectedPaths ?? []), ...(store === undefined ? [] : storeFiles(store))];
  try {
    const adapters = { outsideAgents: new AcpAgents(), processes: systemProcesses };
    const { clock } = sources;
    const telemetry = (countSessions: () => number) => loadTelemetry({ metrics, tracing, clock, countSessions });
    const shared = { ...adapters, protectedPaths, log: opened, sources, warn, loadTelemetry: telemetry };
    const cluster = bus ? { bus, options: { configuration, allowOtherConfiguration } } : null;
    const speech = await loadSpokenRooms(config.provider, { clock, warn });
    const all = { ...config, ...shared };
    const runtime = await startRuntime(speech?.configure(all) ?? all, cluster);
    speech?.serve(runtime);
    const isRealTime = sources.clock === systemSources.clock;
    const services = {
      runtime,
      ids: sources.ids,
      clock: sources.clock,
      closeMs: shutdownMsOf(config),
      keepAlive: new PendingKeepAlive(isRealTime ? keepAlive : () => () => {}),
      warn,
    };
    const embedded = new EmbeddedRuntime({ services, ownLog, sessions: new StoredSessions(opened, runtime) });
    if (speech) embedded.closeWith(async () => speech.close());
    return embedded;
  } catch (error) {
    await ownLog?.close();
    throw error;
  }
}
