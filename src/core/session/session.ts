// One awake session: its machine, its parts, and its lifecycle (open, close, demolish).
//
// Owner: runtime/runtime.ts. Neighbors: parts.ts makes the parts; everything that changes the session enters by inbox.ts; actions.ts does what its machine asks for.
// 1. A fact is published after its commit. After the end of the session nothing is published.
// 2. It ends once: by `close`, when everything has settled; or by `demolish`, when nothing can be written or decided any more.
import { type Actor, createActor } from 'xstate';
import type { CancelSettled } from '../../../machines/facts.ts';
import type { LiveNode } from '../../../machines/live-view.ts';
import type { sessionMachine } from '../../../machines/session.ts';
import type { LeaveReason } from '../../../machines/vocabulary.ts';
import { HeldElsewhere } from '../contracts/log.ts';
import type { NodeEntry } from '../live/node-entry.ts';
import { bindSessionSystem } from '../workers/session-bindings.ts';
import { Actions } from './actions.ts';
import type { Caller, ReplayFrom, SayReply, SayRequest, SessionEnd, SessionInfo, SessionListener } from './api.ts';
import type { CancelCommands } from './cancels.ts';
import { joinSession } from './catch-up.ts';
import type { Commands } from './commands.ts';
import { CrashHandler } from './crash.ts';
import { callsAtWork, cutAll, endCalls } from './demolition.ts';
import { EventReader } from './event-reader.ts';
import { refusedSay } from './inbox.ts';
import { describeNode } from './live-node.ts';
import { SessionParts } from './parts.ts';
import { recoverSession, type SessionOpening } from './recover-session.ts';
import type { SessionSpec } from './session-spec.ts';
import type { SharedParts } from './shared-parts.ts';

/** Commands are accepted while it is `open`. `opening`: `opened` settles when the session accepts commands, or has ended before. */
type State =
  | { readonly kind: 'new' | 'open' }
  | { readonly kind: 'ended'; readonly reason: SessionEnd }
  | { readonly kind: 'opening'; readonly opened: PromiseWithResolvers<void> };

export class Session {
  readonly id: string;
  /** The commands that need nothing else of the session. */
  readonly commands: Omit<Commands, 'say' | 'close'>;
  readonly cancels: Pick<CancelCommands, 'cancel'>;
  /** Its rule of access (undefined: the default), its owner and its members. */
  readonly guarded: Pick<SessionSpec, 'access'> & Pick<SessionParts, 'members'>;
  readonly #spec: SessionSpec;
  readonly #shared: SharedParts;
  readonly #parts: SessionParts;
  readonly #reader: EventReader;
  readonly #actor: Actor<typeof sessionMachine>;
  readonly #ended = Promise.withResolvers<void>();
  /** Set by its own methods alone. */
  state: State = { kind: 'new' };
  opening: SessionOpening = { openedBy: null, options: null };
  /** What those who have joined receive at an orderly end. */
  #closesFor: 'shutdown' | 'deleted' | 'fenced' = 'shutdown';
  /** Whether the session was idle at the last sweep. */
  #wasIdle = false;

