// The turns that were started at this terminal, with the agents that they have detached, and their stop: the first interrupt cancels them, the second forces the stop.
import type { CancelHandle, CancelOptions } from '../client/cancel-in-flight.ts';
import { CommandRefused, SessionEnded, TakenAsCancel } from '../client/errors.ts';
import type { ClientSession, ResumeOptions, SayOptions } from '../client/joined-session.ts';
import type { Turn } from '../client/turn-in-flight.ts';
import type { EscapeTarget } from '../client/view/escape-target.ts';
import { Listeners } from '../core/collections/listeners.ts';
import { OwnAgents } from './own-agents.ts';

const interruptReason = 'interrupted at the terminal';

/** Sends the CANCELs of one stop. Called again, with `force`, by the second interrupt. */
type SendCancels = (options: CancelOptions) => readonly CancelHandle[];

type Stop =
  | { readonly kind: 'none' }
  | { readonly kind: 'cancelling' | 'forcing'; readonly send: SendCancels; readonly settled: Promise<unknown> };

export class InterruptibleTurns {
  readonly #session: Pick<ClientSession, 'say' | 'steer' | 'resume' | 'cancel' | 'on'>;
  readonly #running = new Set<Turn>();
  readonly #agents: OwnAgents;
  readonly #stopsLanes: () => boolean;
  /** The turns of the session that have started and not ended. */
  readonly #started = new Set<string>();
  /** Words that wait for a model call of a turn, by their ref: the turn. */
  readonly #deferred = new Map<string, string>();
  readonly #idleListeners = new Listeners<void>();
  readonly #errorListeners = new Listeners<Error>();
  #stop: Stop = { kind: 'none' };

