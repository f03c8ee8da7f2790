// The runtime: its sessions by id. The first command for a session opens it; an idle session is closed and released to the store.
import type { AccessAction } from '../../../machines/access.ts';
import type { CancelSettled, OpeningOptions } from '../../../machines/facts.ts';
import type { LiveNode } from '../../../machines/live-view.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { loadOnce } from '../collections/load-once.ts';
import { HeldElsewhere } from '../contracts/log.ts';
import type {
  Caller,
  CancelReply,
  CancelRequest,
  Runtime,
  SessionDirectory,
  SessionInfo,
  VoiceRuntime,
} from '../session/api.ts';
import type { CallRuntime } from '../session/call-api.ts';
import { nothingToCancel, refusedSay } from '../session/inbox.ts';
import { notifyObservers, reportRefusal } from '../session/observers.ts';
import { exportFacts } from '../session/read-log.ts';
import type { Session } from '../session/session.ts';
import type { CommandRefusal, Observer } from '../session/session-spec.ts';
import type { Clock } from '../sources/sources.ts';
import { keepingAlive, systemSources } from '../sources/system.ts';
import { nameProblem, speakerNameProblem } from '../text/printable.ts';
import { mayAccess } from './access-check.ts';
import { Admission, callingSpeaker } from './admission.ts';
import type { RuntimeConfig } from './config.ts';
import { createEarlyParts, type EarlyParts } from './early-parts.ts';
import { HostLease } from './host-lease.ts';
import { HostRecovery, OrphanedSessions } from './host-recovery.ts';
import { Housekeeping } from './housekeeping.ts';
import type { IdleSweep } from './idle-sweep.ts';
import { type LoadedParts, loadDirectory, loadForks, loadSessions } from './load-sessions.ts';
import { createCallRuntime, createMemberRuntime, createVoiceRuntime, redeemShownInvite } from './passed-commands.ts';
import { closeSessions, loseSessions, RuntimeClosing } from './runtime-closing.ts';
import type { Opening } from './session-opening.ts';

/**
 * Starts a runtime. First closes what dead hosts have left open in the store, and terminates the processes of dead hosts, with a store or without.
 *
 * @throws RangeError if a limit, a timeout or an agent is wrong, `ToolDeclarationError` if a tool is; they name the field.
 */
export async function createLocalRuntime(config: RuntimeConfig): Promise<LocalRuntime> {
  const parts = createEarlyParts(config);
  const runtime = new LocalRuntime(config, parts);
  parts.processes.record(config.log.isVolatile !== true);
  await runtime.recoverAtStart();
  return runtime;
}

