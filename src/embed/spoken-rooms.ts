// The voice sessions of a runtime whose model hears and speaks: opens a room for each that somebody joins, and has its turns spoken there.
import type { Provider } from '../core/contracts/provider.ts';
import type { SpeechModel } from '../core/contracts/speech-model.ts';
import type { RuntimeConfig } from '../core/runtime/config.ts';
import type { Runtime } from '../core/session/api.ts';
import type { Observer } from '../core/session/session-spec.ts';
import type { Clock, Disarm } from '../core/sources/sources.ts';
import { SpokenRoom } from './spoken-room.ts';

/** How often it is looked for rooms whose session is asleep, in milliseconds. */
const sweepMs = 60_000;

export interface SpokenRoomsOptions {
  readonly clock: Clock;
  warn(message: string, error?: unknown): void;
}

export class SpokenRooms {
  readonly #model: SpeechModel;
  readonly #options: SpokenRoomsOptions;
  /** Rooms by session; null: the session is not spoken. */
  readonly #rooms = new Map<string, Promise<SpokenRoom | null>>();
  readonly #open = new Map<string, SpokenRoom>();
  #runtime: Runtime | null = null;
  #disarmSweep: Disarm = () => {};
  #state: 'open' | 'closed' = 'open';

  constructor(model: SpeechModel, options: SpokenRoomsOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** Returns the configuration of a runtime whose voice sessions are spoken by the model. */
  configure<Config extends Pick<RuntimeConfig, 'provider' | 'observers'>>(config: Config): Config {
    return { ...config, provider: this.#provider, observers: [...(config.observers ?? []), this.#observer] };
  }

  /** Serves the runtime that was configured so. */
  serve(runtime: Runtime): void {
    this.#runtime = runtime;
    this.#sweepLater();
  }

  close(): void {
    this.#state = 'closed';
    this.#disarmSweep();
    for (const room of this.#open.values()) room.close();
    this.#open.clear();
    this.#rooms.clear();
  }

  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  get #provider(): Provider {
    const model = this.#model;
    const { name, endpoint } = model;
    return {
      name,
      model: model.model,
      endpoint,
      stream: async (request, stream) => {
        const { session, call } = request;
        const room = session === undefined || !call ? null : await this.#roomOf(session);
        return room ? room.link.stream(request, stream) : model.stream(request, stream);
      },
    };
  }

  get #observer(): Observer {
    return {
      joined: ({ session }) => void this.#roomOf(session),
      fact: (session, _seq, fact, moments) => {
        if (moments !== null) this.#open.get(session)?.onFact(fact);
      },
      deleted: (session) => this.#forget(session),
    };
  }

  /** Resolves with the room of a session; null: it is not spoken. */
  #roomOf(session: string): Promise<SpokenRoom | null> {
    const known = this.#rooms.get(session);
    if (known) return known;
    const opening = this.#openRoom(session).catch((error) => {
      if (this.#state === 'open') this.#options.warn(`The session ${session} could not be opened for speech.`, error);
      this.#rooms.delete(session);
      return null;
    });
    this.#rooms.set(session, opening);
    return opening;
  }

  async #openRoom(session: string): Promise<SpokenRoom | null> {
    const runtime = this.#runtime;
    if (!runtime || this.#isClosed) return null;
    const { kind } = await runtime.open(session);
    if (kind !== 'voice') return null;
    const relay = await runtime.voice.sound();
    if (this.#isClosed) return null;
    const room = new SpokenRoom(this.#model, { ...this.#options, session, runtime, relay });
    this.#open.set(session, room);
    return room;
  }

  /** Closes the rooms of sessions that are asleep: the next who joins opens one again. */
  #sweepLater(): void {
    if (this.#isClosed) return;
    this.#disarmSweep = this.#options.clock.after(sweepMs, () => {
      void this.#sweep().finally(() => this.#sweepLater());
    });
  }

  async #sweep(): Promise<void> {
    const runtime = this.#runtime;
    if (!runtime || this.#rooms.size === 0) return;
    const { awakeHere } = await runtime.directory();
    for (const session of [...this.#rooms.keys()])
      if (awakeHere.mayRead(nobody, session) === null) this.#forget(session);
  }

  #forget(session: string): void {
    this.#open.get(session)?.close();
    this.#open.delete(session);
    this.#rooms.delete(session);
  }
}

/** Whether a session is awake is asked for nobody. */
const nobody = { speaker: { id: 'nobody', roles: [] }, connection: 'none' } as const;