  /** `stopsLanes`: whether a stop of turns is one of their lanes, and lets their detached agents run on. */
  constructor(
    session: Pick<ClientSession, 'say' | 'steer' | 'resume' | 'cancel' | 'on'>,
    stopsLanes: () => boolean = () => false,
  ) {
    this.#session = session;
    this.#stopsLanes = stopsLanes;
    session.on('turn_started', ({ turn }) => void this.#started.add(turn));
    session.on('turn_ended', ({ turn }) => void this.#started.delete(turn));
    session.on('input_deferred', ({ ref, turn }) => void (ref !== null && this.#deferred.set(ref, turn)));
    this.#agents = new OwnAgents(session, (ref) => [...this.#running].some((turn) => turn.ref === ref));
  }

  /** Whether a turn of this terminal runs, or a stop has not settled yet. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#stop.kind !== 'none';
  }

  /** Whether words of this terminal have been said whose turn is not known yet. */
  get isOpening(): boolean {
    return [...this.#running].some(({ id }) => id === null);
  }

  /** The ids of the turns of this terminal that run, as far as they are known. */
  get ids(): readonly string[] {
    return [...this.#running].flatMap(({ id }) => id ?? []);
  }

  /** Whether a stop has not settled yet. */
  get isStopping(): boolean {
    return this.#stop.kind !== 'none';
  }

  /** Adds a listener, called each time that the last turn of this terminal has ended and no stop is unsettled. */
  onIdle(listener: () => void): void {
    this.#idleListeners.on('idle', listener);
  }

  /**
   * Adds a listener, called when a command could not be sent or its connection was lost. Not called for a refusal by the gateway,
   * for words that were taken as a cancel, or for the end of the session: those arrive as frames of the session.
   */
  onError(listener: (error: Error) => void): void {
    this.#errorListeners.on('error', listener);
  }

  /** Starts a turn. */
  say(text: string, options?: SayOptions): Turn {
    return this.#follow(this.#session.say(text, options));
  }

  /** Says something to the turn of this speaker that runs. */
  steer(text: string, options?: SayOptions): Turn {
    return this.#follow(this.#session.steer(text, options));
  }

  /** Takes an interrupted turn up again. */
  resume(turn: string, options?: ResumeOptions): Turn {
    return this.#follow(this.#session.resume(turn, options));
  }

  #follow(turn: Turn): Turn {
    this.#running.add(turn);
    const remove = () => {
      this.#running.delete(turn);
      this.#deferred.delete(turn.ref);
      if (this.#running.size === 0) this.#agents.forgetNodes();
      this.#reportIdle();
    };
    turn.ended.catch((error) => this.#reportError(error)).then(remove, remove);
    return turn;
  }

  /** Sends one CANCEL. `target`: a node id, `mine`, `session` or `tools:mine`. */
  stop(target: string, { force }: { readonly force: boolean }): void {
    const kind = force ? 'forcing' : 'cancelling';
    this.#send((options) => [this.#session.cancel(target, options)], kind, interruptReason);
  }

  /**
   * Stops the turns of this terminal; a second call forces the stop. Returns `idle` if there is nothing of this terminal to stop, and `repeated` if the stop was
   * forced already. `what`: `tools` stops the tools of the turns alone; `all` the turns and the agents that they have detached; `turn` the agents only where
   * no turn is left, or the gateway knows no lanes.
   */
  interrupt(
    reason = interruptReason,
    what: EscapeTarget | 'all' = 'turn',
  ): 'idle' | 'cancelling' | 'forcing' | 'repeated' {
    if (this.#stop.kind === 'forcing') return 'repeated';
    if (this.#stop.kind === 'cancelling') return this.#send(this.#stop.send, 'forcing', reason);
    const turns = [...this.#running];
    const agents = this.#agents.running;
    if (turns.length === 0 && agents.length === 0) return 'idle';
    if (what === 'tools')
      return this.#send((options) => turns.map((turn) => turn.cancelTools(options)), 'cancelling', reason);
    if (what === 'turn' && turns.length > 0 && this.#stopsLanes()) {
      const lanes = this.#firstOfLanes(turns);
      const apart = turns.filter((turn) => this.#waitsElsewhere(turn, lanes));
      const sendToLanes: SendCancels = (options) => [
        ...lanes.map((turn) => turn.cancelLane(options)),
        ...apart.map((turn) => turn.cancel(options)),
      ];
      return this.#send(sendToLanes, 'cancelling', reason);
    }
    const send: SendCancels = (options) => [
      ...turns.map((turn) => turn.cancel(options)),
      ...agents.map((agent) => this.#session.cancel(agent, options)),
    ];
    return this.#send(send, 'cancelling', reason);
  }

  /** The turns that run, each in a lane of its own; where none runs, the first one that waits. */
  #firstOfLanes(turns: readonly Turn[]): readonly Turn[] {
    const started = turns.filter(({ id }) => id !== null && this.#started.has(id));
    return started.length > 0 ? started : turns.filter(({ ref }) => !this.#deferred.has(ref)).slice(0, 1);
  }

  /** Whether the words of a turn wait at a turn that is none of these. */
  #waitsElsewhere({ id, ref }: Turn, lanes: readonly Turn[]): boolean {
    const at = this.#deferred.get(ref);
    return id === null && at !== undefined && !lanes.some((turn) => turn.id === at);
  }

  /** Resolves as soon as the receipt of every CANCEL has arrived. */
  async waitForStop(): Promise<void> {
    while (this.#stop.kind !== 'none') await this.#stop.settled;
  }

  /** Resolves as soon as every turn of this terminal has ended. */
  async waitForTurns(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running].map((turn) => turn.ended));
  }

  #send(send: SendCancels, kind: 'cancelling' | 'forcing', reason: string): 'cancelling' | 'forcing' {
    const cancels = send({ reason, force: kind === 'forcing' });
    for (const { accepted } of cancels) accepted.catch((error) => this.#reportError(error));
    const settled = Promise.allSettled(cancels.map((cancel) => cancel.settled));
    const stop: Stop = { kind, send, settled };
    this.#stop = stop;
    void settled.then(() => this.#onSettled(stop));
    return kind;
  }

  /** Called when every receipt of the stop has arrived. A later stop may have replaced it. */
  #onSettled(stop: Stop): void {
    if (this.#stop !== stop) return;
    this.#stop = { kind: 'none' };
    this.#reportIdle();
  }

  #reportIdle(): void {
    if (!this.isBusy) this.#idleListeners.emit('idle', undefined);
  }

  #reportError(error: unknown): void {
    const hasFrame = [CommandRefused, SessionEnded, TakenAsCancel].some((kind) => error instanceof kind);
    if (hasFrame || !(error instanceof Error)) return;
    this.#errorListeners.emit('error', error);
  }
}
