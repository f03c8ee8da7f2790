// The speech of speakers who hear the bot at their own connection, in any session: a page with the voice of its browser.
//
// 1. A speaker without a bridge speaks for nobody else: words, sounds and reports are the speaker's own.
// 2. Each connection has a loudspeaker of its own, so each has a speech of its own: one that is paused pauses no other.
// 3. Only what a connection has reported as played is its speech. What is only read is never cut.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { SpokenText } from '../live/spoken-text.ts';
import type { Caller } from './api.ts';
import type { Speech } from './speech.ts';

/** Speeches of connections that are gone and may come back. */
const maxGone = 32;

/** A speech with the text that it is of. */
export interface PlayedSpeech {
  readonly speech: Speech;
  readonly spoken: SpokenText;
}

interface Player extends PlayedSpeech {
  readonly speaker: SpeakerId;
  connection: string;
}

export interface OwnSpeechParts {
  /** The speech of the bridge of a voice session; null: it is a text session. */
  readonly bridged: PlayedSpeech | null;
  /** Starts the speech of a speaker, whose turns alone it is of. */
  startSpeech(speaker: SpeakerId): PlayedSpeech;
  /** Stops it: nothing of it is played any more. */
  endSpeech(speech: Speech): void;
  isConnected(connection: string): boolean;
  /** The owner of a root turn; undefined: there is no such turn. */
  ownerOf(turn: NodeId): SpeakerId | undefined;
}

/** Whether the caller speaks for nobody but themselves: neither is a bridge, nor speaks through one. */
export const speaksAlone = ({ via, speaker }: Pick<Caller, 'via' | 'speaker'>): boolean =>
  via === undefined && !speaker.roles.includes('bridge');

export class OwnSpeech {
  readonly #parts: OwnSpeechParts;
  #players: readonly Player[] = [];

  constructor(parts: OwnSpeechParts) {
    this.#parts = parts;
  }

  /** Connections that have a speech, with those that are gone and may come back. */
  get size(): number {
    return this.#players.length;
  }

  /**
   * Returns the speech at the caller's connection: the one of a connection that the speaker has lost, or a new one.
   * @param turn The turn that is played. A lost connection that has played it counts before the caller's own.
   */
  speechOf({ connection, speaker: { id: speaker } }: Caller, turn?: NodeId): Speech {
    const { isConnected, startSpeech } = this.#parts;
    const lost = this.#players.filter((one) => one.speaker === speaker && !isConnected(one.connection));
    const own = this.#players.find((one) => one.connection === connection);
    const known = lost.find(({ spoken }) => turn !== undefined && spoken.isPlayed(turn)) ?? own ?? lost[0];
    if (known) {
      if (own && own !== known) this.#drop([own]);
      known.connection = connection;
      return known.speech;
    }
    this.#dropGone();
    const player = { ...startSpeech(speaker), speaker, connection };
    this.#players = [...this.#players, player];
    return player.speech;
  }

  /** Whether a turn is another's, or is played by a bridge or at another connection of the speaker. */
  isOfOthers({ connection, speaker }: Caller, turn: NodeId): boolean {
    const owner = this.#parts.ownerOf(turn);
    if (owner !== undefined && owner !== speaker.id) return true;
    return this.#others(connection).some(({ spoken }) => spoken.isPlayed(turn));
  }

  /** Whether something is spoken to others, or at another connection. */
  isSpokenToOthers({ connection, speaker }: Caller): boolean {
    return this.#others(connection).some(({ spoken }) => spoken.currentFor(speaker.id) !== null);
  }

  #others(connection: string): readonly PlayedSpeech[] {
    const { bridged, isConnected } = this.#parts;
    const played = this.#players.filter((one) => one.connection !== connection && isConnected(one.connection));
    return bridged ? [...played, bridged] : played;
  }

  #dropGone(): void {
    const gone = this.#players.filter(({ connection }) => !this.#parts.isConnected(connection));
    this.#drop(gone.slice(0, Math.max(0, gone.length - maxGone + 1)));
  }

  #drop(dropped: readonly Player[]): void {
    for (const { speech } of dropped) this.#parts.endSpeech(speech);
    this.#players = this.#players.filter((one) => !dropped.includes(one));
  }
}
