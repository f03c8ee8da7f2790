// The contract of a model that hears and speaks. Its responses are model calls of turns, as those of any provider; beside that it recognizes words and makes sound.
//
// 1. It decides nothing: no response begins that a turn has not asked for, and voice that it notices is evidence, as that of a bridge.
// 2. The messages of a request are the conversation. What the provider keeps of it is made equal to them before each response.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { ModelEnd, ModelRequest, ModelStream, Provider } from './provider.ts';
import type { SpeakerSound } from './sound.ts';

/** A provider whose model also hears and speaks. `stream` writes text; what is spoken goes over the link of a session. */
export interface SpeechModel extends Provider {
  /** Opens the link of a session whose turns are spoken. Nothing is connected before it is used. */
  open(session: string, room: SpeechRoom): SpeechLink;
}

export interface SpeechLink {
  /** Receives what a speaker says. */
  hearSound(sound: SpeakerSound): void;
  /** Makes a model call as `Provider.stream`, whose response is spoken if it is one of a root turn: its sound goes to the room. */
  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd>;
  /** The speech of a block was cut. What the model has not said of it yet is not generated; a later report of the same block replaces an earlier one. */
  cut(speech: CutSpeech): void;
  /** Ends everything: nothing more comes to the room. */
  close(): void;
}

/** How much of a text block was heard before its speech was cut. */
export interface CutSpeech {
  readonly turn: NodeId;
  readonly index: number;
  /** Characters of its text. */
  readonly offset: number;
  /** Milliseconds of its sound. */
  readonly ms: number;
}

/** What a link says to the session that it is for. No method may throw. */
export interface SpeechRoom {
  /** Somebody begins to speak, or ends. */
  voice(voice: HeardVoice): void;
  /** Words were recognized. Resolves when they have been judged. */
  words(words: HeardWords): Promise<WordsFate>;
  /** A piece of the sound of a response. */
  sound(piece: MadeSound): void;
  /** All sound of a block was made. `chars`: the length of its text. */
  soundEnded(block: { readonly turn: NodeId; readonly index: number; readonly chars: number }): void;
  warn(message: string, error?: unknown): void;
}

export interface HeardVoice {
  readonly speaker: SpeakerId;
  readonly state: 'began' | 'ended';
  /** For how long so far, in milliseconds. */
  readonly ms: number;
}

export interface HeardWords {
  readonly speaker: SpeakerId;
  readonly text: string;
  /** Whether the words are final; false: the recognizer may still change them. */
  readonly final: boolean;
  /** How sure the recognizer is of them, from 0 to 1. Left out: it does not say. */
  readonly confidence?: number | undefined;
}

/** What becomes of words. `said`: the model is to read them, and a request has them. `dropped`: they are a stop, or nothing. */
export type WordsFate = 'said' | 'dropped';

/** A piece of the sound of a text block. */
export interface MadeSound {
  readonly turn: NodeId;
  readonly index: number;
  readonly pcm: Uint8Array;
  /** How many characters of the block are spoken at its end at most: those that are written. */
  readonly written: number;
}

/** Whether a provider hears and speaks. */
export const isSpeechModel = (provider: Provider): provider is SpeechModel =>
  'open' in provider && typeof provider.open === 'function';
