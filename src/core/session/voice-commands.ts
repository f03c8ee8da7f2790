// The commands of a bridge in a voice session: TRANSCRIPT, BARGE_IN and PLAYED.
//
// 1. A transcript that is not final has no effect but one: paused speech waits longer, because its speaker goes on.
// 2. A final one that passes the silence gate is said: as any words of its speaker, it cuts speech that they have interrupted. Only if the recognizer is sure of the words can they be a stop phrase.
import { isSpeech, isSure } from '../../../machines/voice.ts';
import type { SpokenWords } from '../../../machines/voice-facts.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { Ids } from '../sources/sources.ts';
import type { Appender } from '../transcript/journal.ts';
import type { Caller, FinalWordsReply, SayReply, SayRequest } from './api.ts';
import type { Inbox } from './inbox.ts';
import type { Rooms } from './presence.ts';
import { stopPhraseIn } from './said-content.ts';
import type { Speech } from './speech.ts';
import type {
  BargeInReply,
  BargeInRequest,
  NotVoice,
  PlayedReply,
  PlayedRequest,
  TranscriptRequest,
} from './voice-api.ts';

export interface VoiceCommandsParts {
  /** The speech of a voice session; null: it is none. */
  readonly speech: Speech | null;
  readonly inbox: Inbox;
  readonly journal: Appender;
  readonly rooms: Rooms;
  readonly ids: Ids;
  readonly stopPhrases: StopPhraseOptions | undefined;
  say(caller: Caller, said: SayRequest, mayCancel: boolean): Promise<SayReply>;
  /** Returns a promise that rejects as soon as the session accepts no more commands. */
  rejectAtEnd<T>(reply: Promise<T>): Promise<T>;
}

/** The limit of the text of a transcript that is recorded although it was dropped. */
const maxDroppedChars = 500;

const notVoice: NotVoice = { type: 'not_voice' };

export class VoiceCommands {
  readonly #parts: VoiceCommandsParts;

  constructor(parts: VoiceCommandsParts) {
    this.#parts = parts;
  }

  /** See `Runtime.transcript`. `mayCancel`: the rule of access lets the caller cancel in this session. */
  async transcript(caller: Caller, request: TranscriptRequest, mayCancel: boolean): Promise<FinalWordsReply> {
    const { speech, inbox, say } = this.#parts;
    if (!speech) return notVoice;
    const { final, text, ref, addressed, replyToBot } = request;
    if (!isSpeech(text, request, speech.rules)) {
      if (final) this.#recordDropped(caller, request);
      return { type: 'transcript_ignored', reason: final ? 'no_speech' : 'partial' };
    }
    if (!final) {
      inbox.post({ type: 'SPEECH', event: { type: 'WORDS', by: caller.speaker.id, final } });
      return { type: 'transcript_ignored', reason: 'partial' };
    }
    const spoken = this.#spokenWords(request, isSure(request, speech.rules));
    return say(caller, { text, ref, addressed, replyToBot, spoken }, mayCancel && isSure(request, speech.rules));
  }

  /** See `Runtime.bargeIn`. */
  async bargeIn(caller: Caller, { durationMs }: BargeInRequest): Promise<BargeInReply> {
    const { speech, inbox, rooms, ids, rejectAtEnd } = this.#parts;
    if (!speech) return notVoice;
    const { speaker: by } = rooms.withRoles(caller);
    const { promise, resolve } = Promise.withResolvers<BargeInReply>();
    const bargeIn = { type: 'BARGE_IN', id: ids('barge_in'), by, durationMs: durationMs ?? null } as const;
    inbox.post({ type: 'BARGE_IN', bargeIn, reply: resolve });
    return rejectAtEnd(promise);
  }

  /** See `Runtime.played`. */
  async played(request: PlayedRequest): Promise<PlayedReply> {
    return this.#parts.speech?.notePlayed(request) ?? notVoice;
  }

  #spokenWords(request: TranscriptRequest, sure: boolean): SpokenWords {
    const { confidence, noSpeech, text } = request;
    const isRefused = !sure && stopPhraseIn({ text, spoken: {} }, this.#parts.stopPhrases) !== null;
    return { ...dropUndefined({ confidence, noSpeech }), ...(isRefused && { stopRefused: 'low_confidence' }) };
  }

  /** Silence itself is not recorded: it has no words. */
  #recordDropped({ speaker, via }: Caller, { text, noSpeech, confidence }: TranscriptRequest): void {
    if (text.trim() === '' || noSpeech === undefined) return;
    const record = dropUndefined({ via, confidence });
    const words = text.slice(0, maxDroppedChars);
    void this.#parts.journal.append([{ type: 'transcript_dropped', by: speaker.id, text: words, noSpeech, ...record }]);
  }
}
