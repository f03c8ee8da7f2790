// The link of a session to a model of the Realtime API: it has one session at the provider at a time, and replaces it.
//
// 1. A session at the provider is replaced when nothing happens, at the latest before it ends by itself, and whenever it is lost: the messages of the next request are all that the next one needs.
// 2. A response of which nothing has come is asked for again, a limited number of times; any other failure is the end of its model call.
import { noUsage } from '../../../../machines/vocabulary.ts';
import type { ModelEnd, ModelRequest, ModelStream } from '../../../core/contracts/provider.ts';
import type { SpeakerSound } from '../../../core/contracts/sound.ts';
import type { CutSpeech, SpeechLink } from '../../../core/contracts/speech-model.ts';
import { onAbort, raceAbort } from '../../../core/sources/abort-signals.ts';
import { msSince } from '../../../core/sources/monotonic-time.ts';
import { pause } from '../../../core/sources/pause.ts';
import type { Disarm, MonotonicTime, Random } from '../../../core/sources/sources.ts';
import { classifyFailure, type Failure } from '../classify-failure.ts';
import { retryDelayMs } from '../retry.ts';
import { type LinkedSessionOptions, ProviderSession, type ResponseKind } from './provider-session.ts';
import type { RealtimeConnectionOptions } from './realtime-connection.ts';

/** How often it is looked for a session that may be replaced, in milliseconds. */
const lookMs = 30_000;
/** From this age on a session is replaced as soon as nothing happens in it. */
const oldMs = 1_800_000;
/** A session in which nothing has happened for this long is closed. */
const unusedMs = 300_000;
/** How long no connection is made for sound after one has failed. */
const failedMs = 5_000;

export interface RealtimeLinkOptions extends LinkedSessionOptions {
  readonly random: Random;
  readonly connection: Omit<RealtimeConnectionOptions, 'model'>;
  /** The model of requests that name none. */
  readonly model: string;
  readonly maxRetries: number;
}

export class RealtimeLink implements SpeechLink {
  readonly #options: RealtimeLinkOptions;
  /** The one that is used; null: none is. */
  #session: ProviderSession | null = null;
  /** All sessions, also those that are replaced and not closed yet. */
  readonly #sessions = new Set<ProviderSession>();
  #openedAt: MonotonicTime;
  #usedAt: MonotonicTime;
  /** When a connection has failed last; null: none has. */
  #failedAt: MonotonicTime | null = null;
  #disarmLook: Disarm = () => {};
  #state: 'open' | 'closed' = 'open';

  constructor(options: RealtimeLinkOptions) {
    this.#options = options;
    this.#openedAt = options.clock.elapsed();
    this.#usedAt = this.#openedAt;
  }

  hearSound(sound: SpeakerSound): void {
    const { clock } = this.#options;
    const hasFailed = this.#failedAt !== null && msSince(clock, this.#failedAt) < failedMs;
    if (this.#state === 'closed' || (this.#session === null && hasFailed)) return;
    const hearingOut = [...this.#sessions].find(({ isHearingOut }) => isHearingOut);
    (hearingOut ?? this.#current()).hearSound(sound);
  }

  cut(speech: CutSpeech): void {
    for (const session of this.#sessions) session.cut(speech);
  }

  close(): void {
    this.#state = 'closed';
    this.#disarmLook();
    for (const session of [...this.#sessions]) session.close();
  }

  async stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    const { maxRetries, random, clock } = this.#options;
    const { call } = request;
    const isOfSession = call !== undefined && call.agent === null;
    const isSpoken = this.#options.room !== null && isOfSession;
    const how = { isSpoken, isApart: !isSpoken || call?.acknowledges !== undefined };
    for (let retries = 0; ; retries++) {
      if (stream.signal.aborted) return { kind: 'stopped', calls: [], usage: noUsage };
      if (this.#state === 'closed')
        return { kind: 'failed', code: 'model_cut_off', message: 'The link to the model is closed.', usage: noUsage };
      const { end, failure } = await this.#respond(request, stream, how);
      if (failure === null || retries >= Math.min(maxRetries, failure.maxRetries)) return end;
      const limitMs = failure.code === 'model_rate_limited' ? this.#session?.waitMs || null : null;
      const asked = failure.retryAfterMs ?? limitMs;
      const waitMs = retryDelayMs(retries, asked, random);
      if (waitMs === null) return end;
      await pause(clock, waitMs, stream.signal);
    }
  }

  async #respond(
    request: ModelRequest,
    stream: ModelStream,
    how: ResponseKind,
  ): Promise<{ readonly end: ModelEnd; readonly failure: Failure | null }> {
    const session = this.#current(request.model);
    try {
      if ((await raceAbort(session.opened, stream.signal)) === 'aborted')
        return { end: { kind: 'stopped', calls: [], usage: noUsage }, failure: null };
    } catch (error) {
      const failure = classifyFailure(error, this.#options.clock);
      return { end: { kind: 'failed', code: failure.code, message: failure.message, usage: noUsage }, failure };
    }
    const response = session.respond(request, stream, how);
    using _ = onAbort(stream.signal, () => response.abort('stopped'));
    const result = await response.result;
    this.#usedAt = this.#options.clock.elapsed();
    return result;
  }

  /** Returns the session that is used now: a new one, if there is none. It has one model. */
  #current(model = this.#options.model): ProviderSession {
    const { clock, connection, ...options } = this.#options;
    this.#usedAt = clock.elapsed();
    if (this.#session?.model !== model) this.#session?.startLeaving();
    if (this.#session) return this.#session;
    this.#openedAt = clock.elapsed();
    const session = new ProviderSession({
      ...options,
      clock,
      connection: { ...connection, model },
      onLeaving: (one) => {
        if (this.#session === one) this.#session = null;
      },
      onOver: (one, failed) => {
        this.#sessions.delete(one);
        if (failed) this.#failedAt = clock.elapsed();
      },
    });
    this.#sessions.add(session);
    this.#session = session;
    this.#watchAge(session);
    return session;
  }

  /** Looks every now and then whether the session may be replaced, or is not needed. */
  #watchAge(session: ProviderSession): void {
    const { clock } = this.#options;
    this.#disarmLook();
    this.#disarmLook = clock.after(lookMs, () => {
      if (this.#session !== session) return;
      const isDue = msSince(clock, this.#openedAt) >= oldMs || msSince(clock, this.#usedAt) >= unusedMs;
      if (isDue && session.isIdle) session.startLeaving();
      else this.#watchAge(session);
    });
  }
}
