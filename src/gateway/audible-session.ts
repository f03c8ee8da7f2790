// A session that a connection has joined with sound: its speakers' sound goes to whoever has subscribed, and that of the bot's speech comes to the connection.
//
// 1. Speech that is stopped or paused is silent in the tick in which the notice is sent.
// 2. Before the session is joined, and after it is left, no sound of it is passed on.
import type { CancelAccepted, SequencedFact } from '../../machines/facts.ts';
import type { SpeechChange } from '../../machines/live-view.ts';
import type { LeaveReason, NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { SoundRelay, SpeakerSound } from '../core/contracts/sound.ts';
import type { Joined, JoinedSessionEnd } from '../core/session/api.ts';
import type { SessionFrame } from '../wire/client-frames.ts';
import { problemOf } from './command-replies.ts';
import type { ErrorSink } from './error-replies.ts';
import { callerOfCommand, JoinedSession } from './joined-session.ts';
import type { JoinedSessionServices } from './joined-session-services.ts';
import type { PacedSound } from './paced-sound.ts';

/** Pieces of a speaker that wait until it is known whether the speaker may speak in the session. */
const maxUnchecked = 50;
/** Speakers of a room whose right to speak is kept. */
const maxSpeakers = 1_000;

/** Whether a speaker may speak in the session. */
type Right = Checking | { readonly kind: 'allowed' } | { readonly kind: 'refused' };

interface Checking {
  readonly kind: 'checking';
  readonly waiting: SpeakerSound[];
}

export interface SessionSoundParts {
  readonly relay: SoundRelay;
  /** The way to the connection; null: it does not receive sound. */
  readonly paced: PacedSound | null;
  /** Receives what is wrong with the sound of speakers, as often as it is sent. */
  readonly errors: ErrorSink;
}

export class AudibleSession extends JoinedSession {
  readonly #sound: SessionSoundParts;
  readonly #connection: JoinedSessionServices;
  readonly #rights = new Map<SpeakerId, Right>();
  #state: 'joining' | 'open' | 'closed' = 'joining';
  /** Facts after it are new. */
  #joinedSeq = 0;
  #unsubscribe = () => {};

  constructor(sound: SessionSoundParts, ...given: ConstructorParameters<typeof JoinedSession>) {
    super(...given);
    this.#sound = sound;
    this.#connection = given[0];
  }

  /** Whether sound of the session is passed on. */
  get isAudible(): boolean {
    return this.#state === 'open';
  }

  /** Passes on what a speaker says, if the speaker may speak here. The speaker has been checked. */
  receive(sound: SpeakerSound): void {
    const right = this.#rights.get(sound.speaker) ?? this.#checkRight(sound.speaker);
    if (right.kind === 'allowed') return this.#sound.relay.publishSpeaker(this.session, sound);
    if (right.kind === 'refused') return;
    right.waiting.push(sound);
    if (right.waiting.length > maxUnchecked) right.waiting.shift();
  }

  override async perform(frame: SessionFrame): Promise<void> {
    if (frame.type === 'LEAVE') this.#close();
    await super.perform(frame);
  }

  override async abandon(how: LeaveReason): Promise<void> {
    this.#close();
    await super.abandon(how);
  }

  override joined(joined: Joined): void {
    super.joined(joined);
    if (this.#state !== 'joining') return;
    this.#state = 'open';
    this.#joinedSeq = joined.seq;
    const { relay, paced } = this.#sound;
    if (!paced) return;
    for (const { turn, index } of joined.blocks) paced.noteBlock(turn, index);
    const { paused = null, queued = [] } = joined.voice ?? {};
    for (const turn of paused === null ? queued : [paused, ...queued]) paced.pause(turn);
    this.#unsubscribe = relay.subscribe(this.session, { speech: (sound) => paced.add(sound) });
  }

  override speech(change: SpeechChange): void {
    const { paced } = this.#sound;
    if (change.type === 'speech_resume' || change.type === 'speech_start') paced?.resume(change.turn);
    else if (change.type === 'speech_wait') paced?.pause(change.turn);
    else if (change.type === 'speech_stop')
      change.why === 'barge_in' ? paced?.pause(change.turn) : paced?.stop(change.turn);
    super.speech(change);
  }

  override accepted(receipt: CancelAccepted): void {
    this.#stopTurns(receipt.stopping);
    super.accepted(receipt);
  }

  override fact(event: SequencedFact): void {
    const { fact } = event;
    const { paced } = this.#sound;
    if (fact.type === 'cancel_accepted') this.#stopTurns(fact.stopping);
    if (fact.type === 'model_started' && event.seq > this.#joinedSeq) paced?.startBlock(fact.turn, fact.index);
    else if (fact.type === 'model_started') paced?.noteBlock(fact.turn, fact.index);
    // what was cut by words, by a session that ends, or by recovery; what has lost the floor is not cut
    if (fact.type === 'speech_ended' && fact.outcome !== 'completed' && fact.outcome !== 'timed_out')
      paced?.stop(fact.turn);
    super.fact(event);
  }

  override ended(reason: JoinedSessionEnd): void {
    this.#close();
    super.ended(reason);
  }

  /** A turn that is stopped says nothing any more. An id of another node changes nothing. */
  #stopTurns(stopping: readonly NodeId[]): void {
    for (const turn of stopping) this.#sound.paced?.stop(turn, { andLater: true });
  }

  #checkRight(speaker: SpeakerId): Checking {
    const { runtime, speaker: own } = this.#connection;
    const right: Checking = { kind: 'checking', waiting: [] };
    if (this.#rights.size >= maxSpeakers) this.#rights.clear();
    this.#rights.set(speaker, right);
    const caller = callerOfCommand(this.#connection, speaker === own.id ? undefined : speaker);
    const check = async () => (await runtime.directory()).check('speak', caller, this.session);
    check().then(
      () => {
        this.#rights.set(speaker, { kind: 'allowed' });
        if (this.#state !== 'open') return;
        for (const sound of right.waiting) this.#sound.relay.publishSpeaker(this.session, sound);
      },
      (error) => {
        const found = problemOf(error, 'The sound could not be accepted');
        if (found.code === 'access_denied') this.#rights.set(speaker, { kind: 'refused' });
        else this.#rights.delete(speaker); // the next piece asks again
        if (this.#state === 'open') this.#sound.errors.sendError(found, { session: this.session });
      },
    );
    return right;
  }

  #close(): void {
    this.#state = 'closed';
    this.#unsubscribe();
    this.#sound.paced?.close();
  }
}
