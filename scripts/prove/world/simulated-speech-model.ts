// A speech model of the simulated world: the shipped links and sessions, over connections to a simulated provider. It records each model call.
import { RealtimeLink } from '../../../src/adapters/models/realtime/realtime-link.ts';
import type { InspectResponse } from '../../../src/adapters/models/realtime/realtime-response.ts';
import { sessionSetup } from '../../../src/adapters/models/realtime/request-params.ts';
import {
  type ModelEnd,
  type ModelRequest,
  type ModelStream,
  narrowOptions,
} from '../../../src/core/contracts/provider.ts';
import type { SpeakerSound } from '../../../src/core/contracts/sound.ts';
import type { CutSpeech, SpeechLink, SpeechModel, SpeechRoom } from '../../../src/core/contracts/speech-model.ts';
import { onAbort } from '../../../src/core/sources/abort-signals.ts';
import type { Random } from '../../../src/core/sources/sources.ts';
import type { Growing, SpokenCallEvidence } from '../laws/evidence.ts';
import { type ProviderParts, SimulatedProvider } from './simulated-provider.ts';

/** From an abort to the end of its response, in milliseconds. */
export const answerMs = 500;
/** The longest silence of a response, in milliseconds: shorter than a hang. */
const silenceMs = 2_000;
const maxRetries = 2;

export interface SpeechModelParts extends Omit<ProviderParts, 'requestOf'> {
  readonly random: Random;
  readonly inspect: InspectResponse;
}

export class SimulatedSpeechModel implements SpeechModel {
  readonly name = 'simulated speech';
  readonly model = 'speech';
  readonly #parts: SpeechModelParts;
  readonly #provider: SimulatedProvider;
  readonly #requests = new Map<number, ModelRequest>();
  /** For what is not spoken. */
  readonly #text: RecordedLink;

  constructor(parts: SpeechModelParts) {
    this.#parts = parts;
    const requestOf = (call: number) => this.#requests.get(call) ?? { messages: [], tools: [] };
    this.#provider = new SimulatedProvider({ ...parts, requestOf });
    this.#text = this.#open(null);
  }

  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    return this.#text.stream(request, stream);
  }

  open(_session: string, room: SpeechRoom): SpeechLink {
    return this.#open(room);
  }

  close(): void {
    this.#text.close();
  }

  #open(room: SpeechRoom | null): RecordedLink {
    const { process, random, inspect, evidence, stamp } = this.#parts;
    const openLink = (heardBy: SpeechRoom | null) =>
      new RealtimeLink({
        clock: process.clock,
        random,
        model: this.model,
        maxRetries,
        answerMs,
        firstByteMs: silenceMs,
        idleMs: silenceMs,
        room: heardBy,
        connect: this.#provider.connect,
        inspect,
        connection: {
          baseUrl: '',
          apiKey: '',
          headers: {},
          clock: process.clock,
          setup: sessionSetup(room ? {} : null),
        },
      });
    const note = (call: Growing<SpokenCallEvidence>, request: ModelRequest) => {
      evidence.calls.push(call);
      this.#requests.set(call.number, request);
    };
    return new RecordedLink({ room, stamp, note, openLink });
  }
}

interface RecordedLinkParts extends Pick<ProviderParts, 'stamp'> {
  readonly room: SpeechRoom | null;
  note(call: Growing<SpokenCallEvidence>, request: ModelRequest): void;
  openLink(room: SpeechRoom | null): SpeechLink;
}

/** A link whose calls are recorded: when each was cut, and what it has passed on after that. */
class RecordedLink implements SpeechLink {
  readonly #parts: RecordedLinkParts;
  readonly #link: SpeechLink;
  readonly #calls: Growing<SpokenCallEvidence>[] = [];

  constructor(parts: RecordedLinkParts) {
    this.#parts = parts;
    const { room } = parts;
    this.#link = parts.openLink(room && this.#recording(room));
  }

  hearSound(sound: SpeakerSound): void {
    this.#link.hearSound(sound);
  }

  cut(speech: CutSpeech): void {
    for (const call of this.#ofBlock(speech)) call.abortedAt ??= this.#parts.stamp();
    this.#link.cut(speech);
  }

  close(): void {
    this.#link.close();
  }

  async stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd> {
    const { stamp, note } = this.#parts;
    const { id: turn, index } = request.call ?? {};
    const own: Growing<SpokenCallEvidence> = {
      number: stamp().at,
      block: turn === undefined ? null : { turn, index: index ?? 0 },
      abortedAt: null,
      endedAt: null,
      late: [],
    };
    this.#calls.push(own);
    note(own, request);
    using _ = onAbort(stream.signal, () => {
      own.abortedAt ??= stamp();
    });
    const onText = (text: string) => {
      if (own.abortedAt) own.late.push(`the text ${JSON.stringify(text)}`);
      stream.onText(text);
    };
    // the number of a call goes to the provider with its request, as its limit of tokens
    const numbered = { ...request, options: narrowOptions(request.options, { maxOutputTokens: own.number }) };
    const end = await this.#link.stream(numbered, Object.assign(Object.create(stream) as ModelStream, { onText }));
    own.endedAt = stamp();
    return end;
  }

  #ofBlock({ turn, index }: { readonly turn: string; readonly index: number }): readonly Growing<SpokenCallEvidence>[] {
    return this.#calls.filter(({ block }) => block?.turn === turn && block.index === index);
  }

  #recording(room: SpeechRoom): SpeechRoom {
    return {
      voice: (voice) => room.voice(voice),
      words: (words) => room.words(words),
      sound: (piece) => {
        for (const call of this.#ofBlock(piece)) if (call.abortedAt) call.late.push('sound');
        room.sound(piece);
      },
      soundEnded: (block) => room.soundEnded(block),
      warn: (message, error) => room.warn(message, error),
    };
  }
}