/** The sessions that this process holds. */
export class LocalRuntime implements Runtime {
  readonly #config: RuntimeConfig;
  readonly #shared: EarlyParts;
  readonly #lease: HostLease;
  readonly #admission: Admission;
  readonly #recovery: HostRecovery;
  /** The parts that are loaded with the first session, among them the machines and their workers. */
  readonly #load = loadOnce<LoadedParts>(() => loadSessions(this.#config, this.#shared, this.#lease, this.#sessions));
  readonly #forks = loadOnce(() => {
    const holdLease = () => this.#lease.hold();
    return loadForks(this.#config, { ...this.#shared, holdLease }, this.#admission);
  });
  readonly #sessions = new Map<string, Session>();
  readonly #notify: (call: (observer: Observer) => unknown) => void;
  /** Sessions that are being opened. */
  readonly #opening = new Map<string, Promise<void>>();
  #state: 'open' | 'closing' = 'open';
  #closed = Promise.resolve();
  #idleSweep: IdleSweep | null = null;
  readonly #housekeeping: Housekeeping;
  readonly voice: VoiceRuntime = createVoiceRuntime({
    command: (id, caller, command) => this.#command(id, caller, 'speak', command),
    mayCancel: (session, caller) => this.#isOpenTo(session, caller, 'cancel'),
    onRefused: (refusal) => this.#onRefused(refusal),
  });

  readonly external: CallRuntime = createCallRuntime((...args) => this.#command(...args));

  readonly #members = createMemberRuntime((...args) => this.#command(...args));
  readonly invite = this.#members.invite;
  readonly remove = this.#members.remove;
  readonly createInvite = this.#members.createInvite;
  readonly revokeInvite = this.#members.revokeInvite;
  readonly setToolTimeout = this.#members.setToolTimeout;
  readonly renameSession = this.#members.renameSession;
  readonly setSpeaker = this.#members.setSpeaker;
  readonly delegate = this.#members.delegate;

  constructor(config: RuntimeConfig, shared: EarlyParts) {
    this.#config = config;
    this.#shared = shared;
    const { log, processes, runtime, observers } = shared;
    const { sources, limits, warn } = runtime;
    this.#notify = (call) => notifyObservers(observers, call, warn);
    this.#admission = new Admission({
      log,
      warn,
      clock: sources.clock,
      opensPerMinute: limits.sessionOpensPerMinute,
      ruleOf: (id) => config.session?.(id)?.access,
      onRefused: (refusal) => this.#onRefused(refusal),
    });
    this.#lease = new HostLease({
      log,
      name: config.host,
      process: processes.readThisProcess(),
      leaseMs: limits.leaseMs,
      clock: systemSources.clock,
      ids: systemSources.ids,
      onRenewed: () => this.#recovery.recoverIfHostDied(),
      onLost: (reason, error) => loseSessions([...this.#sessions.values()], reason, error, warn),
    });
    this.#recovery = new HostRecovery({
      orphaned: new OrphanedSessions(log, processes, (id) => this.#wake(id, null)),
      processes,
      services: runtime,
      count: shared.recovery,
      holdLease: () => this.#lease.hold(),
      isOpen: () => this.#state === 'open',
    });
    this.#housekeeping = new Housekeeping({
      config,
      shared,
      runtime: this,
      sessions: this.#sessions,
      load: () => this.#load(),
      open: (id) => this.#wake(id, null),
      untilForksMade: async () => (await this.#forks()).untilMade(),
    });
  }

  get #clock(): Clock {
    return this.#shared.runtime.sources.clock;
  }

  /** Recovers the sessions of dead hosts, then deletes those that are older than their retention. To be called before any command. */
  async recoverAtStart(): Promise<void> {
    await keepingAlive(this.#clock, () => this.#recovery.recoverAtStart());
    await this.#housekeeping.start();
  }

  async open(id: string, caller: Caller | null = null, options?: OpeningOptions): Promise<SessionInfo> {
    const misnamed = problemOfName(caller);
    if (misnamed) throw misnamed;
    return (await this.#enter(id, caller, 'read', options)).info;
  }

  join(...[id, caller, listener, from]: Parameters<Runtime['join']>): Promise<void> {
    return this.#command(id, caller, 'read', (session) => session.join(caller, listener, from));
  }

  async leave(...[id, connection, how]: Parameters<Runtime['leave']>): Promise<void> {
    this.#sessions.get(id)?.leave(connection, how);
  }

  say(...[id, caller, said]: Parameters<Runtime['say']>): ReturnType<Runtime['say']> {
    const reply =
      this.#state === 'closing'
        ? Promise.resolve(refusedSay('session_closing'))
        : this.#command(id, caller, 'speak', (own) => own.say(caller, said, this.#isOpenTo(own, caller, 'cancel')));
    return reportRefusal(id, caller, reply, this.#onRefused);
  }

  resume(...[id, caller, request]: Parameters<Runtime['resume']>): ReturnType<Runtime['resume']> {
    return this.#command(id, caller, 'speak', ({ commands }) => commands.resume(caller, request));
  }

  cancel(id: string, caller: Caller, request: CancelRequest): Promise<CancelReply> {
    if (!caller.proof || this.#sessions.has(id))
      return this.#command(id, caller, 'cancel', ({ cancels }) => cancels.cancel(caller, request));
    const exists = this.#admission.admit('cancel', caller, id); // a CANCEL opens no session that does not exist
    return exists.then((there) =>
      there
        ? this.#command(id, caller, 'cancel', ({ cancels }) => cancels.cancel(caller, request))
        : nothingToCancel(request.target),
    );
  }

  settled(id: string, cancel: string): Promise<CancelSettled | null> {
    return this.#command(id, null, 'read', (session) => session.settled(cancel));
  }

  answer(...[id, caller, request]: Parameters<Runtime['answer']>): ReturnType<Runtime['answer']> {
    const reply = this.#command(id, caller, 'speak', ({ commands }) => commands.answer(caller, request));
    return reportRefusal(id, caller, reply, this.#onRefused);
  }

  redeemInvite(...shown: Parameters<Runtime['redeemInvite']>): ReturnType<Runtime['redeemInvite']> {
    return redeemShownInvite(shown, this.#config.log, this.#admission, this.#sessions, (id) => this.#wake(id, null));
  }

  readOffer(...[id, caller, query]: Parameters<Runtime['readOffer']>): ReturnType<Runtime['readOffer']> {
    return this.#command(id, caller, 'speak', ({ commands }) => commands.readOffer(query));
  }

  storeBlobs(id: string, contents: readonly Uint8Array[]): Promise<readonly string[]> {
    return this.#command(id, null, 'speak', ({ shown }) => shown.blobs.store(contents));
  }

  importMessages(
    ...[id, caller, request]: Parameters<Runtime['importMessages']>
  ): ReturnType<Runtime['importMessages']> {
    return this.#command(id, caller, 'speak', ({ commands }) => commands.importMessages(caller, request));
  }

  readBlob(id: string, blob: string): Promise<Uint8Array | null> {
    return this.#shared.blobs.read(id, blob);
  }

  async exportSession(...[id, caller]: Parameters<Runtime['exportSession']>): ReturnType<Runtime['exportSession']> {
    await this.#admission.admit('read', caller, id);
    return exportFacts(this.#config.log, id);
  }

  async deleteSession(...[id, caller]: Parameters<Runtime['deleteSession']>): ReturnType<Runtime['deleteSession']> {
    await this.#admission.admit('delete', caller, id);
    await this.#opening.get(id)?.catch(() => {});
    return (await this.#load()).deletions.delete(id);
  }

  deletions(): ReturnType<Runtime['deletions']> {
    return this.#housekeeping.deletions();
  }

  async forkSession(...[id, caller, request]: Parameters<Runtime['forkSession']>): ReturnType<Runtime['forkSession']> {
    return (await this.#forks()).fork(id, caller, request);
  }

  directory(): Promise<SessionDirectory> {
    return loadDirectory(this.#shared.log, this.#admission, this.#sessions);
  }

  async nodes(id: string): Promise<readonly LiveNode[]> {
    return this.#sessions.get(id)?.nodes() ?? [];
  }

  close({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      this.#idleSweep?.stop();
      this.#housekeeping.stop();
      this.#closed = keepingAlive(this.#clock, () => this.#shutDown(force));
    } else if (force) {
      for (const session of this.#sessions.values()) session.close({ force: true });
    }
    return this.#closed;
  }

  /** Entries of every collection of the runtime, and of a session that is awake: for tests of leaks. */
  sizes(id: string): Readonly<Record<string, number>> {
    const sizes = { sessions: this.#sessions.size, opening: this.#opening.size };
    return { ...sizes, exclusiveKeys: this.#shared.runtime.keys.size, ...this.#sessions.get(id)?.sizes() };
  }

  /** Runs a command of a session, without an `await` if the session is awake: commands of one tick arrive in their order. */
  #command<T>(
    id: string,
    caller: Caller | null,
    action: AccessAction,
    command: (session: Session) => Promise<T>,
  ): Promise<T> {
    const misnamed = action === 'cancel' ? null : problemOfName(caller); // a stop is accepted under every name
    if (misnamed) return Promise.reject(misnamed);
    const session = this.#sessions.get(id);
    return session && this.#isOpenTo(session, caller, action)
      ? command(session)
      : this.#enter(id, caller, action).then(command);
  }

  #isOpenTo(session: Session, caller: Caller | null, action: AccessAction): boolean {
    if (session.state.kind !== 'open') return false;
    return mayAccess(action, caller, { id: session.id, ...session.guarded }, this.#shared.runtime.warn);
  }

  /**
   * Resolves with the session, opened if it is asleep and the caller may do this. A refusal takes the same steps for a session that is awake. `caller` null:
   * the program itself. Rejects with a RangeError if the id is invalid; recovery does not check it, because old stores may have sessions with such an id.
   */
  async #enter(id: string, caller: Caller | null, action: AccessAction, options?: OpeningOptions): Promise<Session> {
    const problem = nameProblem(id);
    if (problem !== null) throw new RangeError(`The id of a session ${problem}.`);
    const open = this.#sessions.get(id);
    if (open && !options && this.#isOpenTo(open, caller, action)) return open;
    if (caller !== null) await this.#admission.admit(action, caller, id);
    const session = await this.#wake(id, callingSpeaker(caller), options);
    this.#admission.assertMay(action, caller, { id, ...session.guarded }); // another speaker may have opened it meanwhile
    return session;
  }

  /** Resolves with the session, opened if it is asleep, and only after an earlier one of this id has ended. `openedBy` owns it if it is new. */
  async #wake(id: string, openedBy: SpeakerId | null, given?: OpeningOptions): Promise<Session> {
    const parts = await this.#load();
    for (;;) {
      await parts.deletions.over(id);
      const isReady = this.#sessions.has(id) || this.#state === 'closing';
      const opening = isReady ? null : await parts.readOpening(id, given, this.#config);
      if (this.#state === 'closing') throw new RuntimeClosing('The runtime is closing.');
      const known = this.#sessions.get(id);
      if (known) parts.assertSameOptions(id, known.opening.options, given);
      const session = known ?? (opening && this.#start(id, openedBy, opening, parts));
      if (!session) continue; // it has ended meanwhile
      if (!session.hasEnded) {
        await this.#opening.get(id);
        if (session.state.kind === 'open') return session;
      }
      if (session.state.kind === 'ended' && session.state.reason === 'fenced') throw new HeldElsewhere(id); // at once: its calls may still be stopping
      await session.ended;
    }
  }

  #start(id: string, openedBy: SpeakerId | null, opening: Opening, parts: LoadedParts): Session {
    const { options } = opening;
    const configured = this.#config.session?.(id, options ?? undefined);
    const spec = parts.sessionSpecOf(parts.withOptions(configured ?? {}, opening, this.#config));
    const runtime = parts.createSessionServices(this.#config, parts.runtime, spec);
    const session = new parts.Session(id, spec, { ...parts, runtime });
    this.#sessions.set(id, session);
    const remove = () => void (this.#sessions.get(id) === session && this.#sessions.delete(id));
    void session.ended.then(remove);
    const opened = session.open({ openedBy, options }).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opened);
    opened.catch(remove);
    this.#idleSweep = parts.idleSweep;
    this.#idleSweep.start();
    return session;
  }

  readonly #onRefused = (refusal: CommandRefusal) => this.#notify((observer) => observer.refused?.(refusal));

  async #shutDown(force: boolean): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    const { warn, limits } = this.#shared.runtime;
    await closeSessions([...this.#sessions.values()], { force, clock: this.#clock, ...limits });
    await this.#lease.endLease().catch((error) => warn('The lease of this host was not ended: it runs out.', error));
  }
}

/** Returns the error for a caller whose name a new speaker may not have; null: the name is valid, or the program itself calls. */
function problemOfName(caller: Caller | null): RangeError | null {
  const problem = caller && speakerNameProblem(caller.speaker.id);
  return problem === null ? null : new RangeError(`The id of a speaker ${problem}.`);
}
