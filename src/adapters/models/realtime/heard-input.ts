// Input of the provider: whose sound it gets, who begins and ends to speak, and the words that it recognizes.
//
// 1. Words belong to the speaker whose sound they were made of.
// 2. An item of sound stays unjudged until the room has said what becomes of its words.
import type { SpeakerId } from '../../../../machines/vocabulary.ts';
import { BoundedMap } from '../../../core/collections/bounded-map.ts';
import type { SpeakerSound } from '../../../core/contracts/sound.ts';
import type { SpeechRoom } from '../../../core/contracts/speech-model.ts';
import type { Clock } from '../../../core/sources/sources.ts';
import { InputFloor } from './input-floor.ts';
import type { ProviderConversation } from './provider-conversation.ts';
import type { RealtimeServerEvent } from './realtime-events.ts';

/** Items of sound whose speaker is remembered. */
const maxItems = 100;

export interface HeardInputOptions {
  readonly clock: Clock;
  readonly room: SpeechRoom;
  readonly conversation: Pick<ProviderConversation, 'add' | 'judge' | 'isHearing'>;
  /** Called when it is known what becomes of words. */
  onJudged(): void;
}

/** An item that is, or will be, made of sound. */
interface HeardItem {
  readonly speaker: SpeakerId;
  readonly startMs: number;
  /** The words so far. */
  words: string;
}

export class HeardInput {
  readonly #options: HeardInputOptions;
  readonly #floor: InputFloor;
  readonly #items = new BoundedMap<string, HeardItem>(maxItems);
  #speaking: HeardItem | null = null;
  #state: 'open' | 'closed' = 'open';

  constructor(options: HeardInputOptions) {
    this.#options = options;
    this.#floor = new InputFloor(options.clock);
  }

  get isSpeaking(): boolean {
    return this.#speaking !== null;
  }

  /** Whether nobody speaks, and no words are waited for. */
  get isIdle(): boolean {
    return !this.isSpeaking && !this.#options.conversation.isHearing;
  }

  /** Returns what of the sound of a speaker goes to the provider. */
  pass(sound: SpeakerSound): readonly Uint8Array[] {
    return this.#floor.pass(sound);
  }

  /** Handles an event about sound. Returns false if it is about something else. */
  onEvent(event: RealtimeServerEvent): boolean {
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        this.#begin(event.item_id, event.audio_start_ms);
        return true;
      case 'input_audio_buffer.speech_stopped':
        this.#endSpeech(event.audio_end_ms);
        return true;
      case 'input_audio_buffer.committed':
        this.#commit(event.item_id, event.previous_item_id);
        return true;
      case 'conversation.item.input_audio_transcription.delta':
        this.#addWords(event.item_id, event.delta ?? '');
        return true;
      case 'conversation.item.input_audio_transcription.completed':
        this.#endWords(event.item_id, event.transcript.trim(), confidenceOf(event.logprobs));
        return true;
      case 'conversation.item.input_audio_transcription.failed':
        this.#options.room.warn(`What was said could not be recognized: ${event.error.message ?? 'without a reason'}`);
        this.#judge(event.item_id, 'dropped');
        return true;
      default:
        return false;
    }
  }

  /** The connection is over: who speaks is not heard any more. */
  close(): void {
    this.#state = 'closed';
    this.#endSpeech(this.#floor.sentMs);
  }

  #begin(item: string, startMs: number): void {
    this.#floor.isSpeaking = true;
    const speaking = this.#itemAt(item, startMs);
    this.#speaking = speaking;
    if (speaking)
      this.#options.room.voice({ speaker: speaking.speaker, state: 'began', ms: this.#floor.sentMs - startMs });
  }

  #endSpeech(endMs: number): void {
    this.#floor.isSpeaking = false;
    const speaking = this.#speaking;
    this.#speaking = null;
    if (!speaking) return;
    const ms = Math.max(0, endMs - speaking.startMs);
    this.#options.room.voice({ speaker: speaking.speaker, state: 'ended', ms });
  }

  #commit(item: string, after: string | null | undefined): void {
    this.#options.conversation.add(item, { kind: 'heard', fate: 'unjudged', words: '' }, after);
    this.#itemAt(item, 0);
  }

  #itemAt(item: string, startMs: number): HeardItem | null {
    const known = this.#items.get(item);
    if (known) return known;
    const speaker = this.#floor.speakerSince(startMs);
    if (speaker === null) return null;
    const made = { speaker, startMs, words: '' };
    this.#items.set(item, made);
    return made;
  }

  #addWords(id: string, delta: string): void {
    const item = this.#items.get(id);
    if (!item || delta === '') return;
    item.words += delta;
    if (item.words.trim() !== '')
      void this.#options.room.words({ speaker: item.speaker, text: item.words.trim(), final: false });
  }

  #endWords(id: string, text: string, confidence: number | undefined): void {
    const item = this.#items.get(id);
    this.#options.conversation.judge(id, { words: text });
    if (!item || text === '') return this.#judge(id, 'dropped');
    const said = this.#options.room.words({ speaker: item.speaker, text, final: true, confidence });
    void said.then((fate) => this.#judge(id, fate));
  }

  #judge(id: string, fate: 'said' | 'dropped'): void {
    this.#options.conversation.judge(id, { fate });
    this.#items.delete(id);
    if (this.#state === 'open') this.#options.onJudged();
  }
}

/** Returns how sure the recognizer is: the mean probability of its tokens. Undefined: it does not say. */
function confidenceOf(logprobs: readonly { readonly logprob: number }[] | null | undefined): number | undefined {
  if (!logprobs || logprobs.length === 0) return undefined;
  const mean = logprobs.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0) / logprobs.length;
  return Math.min(1, Math.max(0, mean));
}
