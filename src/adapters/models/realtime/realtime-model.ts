// A model that hears and speaks over OpenAI's Realtime API. What it needs of the openai client is loaded with its first connection.
//
// A session that is spoken has a link. A model call of any other is a response of its own, in text.
import { noUsage } from '../../../../machines/vocabulary.ts';
import { loadOnce } from '../../../core/collections/load-once.ts';
import type { ModelEnd, ModelRequest, ModelStream, ProviderEndpoint } from '../../../core/contracts/provider.ts';
import type { SpeakerSound } from '../../../core/contracts/sound.ts';
import type { CutSpeech, SpeechLink, SpeechModel, SpeechRoom } from '../../../core/contracts/speech-model.ts';
import { raceAbort } from '../../../core/sources/abort-signals.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { Endpoint, type EndpointOptions } from '../endpoint.ts';
import { maskSecrets } from '../mask-secrets.ts';
import { isOpenAIHost } from '../openai-apis.ts';
import { silenceLimits } from '../response-limits.ts';
import type { RealtimeLink } from './realtime-link.ts';
import type { RealtimeVoice } from './request-params.ts';

/** How long the provider may take to end a response that was aborted, in milliseconds. */
const defaultAnswerMs = 500;

export interface RealtimeEndpointOptions extends EndpointOptions {
  /** For requests that name none. */
  readonly model: string;
  readonly voice?: RealtimeVoice | undefined;
  /** How long the provider may take to end a response that was stopped, in milliseconds (500). Then its connection is terminated. */
  readonly answerMs?: number | undefined;
}

export class RealtimeModel implements SpeechModel {
  readonly name: string;
  readonly model: string;
  readonly endpoint: ProviderEndpoint;
  readonly #options: RealtimeEndpointOptions;
  /** What writes text: for sessions that are not spoken. */
  readonly #text: LateLink;

  /**
   * @throws RangeError if the key is empty, or the address is no URL of http or https, or has credentials.
   */
  constructor(options: RealtimeEndpointOptions) {
    const endpoint = new Endpoint(options);
    this.#options = options;
    this.name = `realtime at ${endpoint.place}`;
    this.model = options.model;
    this.endpoint = endpoint.describe(isOpenAIHost(new URL(options.baseUrl).hostname) ? 'openai' : 'unknown');
    this.#text = new LateLink(options, null);
  }

  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    return this.#text.stream(request, stream);
  }

  open(_session: string, room: SpeechRoom): SpeechLink {
    return new LateLink(this.#options, room);
  }
}

/** Pieces of sound that are kept until the parts are loaded: the latest. */
const maxEarly = 250;

/** A link whose parts are loaded with its first use. */
class LateLink implements SpeechLink {
  readonly #options: RealtimeEndpointOptions;
  readonly #room: SpeechRoom | null;
  readonly #load = loadOnce(() => this.#open());
  #state: 'open' | 'closed' = 'open';
  #link: RealtimeLink | null = null;
  #early: SpeakerSound[] = [];

  constructor(options: RealtimeEndpointOptions, room: SpeechRoom | null) {
    this.#options = options;
    this.#room = room;
  }

  hearSound(sound: SpeakerSound): void {
    if (this.#link) return this.#link.hearSound(sound);
    this.#early.push(sound);
    if (this.#early.length > maxEarly) this.#early.shift();
    void this.#load().catch((error) => this.#room?.warn('What hears could not be loaded.', error));
  }

  cut(speech: CutSpeech): void {
    this.#link?.cut(speech);
  }

  async stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    const { apiKey, headers = {} } = this.#options;
    try {
      const link = await raceAbort(this.#load(), stream.signal);
      if (link === 'aborted') return { kind: 'stopped', calls: [], usage: noUsage };
      const end = await link.stream(request, stream);
      if (end.kind !== 'failed') return end;
      return { ...end, message: maskSecrets(end.message, [apiKey, ...Object.values(headers)]) };
    } catch (error) {
      const message = `The openai client could not be used: ${errorText(error)}`;
      return { kind: 'failed', code: 'model_unavailable', message, usage: noUsage };
    }
  }

  close(): void {
    this.#state = 'closed';
    this.#link?.close();
  }

  async #open(): Promise<RealtimeLink> {
    const [{ RealtimeLink }, { RealtimeConnection }, { sessionSetup }] = await Promise.all([
      import('./realtime-link.ts'),
      import('./realtime-connection.ts'),
      import('./request-params.ts'),
    ]);
    const { baseUrl, apiKey, headers = {}, clock, random, model, voice = {} } = this.#options;
    const { maxRetries = 2, answerMs = defaultAnswerMs } = this.#options;
    const { firstByteMs = silenceLimits.firstByteMs, idleMs = silenceLimits.idleMs } = this.#options;
    const room = this.#room;
    const setup = sessionSetup(room ? voice : null);
    const link = new RealtimeLink({
      clock,
      random,
      model,
      maxRetries,
      answerMs,
      firstByteMs,
      idleMs,
      room,
      connect: (options, listener) => new RealtimeConnection(options, listener),
      connection: { baseUrl, apiKey, headers, clock, setup },
    });
    if (this.#state === 'closed') link.close();
    this.#link = link;
    for (const sound of this.#early) link.hearSound(sound);
    this.#early = [];
    return link;
  }
}