  constructor(id: string, spec: SessionSpec, shared: SharedParts) {
    const { runtime, logic } = shared;
    const { clock, ids } = runtime.sources;
    this.id = id;
    this.#spec = spec;
    this.#shared = shared;
    const onJournalFailure = (reason: SessionEnd, error: unknown) => this.demolish(reason, error);
    const parts = new SessionParts({ ...shared, id, spec, onJournalFailure });
    this.#parts = parts;
    this.commands = parts.commands;
    this.cancels = parts.cancels;
    this.guarded = { access: spec.access, members: parts.members };
    const { tree, budgets, journal, history, inbox } = parts;
    const { laneTurns } = runtime.limits;
    const crashes = new CrashHandler({ tree, budgets, journal, history, inbox, clock });
    const services = parts.servicesFor(id, spec, runtime);
    const actions = new Actions({ services, parts, crashes, recover: () => this.#recover() });
    const { policy, standing } = services.session;
    const { whileRunning } = spec;
    this.#actor = createActor(logic, { input: { policy, standing, whileRunning, laneLimit: laneTurns } });
    bindSessionSystem(this.#actor, services, actions);
    parts.inspectSpeeches(this.#actor);
    this.#reader = new EventReader(parts, spec, services.session, ids);
    // the only way into the machine
    inbox.open((message) => {
      const event = this.#reader.read(message);
      // a receipt may settle after the machine has closed
      if (event && this.#actor.getSnapshot().status === 'active') this.#actor.send(event);
    });
  }

  get info(): SessionInfo {
    return { session: this.id, kind: this.#spec.kind, policy: this.#spec.policy };
  }

  get hasEnded(): boolean {
    return this.state.kind === 'ended';
  }

  /** Resolves when the session has ended and all its parts are closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  // -- lifecycle

  /** Claims and recovers it. Resolves when it accepts commands; rejects when the store fails or another host holds it. */
  open(opening: SessionOpening): Promise<void> {
    const opened = Promise.withResolvers<void>();
    this.opening = opening;
    this.state = { kind: 'opening', opened };
    this.#actor.subscribe({
      complete: () => void this.#closeOrderly(),
      error: (error) => this.#onCrash(error),
    });
    const recovery = this.#actor.subscribe({
      next: (snapshot) => {
        if (this.state.kind !== 'opening' || !snapshot.matches('open')) return;
        recovery.unsubscribe();
        this.state = { kind: 'open' };
        opened.resolve();
      },
      error: () => {}, // the other observer handles it
    });
    this.#actor.start();
    return opened.promise;
  }

  /** Cancels everything that runs in the session, and closes it after that. `force` skips the grace. */
  close({ force }: { readonly force: boolean }): void {
    const { inbox } = this.#parts;
    inbox.post({ type: 'CANCEL', source: 'shutdown', by: null, target: 'session', force });
    inbox.post({ type: 'CLOSE', when: 'now' });
  }

  /** Closes the session if it was idle at the last sweep and still is when the inbox handles the message. Called once per sweep. */
  sleepIfIdle(): void {
    const { inbox, isIdle } = this.#parts;
    if (isIdle && this.#wasIdle) inbox.post({ type: 'CLOSE', when: 'idle' });
    this.#wasIdle = isIdle;
  }

  /** Closes the session, unless something happens in it: for a deletion, or (`fenced`) for another host. Resolves with whether it has ended. `reason`: what those who have joined receive. */
  async closeAtRest(reason: 'deleted' | 'shutdown' | 'fenced'): Promise<boolean> {
    const { promise: isClosing, resolve: reply } = Promise.withResolvers<boolean>();
    this.#parts.inbox.post({ type: 'CLOSE', when: 'at_rest', reply });
    const ended = this.ended.then(() => true);
    this.#closesFor = reason;
    if (await Promise.race([isClosing, ended])) return ended;
    this.#closesFor = 'shutdown';
    return false;
  }

  /**
   * Ends the session at once, because it can no longer write facts or make decisions. Cuts every node, and records no outcome: the
   * next recovery closes what is open. A session that is being opened, and commands without a reply, reject with `error`; with
   * `HeldElsewhere` if another host holds the session.
   */
  demolish(reason: SessionEnd, error?: unknown): void {
    if (this.hasEnded) return;
    const { journal, tree } = this.#parts;
    const failure = this.#endError(reason, error);
    this.#markEnded(reason, failure);
    journal.close();
    cutAll(tree, reason);
    this.#parts.close(reason, failure);
    if (callsAtWork(tree).length === 0) return this.#finishDemolition([]);
    const { sources, limits } = this.#shared.runtime;
    void endCalls(tree, sources.clock, limits).then((atWork) => this.#finishDemolition(atWork));
  }

  /** What the runtime and its directory read and store. */
  get shown(): Pick<SessionParts, 'blobs' | 'tree' | 'history' | 'index' | 'inbox'> {
    return this.#parts;
  }

  // -- commands

  /** See `Runtime.join`. */
  join(caller: Caller, listener: SessionListener, from: ReplayFrom): Promise<void> {
    return joinSession(caller, listener, from, { ...this.#shared, info: this.info, parts: this.#parts });
  }

  /** See `Runtime.leave`. */
  leave(connection: string, how: LeaveReason): void {
    this.#parts.keys.forgetConnection(connection);
    this.#parts.presence.removeConnection(connection, how);
  }

  /** See `Runtime.say`. `mayCancel`: the rule of access lets the caller cancel in this session. */
  say(caller: Caller, said: SayRequest, mayCancel: boolean): Promise<SayReply> {
    if (this.state.kind === 'ended' && this.state.reason !== 'fenced')
      return Promise.resolve(refusedSay('session_closing'));
    return this.#parts.commands.say(caller, said, mayCancel);
  }

  /** See `Runtime.settled`. */
  settled(cancel: string): Promise<CancelSettled | null> {
    return this.#parts.lookup.settled(cancel);
  }

  /** See `Runtime.nodes`. */
  nodes(): readonly LiveNode[] {
    const { tree, journal } = this.#parts;
    return tree.entries().map(describeNode(journal, this.#shared.runtime.sources.clock));
  }

  /** Entries of every collection, by part: see `SessionParts.sizes`. */
  sizes(): Readonly<Record<string, number>> {
    return this.#parts.sizes();
  }

  // -- steps of the lifecycle

  async #recover(): Promise<void> {
    const { journal, replayed } = this.#parts;
    const { clock } = this.#shared.runtime.sources;
    const about = { session: this.id, spec: this.#spec, ...this.opening };
    try {
      await recoverSession({ ...this.#shared, ...about, clock, journal, replayed });
    } catch (error) {
      if (this.state.kind === 'opening') this.state.opened.reject(error);
      throw error;
    }
  }

  #endError(reason: SessionEnd, cause?: unknown): unknown {
    if (reason === 'fenced') return new HeldElsewhere(this.id, { cause });
    return cause ?? new Error(`The session ${this.id} has ended: ${reason}.`);
  }

  /** Accepts no more commands. `error`: of a session that is still being opened. */
  #markEnded(reason: SessionEnd, error: unknown): void {
    if (this.state.kind === 'opening') this.state.opened.reject(error);
    this.state = { kind: 'ended', reason };
  }

  /** Ends the session after everything has settled. */
  async #closeOrderly(): Promise<void> {
    const { receipts, journal, speeches } = this.#parts;
    if (this.hasEnded) return;
    for (const speech of speeches) speech.endAll();
    await receipts.allSettled();
    if (journal.isOpen) await journal.append([]);
    if (this.hasEnded) return;
    const reason = this.#closesFor === 'fenced' ? 'fenced' : 'shutdown';
    const error = this.#endError(reason);
    this.#markEnded(reason, error);
    await this.#shared.runtime.closeTools(); // before another host may open it
    await this.#release();
    this.#parts.close(this.#closesFor, error);
    this.#ended.resolve();
  }

  /** Releases the claim on the session, so that another host may open it. */
  async #release(): Promise<void> {
    const { journal } = this.#parts;
    if (!journal.isOpen) return;
    journal.close();
    const { log, runtime } = this.#shared;
    try {
      await log.release(this.id, journal.epoch);
    } catch (error) {
      runtime.warn(`The claim on the session ${this.id} could not be released.`, error);
    }
  }

  #onCrash(error: unknown): void {
    this.#shared.runtime.warn(`The machine of the session ${this.id} threw.`, error);
    this.demolish('session_failed', error);
  }

  /** The last step of a demolition. `atWork`: calls that still run although they were stopped and killed. */
  #finishDemolition(atWork: readonly NodeEntry[]): void {
    const { tree, observers } = this.#parts;
    this.#actor.stop();
    observers.endAll(new Set(atWork.map(({ id }) => id)));
    for (const { id } of tree.entries()) tree.remove(id);
    const { warn, closeTools } = this.#shared.runtime;
    if (atWork.length > 0) warn(`${atWork.length} calls of the session ${this.id} still ran when it was demolished.`);
    void closeTools().then(this.#ended.resolve);
  }
}
