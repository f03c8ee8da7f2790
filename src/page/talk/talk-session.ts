// Talks in a session: sends what the person says, speaks what the session answers to this page, and is silent when somebody interrupts or stops it.
import type { ClientSession } from '../../client/client-session.ts';
import { CommandRefused } from '../../client/errors.ts';
import { AnswerSpeaker, type HeardPlace, type SpokenPiece } from './answer-speaker.ts';
import { isEcho } from './speakable-text.ts';
import type { RecognizedWords, TalkDevices } from './speech-contract.ts';

/** Pauses in a row that nobody's words have followed, from which on a sound alone interrupts no more: the microphone hears the loudspeaker. */
const maxFalsePauses = 2;

/** What has happened last, in words for the person. */
export interface TalkEvent {
  readonly kind: 'said' | 'stopped' | 'ignored' | 'cut' | 'problem';
  readonly text: string;
}

export interface TalkSnapshot {
  readonly isListening: boolean;
  /** Words that are heard just now, and may change. */
  readonly words: string;
  readonly spoken: SpokenPiece | null;
  readonly last: TalkEvent | null;
  /** Whether a sound alone interrupts no more, and words do. */
  readonly isSoundIgnored: boolean;
}

type TalkClientSession = Pick<ClientSession, 'on' | 'transcript' | 'bargeIn' | 'played'>;

export class TalkSession {
  readonly #session: TalkClientSession;
  readonly #devices: TalkDevices;
  readonly #speaker: AnswerSpeaker | null;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: (() => void)[] = [];
  /** The turns of this speaker that were opened since it talks. */
  readonly #turns = new Set<string>();
  /** The newest place in each block that is to be reported, while a report has no reply. */
  readonly #places = new Map<string, HeardPlace>();
  #isReporting = false;
  #falsePauses = 0;
  #snapshot: TalkSnapshot = { isListening: false, words: '', spoken: null, last: null, isSoundIgnored: false };

  constructor(session: TalkClientSession, devices: TalkDevices) {
    this.#session = session;
    this.#devices = devices;
    this.#speaker =
      devices.voice &&
      new AnswerSpeaker(devices.voice, {
        onHeard: (place) => this.#report(place),
        onChange: () => this.#change({ spoken: this.#speaker?.piece ?? null }),
        onProblem: (text) => this.#change({ spoken: null, last: { kind: 'problem', text } }),
      });
    this.getSnapshot = this.getSnapshot.bind(this);
    this.subscribe = this.subscribe.bind(this);
  }

