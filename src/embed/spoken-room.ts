// A voice session whose model hears and speaks: passes what its speakers say to the model, and what the model recognizes and says to the session.
//
// 1. It is to the session what a bridge is: words are transcripts, voice is a barge-in, and both are judged as those of any other.
// 2. Sound waits here, and goes out at the pace of speech. What was stopped or cut is dropped.
import type { RecordedFact } from '../../machines/facts.ts';
import { BoundedMap } from '../core/collections/bounded-map.ts';
import type { SoundRelay } from '../core/contracts/sound.ts';
import type {
  HeardVoice,
  HeardWords,
  MadeSound,
  SpeechLink,
  SpeechModel,
  SpeechRoom,
  WordsFate,
} from '../core/contracts/speech-model.ts';
import type { Caller, Runtime } from '../core/session/api.ts';
import { addMs, msSince } from '../core/sources/monotonic-time.ts';
import type { Clock, Disarm, MonotonicTime } from '../core/sources/sources.ts';
import { SpeechWriter } from './speech-writer.ts';
import { SpokenBlock } from './spoken-block.ts';

/** The name under which the model passes on what it hears. */
const earsName = 'speech-model';
/** Blocks whose places are remembered. */
const maxBlocks = 64;
/** The first report of a voice, after so many milliseconds of it, and the time between two as long as it is too short to count. */
const firstReportMs = 200;
const reportEveryMs = 150;
/** How often a voice is reported that has paused speech: it goes on. */
const repeatMs = 1_000;

export interface SpokenRoomParts {
  readonly session: string;
  readonly runtime: Runtime;
  readonly relay: SoundRelay;
  readonly clock: Clock;
  warn(message: string, error?: unknown): void;
}

/** Somebody who speaks. */
interface Speaking {
  readonly since: MonotonicTime;
  disarm: Disarm;
}

export class SpokenRoom implements SpeechRoom {
  readonly link: SpeechLink;
  readonly #parts: SpokenRoomParts;
  readonly #unsubscribe: () => void;
  readonly #blocks = new BoundedMap<string, SpokenBlock>(maxBlocks);
  readonly #speaking = new Map<string, Speaking>();
  /** Turns that are spoken now. */
  readonly #spoken = new Set<string>();
  #state: 'open' | 'closed' = 'open';

  constructor(model: SpeechModel, parts: SpokenRoomParts) {
    this.#parts = parts;
    this.link = model.open(parts.session, this);
    this.#unsubscribe = parts.relay.subscribe(parts.session, { speaker: (sound) => this.link.hearSound(sound) });
  }

  close(): void {
    this.#state = 'closed';
    this.#unsubscribe();
    for (const speaker of [...this.#speaking.keys()]) this.#endVoice(speaker);
    this.link.close();
  }

  /** Reads a fact of the session, after its commit. */
  onFact(fact: RecordedFact): void {
    if (fact.type === 'speech_started') {
      this.#spoken.add(fact.turn);
      for (const speaker of this.#speaking.keys()) this.#reportVoice(speaker);
    }
    if (fact.type === 'speech_cut')
      for (const { index, offset } of fact.heard) {
        const block = this.#blocks.get(keyOf(fact.turn, index));
        block?.drop();
        this.link.cut({ turn: fact.turn, index, offset, ms: block?.msAt(offset) ?? 0 });
      }
    if (fact.type !== 'speech_ended') return;
    this.#spoken.delete(fact.turn);
    if (fact.outcome === 'completed' || fact.outcome === 'timed_out') return;
    for (const block of this.#blocks.values()) if (block.turn === fact.turn) block.drop();
  }

  // -- what the model hears

  voice({ speaker, state, ms }: HeardVoice): void {
    this.#endVoice(speaker);
    if (state === 'ended' || this.#state === 'closed') return;
    this.#speaking.set(speaker, { since: addMs(this.#parts.clock.elapsed(), -ms), disarm: () => {} });
    if (this.#spoken.size > 0) this.#reportVoice(speaker);
  }

  async words({ speaker, text, final, confidence }: HeardWords): Promise<WordsFate> {
    const { runtime, session } = this.#parts;
    if (this.#state === 'closed') return 'dropped';
    try {
      const { type } = await runtime.voice.transcript(session, this.#callerFor(speaker), { text, final, confidence });
      return type === 'turn_opened' || type === 'input_deferred' ? 'said' : 'dropped';
    } catch (error) {
      this.warn(`The words of ${speaker} in the session ${session} were not accepted.`, error);
      return 'dropped';
    }
  }

  // -- what it says

  sound({ turn, index, pcm, written }: MadeSound): void {
    const { relay, session, clock } = this.#parts;
    const key = keyOf(turn, index);
    const known = this.#blocks.get(key);
    const block = known ?? new SpokenBlock(turn, new SpeechWriter({ relay, session, clock }, { turn, index }));
    if (!known) this.#blocks.set(key, block);
    block.add(pcm, written);
  }

  soundEnded({ turn, index, chars }: { readonly turn: string; readonly index: number; readonly chars: number }): void {
    this.#blocks.get(keyOf(turn, index))?.endText(chars);
  }

  warn(message: string, error?: unknown): void {
    this.#parts.warn(message, error);
  }

  /** Reports that somebody speaks, as soon as it may count, and again as long as the voice goes on. */
  #reportVoice(speaker: string): void {
    const speaking = this.#speaking.get(speaker);
    if (!speaking) return;
    speaking.disarm();
    const { clock, runtime, session } = this.#parts;
    const again = (ms: number) => {
      if (this.#speaking.get(speaker) === speaking) speaking.disarm = clock.after(ms, report);
    };
    const report = () => {
      const durationMs = Math.round(msSince(clock, speaking.since));
      runtime.voice.bargeIn(session, this.#callerFor(speaker), { durationMs }).then(
        (reply) => {
          if (reply.type !== 'barge_in') return;
          if (reply.result === 'too_short') again(reportEveryMs);
          if (reply.result === 'paused') again(repeatMs);
        },
        (error) => this.warn(`The voice of ${speaker} in the session ${session} was not accepted.`, error),
      );
    };
    again(Math.max(0, firstReportMs - msSince(clock, speaking.since)));
  }

  #endVoice(speaker: string): void {
    this.#speaking.get(speaker)?.disarm();
    this.#speaking.delete(speaker);
  }

  /** The gateway has checked that the speaker may speak here, before it passed the sound on. */
  #callerFor(speaker: string): Caller {
    const { session } = this.#parts;
    const own = { id: speaker, roles: ['member'] } as const;
    const proof = { speaker: own, sessions: [session] };
    return { speaker: own, via: earsName, connection: `${earsName} of ${session}`, proof };
  }
}

const keyOf = (turn: string, index: number): string => `${index} ${turn}`;
