// The commands about speech, TRANSCRIPT, BARGE_IN and PLAYED: of a bridge in a voice session, or of a speaker for what is spoken at their own connection, in any session.
//
// 1. A transcript that is not final has no effect but one: paused speech waits longer, because its speaker goes on.
// 2. A final one that passes the silence gate is said: as any words of its speaker, it cuts speech that they have interrupted. Only if the recognizer is sure of the words can they be a stop phrase.

import type { NodeId } from '../../../machines/vocabulary.ts';
import { isSpeech, isSure } from '../../../machines/voice.ts';
import type { SpokenWords } from '../../../machines/voice-facts.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { Ids } from '../sources/sources.ts';
import type { Appender } from '../transcript/journal.ts';
import type { Caller, FinalWordsReply, SayReply, SayRequest } from './api.ts';
import type { Inbox } from './inbox.ts';
import { type OwnSpeech, speaksAlone } from './own-speech.ts';
import type { Rooms } from './presence.ts';
import { stopPhraseIn } from './said-content.ts';
import type { Speech } from './speech.ts';
import type {
  BargeInReply,
  BargeInRequest,
  NotVoice,
  PlayedReply,
  PlayedRequest,
  SpeechNotYours,
  TranscriptRequest,
} from './voice-api.ts';

export interface VoiceCommandsParts {
  /** The speech of the bridge of a voice session; null: it is a text session. */
  readonly speech: Speech | null;
  readonly ownSpeech: OwnSpeech;
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
const notYours: SpeechNotYours = { type: 'not_yours' };

export class VoiceCommands {
  readonly #parts: VoiceCommandsParts;

  constructor(parts: VoiceCommandsParts) {
    this.#parts = parts;
  }

  /** See `Runtime.transcript`. `mayCancel`: the rule of access lets the caller cancel in this session. */
  async transcript(caller: Caller, request: TranscriptRequest, mayCancel: boolean): Promise<FinalWordsReply> {
    const { inbox, say } = this.#parts;
    const speech = this.#speechOf(caller);
    if (!speech) return notVoice;
    const { final, text, ref, addressed, replyToBot } = request;
    if (!isSpeech(text, request, speech.rules)) {
      if (final) this.#recordDropped(caller, request);
      speech.noteTranscript(final ? 'dropped' : 'partial');
      return { type: 'transcript_ignored', reason: final ? 'no_speech' : 'partial' };
    }
    if (!final) {
      inbox.post({ type: 'SPEECH', to: speech, event: { type: 'WORDS', by: caller.speaker.id, final } });
      speech.noteTranscript('partial');
      return { type: 'transcript_ignored', reason: 'partial' };
    }
    const sure = isSure(request, speech.rules);
    speech.noteTranscript(sure ? 'said' : 'unsure');
    const spoken = this.#spokenWords(request, sure);
    return say(caller, { text, ref, addressed, replyToBot, spoken }, mayCancel && sure);
  }

  /** See `Runtime.bargeIn`. */
  async bargeIn(caller: Caller, { durationMs }: BargeInRequest): Promise<BargeInReply> {
    const { ownSpeech, inbox, rooms, ids, rejectAtEnd } = this.#parts;
    const to = this.#speechOf(caller);
    if (!to) return notVoice;
    if (speaksAlone(caller) && !to.isSpeaking && ownSpeech.isSpokenToOthers(caller)) return notYours;
    const { speaker: by } = rooms.withRoles(caller);
    const { promise, resolve } = Promise.withResolvers<BargeInReply>();
    const bargeIn = { type: 'BARGE_IN', id: ids('barge_in'), by, durationMs: durationMs ?? null } as const;
    inbox.post({ type: 'BARGE_IN', to, bargeIn, reply: resolve });
    return rejectAtEnd(promise);
  }

  /** See `Runtime.played`. */
  async played(caller: Caller, request: PlayedRequest): Promise<PlayedReply> {
    if (speaksAlone(caller) && this.#parts.ownSpeech.isOfOthers(caller, request.turn)) return notYours;
    return this.#speechOf(caller, request.turn)?.notePlayed(request) ?? notVoice;
  }

  /** The speech that the command of a caller is about; null: there is none in a text session, other than at a speaker's own connection. */
  #speechOf(caller: Caller, turn?: NodeId): Speech | null {
    const { speech, ownSpeech } = this.#parts;
    return speaksAlone(caller) ? ownSpeech.speechOf(caller, turn) : speech;
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