  getSnapshot(): TalkSnapshot {
    return this.#snapshot;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Speaks the answers to this speaker from now on. `listens`: what the person says is recognized, too. */
  start(owner: string | null, listens: boolean): void {
    const { recognizer } = this.#devices;
    this.#follow(owner);
    this.#announce();
    if (!listens || !recognizer) return;
    recognizer.start({
      onSpeechStart: () => this.#onSpeechStart(),
      onWords: (words) => this.#onWords(words),
      onProblem: (text) => this.#change({ isListening: false, words: '', last: { kind: 'problem', text } }),
    });
    this.#change({ isListening: true });
  }

  /** Speaks nothing more of the answer that is spoken. It stays as it is written. */
  skip(): void {
    const { spoken } = this.#snapshot;
    if (spoken) this.#speaker?.drop(spoken.turn);
  }

  /** Is silent and deaf at once, until it is started again. */
  stop(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#devices.recognizer?.stop();
    this.#speaker?.close();
    this.#change({ isListening: false, words: '', spoken: null });
  }

  #follow(owner: string | null): void {
    this.#unsubscribe.push(
      this.#session.on('turn_opened', (frame) => {
        if (frame.owner === owner && frame.kind !== 'agent' && frame.kind !== 'call') this.#turns.add(frame.turn);
      }),
      this.#session.on('text_delta', ({ turn, index, offset, text }) => {
        if (this.#turns.has(turn)) this.#speaker?.addText(turn, index, offset, text);
      }),
      this.#session.on('model_ended', ({ turn, index, text }) => {
        if (this.#turns.has(turn)) this.#speaker?.finishBlock(turn, index, text);
      }),
      this.#session.on('speech_stop', ({ turn, why }) => {
        if (!this.#turns.has(turn)) return; // it is spoken elsewhere
        if (why === 'barge_in') return this.#speaker?.pause(turn);
        if (this.#snapshot.spoken?.turn !== turn) return this.#speaker?.drop(turn);
        this.#speaker?.dropAll(); // after a stop no other answer begins
        this.#change({ last: { kind: 'cut', text: 'Stopped.' } });
      }),
      // of a turn that was stopped before anything of it was spoken there is no `speech_stop`
      this.#session.on('cancel_accepted', ({ stopping }) => {
        for (const turn of stopping) if (this.#turns.has(turn)) this.#speaker?.drop(turn);
      }),
      this.#session.on('turn_ended', ({ turn, outcome }) => {
        if (outcome === 'cancelled' && this.#turns.has(turn)) this.#forget(turn);
      }),
      this.#session.on('speech_resume', ({ turn }) => {
        if (!this.#turns.has(turn)) return; // it is spoken elsewhere
        this.#falsePauses += 1;
        this.#change({ isSoundIgnored: this.#falsePauses >= maxFalsePauses });
        this.#speaker?.resume(turn);
      }),
      this.#session.on('speech_cut', ({ turn, why, heard }) => {
        if (!this.#turns.has(turn)) return;
        this.#falsePauses = 0;
        this.#speaker?.drop(turn);
        const about = heard.some(({ estimated }) => estimated) ? ', about' : '';
        const chars = heard.reduce((sum, { offset }) => sum + offset, 0);
        const cut = `${why === 'cancel' ? 'Stopped' : 'You interrupted'}: heard up to character ${chars}${about}.`;
        this.#change({ last: { kind: 'cut', text: cut.replace(/(\d+), about/, 'about $1') } });
      }),
      // a pause that the gateway has ended while there was no connection; it may have been started anew
      this.#session.on('replayed', () => {
        this.#announce();
        const { spoken } = this.#snapshot;
        if (spoken?.isPaused) this.#speaker?.resume(spoken.turn);
      }),
    );
  }

  /** Lets the session know that this connection plays what its speaker asks for from now on, also what is typed. */
  #announce(): void {
    this.#transcribe({ text: '', final: false, confidence: null });
  }

  #onSpeechStart(): void {
    if (!this.#snapshot.isSoundIgnored) this.#interrupt();
  }

  #onWords({ text, final, confidence }: RecognizedWords): void {
    const words = text.trim();
    if (words === '') return;
    if (isEcho(words, this.#speaker?.lastSpoken ?? '')) {
      if (final)
        this.#change({ words: '', last: { kind: 'ignored', text: 'The microphone has heard the answer itself.' } });
      return;
    }
    if (!final) {
      this.#change({ words });
      this.#interrupt();
      if (this.#snapshot.spoken?.isPaused) this.#transcribe({ text: words, final, confidence });
      return;
    }
    this.#interrupt();
    this.#change({ words: '', last: { kind: 'said', text: words } });
    this.#transcribe({ text: words, final, confidence });
  }

  /** Pauses what is spoken. */
  #interrupt(): void {
    if (this.#speaker?.isSpeaking) this.#session.bargeIn().catch(() => {}); // it goes on, or its turn has ended
  }

  #transcribe({ text, final, confidence }: RecognizedWords): void {
    const sure = confidence === null ? {} : { confidence };
    this.#session.transcript(text, { final, ...sure }).then(
      (reply) => {
        if (reply.type === 'stop_phrase') this.#change({ last: { kind: 'stopped', text } });
        if (reply.type === 'transcript_ignored' && final) this.#change({ last: { kind: 'ignored', text } });
      },
      (error: Error) => {
        if (final || error instanceof CommandRefused === false)
          this.#change({ last: { kind: 'problem', text: `Not said: ${error.message}` } });
      },
    );
  }

  /** Reports the newest place; one report waits for the reply of the one before. */
  #report(place: HeardPlace): void {
    this.#places.set(`${place.turn} ${place.index}`, place);
    if (!this.#isReporting) void this.#sendReports();
  }

  async #sendReports(): Promise<void> {
    this.#isReporting = true;
    for (const [key, place] of this.#places) {
      this.#places.delete(key); // one that comes meanwhile is at the end, and is sent, too
      const { estimated, ...where } = place;
      try {
        await this.#session.played(estimated ? { ...where, estimated } : where);
      } catch (error) {
        // another page of this speaker speaks it
        if (error instanceof CommandRefused && error.code === 'not_yours') this.#forget(place.turn);
      }
    }
    this.#isReporting = false;
  }

  #forget(turn: string): void {
    this.#turns.delete(turn);
    this.#speaker?.drop(turn);
  }

  #change(change: Partial<TalkSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}
