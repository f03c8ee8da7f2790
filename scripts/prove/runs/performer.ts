// Performs the injections of a run.
import type { CancelRequest } from '../../../src/core/session/api.ts';
import type { Person } from '../world/scenario.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type CrashKind, plainWords, type SimulatedWorld } from '../world/world.ts';
import { performCellEvent } from './cell-events.ts';
import { type CellSource, type InjectedSource, type Injection, isCancel, isCellSource } from './injections.ts';

/** How often a CANCEL by HTTP is sent, at one moment. */
const copies = 2;
/** How long tools and models hang: longer than every budget of a stop. */
export const hangMs = 3_000;

export class Performer {
  readonly #world: SimulatedWorld;
  readonly #scheduler: Scheduler;
  #closing: Promise<void> | null = null;
  #hasShutDown = false;

  constructor(world: SimulatedWorld, scheduler: Scheduler) {
    this.#world = world;
    this.#scheduler = scheduler;
  }

  /** Whether the host was asked to shut down, and has not died since. */
  get isShutDown(): boolean {
    return this.#closing !== null;
  }

  /** Whether a host was ever asked to shut down: then clients know that their session is over. */
  get hasShutDown(): boolean {
    return this.#hasShutDown;
  }

  /** Shuts the host down. `force`: also where it is being shut down. */
  shutDown({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    this.#hasShutDown = true;
    if (force) this.#closing = this.#world.runtime?.close({ force }) ?? null;
    this.#closing ??= this.#world.runtime?.close() ?? null;
    return this.#closing ?? Promise.resolve();
  }

  perform(injection: Injection): void {
    const { source } = injection;
    if (source === 'forced shutdown') return void this.shutDown({ force: true });
    if (isCellSource(source)) return performCellEvent(source, this.#world, this.#scheduler);
    // a frame is a step of its own: what comes between two microtasks goes to the runtime at once
    if (isCancel(injection) && injection.microtask !== undefined) this.#cancelAtRuntime(injection);
    else this.#act(source, injection);
  }

  #act(source: Exclude<InjectedSource, CellSource>, injection: Injection): void {
    const { target } = injection;
    const { alice, bob, carol } = this.#world.clients;
    switch (source) {
      case 'owner':
        return void alice.session.cancel(target);
      case 'moderator':
        return void carol.session.cancel(target);
      case 'stranger':
        return void bob.session.cancel(target);
      case 'force':
        return void alice.session.cancel(target, { force: true });
      case 'phrase':
        return void alice.session.say('stop');
      case 'http':
      case 'disconnect':
      case 'shutdown':
        return this.#cancelAtRuntime(injection);
      case 'crash':
        this.#closing = null;
        return this.#world.crash(target as CrashKind); // the targets of a crash are its kinds
      case 'say':
        return void alice.session.say('and this');
      case 'steer':
        return void alice.session.steer('and this, too');
      case 'answer':
        return this.#answer();
      case 'resume':
        return this.#resume();
      case 'lost':
        return bob.lose();
      case 'hang':
        for (const work of ['tool ', 'model ']) this.#scheduler.hold(work, hangMs);
    }
  }

  #cancelAtRuntime({ source, target, step }: Injection): void {
    const { runtime, clients } = this.#world;
    if (!runtime) return;
    const doorOf = (person: Person) =>
      this.#world.openDoor(this.#world.speakerOf(person), clients[person].client.connection ?? person);
    const cancel = (person: Person, request: Partial<CancelRequest> = {}) =>
      doorOf(person).cancel({ target, ...request });
    const acts: Partial<Record<typeof source, () => unknown>> = {
      owner: () => cancel('alice'),
      moderator: () => cancel('carol'),
      stranger: () => cancel('bob'),
      force: () => cancel('alice', { force: true }),
      phrase: () => doorOf('alice').say({ text: 'stop' }),
      http: () => {
        const ref = `http-${step}`;
        for (let i = 0; i < copies; i++) void cancel('alice', { source: 'http', ref });
      },
      disconnect: () => clients.alice.lose(),
      shutdown: () => this.shutDown(),
    };
    void acts[source]?.();
  }

  /** Answers the question that alice has received last. */
  #answer(): void {
    const { session: own, emitted } = this.#world.clients.alice;
    const asked = emitted.findLast(({ type }) => type === 'approval_requested' || type === 'question_asked');
    const ignore = () => {}; // it may be closed
    if (!asked) return;
    const node = String(asked['node']);
    if (asked.type === 'question_asked') own.answer(node, 'this one').catch(ignore);
    else own.approve(node).catch(ignore);
  }

  /** Resumes the turn that alice has received the end of last. */
  #resume(): void {
    const { session: own, emitted } = this.#world.clients.alice;
    const ended = emitted.findLast(({ type }) => type === 'turn_ended');
    if (ended) own.resume(String(ended['turn']), { text: plainWords });
  }
}
