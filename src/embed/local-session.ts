// A session of this process, for one speaker: the object that a client has at the far end of a socket, without the socket.
//
// 1. It is the joined session of the client and that of the gateway, back to back: the same frames, the same order, the same receipts.
// 2. An exception of a listener goes to `warn`, and stops neither the other listeners nor the session.
import { type ContentPart, type LoadedPart, textOfContent } from '../../machines/content.ts';
import type { Speaker } from '../../machines/vocabulary.ts';
import type { Answer, AnswerOptions } from '../client/answer-options.ts';
import type { OpenedCallHandle } from '../client/call-in-flight.ts';
import type { CancelHandle, CancelOptions } from '../client/cancel-in-flight.ts';
import type {
  BargeInOptions,
  DelegateOptions,
  ForkOptions,
  InviteLinkOptions,
  InviteOptions,
  NamedInviteOptions,
  OpenCallOptions,
  PlayedText,
  ReadOptions,
  ResumeOptions,
  RoomOptions,
  SteerOptions,
  TranscriptOptions,
} from '../client/command-options.ts';
import { type ClientSession, JoinedSession, type SayOptions, type SessionState } from '../client/joined-session.ts';
import type { ReplayStart } from '../client/replay-start.ts';
import { RoomSpeaker, type TranscriptReply } from '../client/room-speaker.ts';
import type { Turn } from '../client/turn-in-flight.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { Runtime } from '../core/session/api.ts';
import type { Clock, Ids } from '../core/sources/sources.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import type { PendingKeepAlive } from './keep-alive.ts';
import { LocalConnection } from './local-connection.ts';
import type { LocalOrigin } from './local-origin.ts';

/** What the sessions of a runtime share. */
export interface LocalSessionServices {
  readonly runtime: Runtime;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly keepAlive: PendingKeepAlive;
  readonly warn: (message: string, error: unknown) => void;
}

/** A speaker's session, as a client has it. It leaves when its scope ends: `await using ann = session.as('ann')`. */
export class LocalSession implements ClientSession, AsyncDisposable {
  readonly id: string;
  readonly #session: JoinedSession;
  readonly #services: LocalSessionServices;
  readonly #connection: LocalConnection;

  /** Joins. `from`: what is replayed first. */
  constructor(
    services: LocalSessionServices,
    id: string,
    speaker: Speaker,
    { from, ...origin }: LocalOrigin & { readonly from: ReplayStart },
  ) {
    const { runtime, ids, clock, keepAlive, warn } = services;
    this.id = id;
    this.#services = services;
    this.#connection = new LocalConnection({
      runtime,
      connection: ids('local'),
      speaker,
      from: origin,
      session: id,
      keepAlive,
      warn,
      receive: (frame) => this.#session.receive(frame),
    });
    this.#session = new JoinedSession({
      id,
      from,
      createRef: () => ids('ref'),
      send: (frame) => this.#connection.send(frame),
      speaker: () => speaker.id,
      clock,
      onEnd() {},
    });
  }

  get joined(): Promise<ServerFrameOf<'joined'>> {
    return this.#session.joined;
  }

  get state(): SessionState {
    return this.#session.state;
  }

  get seq(): number {
    return this.#session.seq;
  }

  get blocks(): ClientSession['blocks'] {
    return this.#session.blocks;
  }

  /** Says a text, or parts with the bytes of images, sounds and files: they are stored in the session first. */
  say(content: string | readonly LoadedPart[], options?: SayOptions): Turn {
    const turn = typeof content === 'string' ? this.#session.say(content, options) : this.#sayParts(content, options);
    this.#services.keepAlive.until(turn.ended);
    return turn;
  }

  /** Resolves with the bytes of an image, a sound or a file that a fact names; null if it is no longer stored. */
  readBlob(blob: string): Promise<Uint8Array | null> {
    return this.#services.runtime.readBlob(this.id, blob);
  }

  #sayParts(content: readonly LoadedPart[], options?: SayOptions): Turn {
    const parts = content.map((part): ContentPart => {
      if (part.type === 'text') return part;
      const { type, mediaType, data, name } = part;
      const blob = this.#connection.keepUntilSaid(data);
      return { type, blob, mediaType: mediaType.toLowerCase(), bytes: data.length, ...dropUndefined({ name }) };
    });
    return this.#session.say(textOfContent(parts), { ...options, parts });
  }

  steer(text: string, options?: SteerOptions): Turn {
    const turn = this.#session.steer(text, options);
    this.#services.keepAlive.until(turn.ended);
    return turn;
  }

  resume(turn: string, options?: ResumeOptions): Turn {
    const resumed = this.#session.resume(turn, options);
    this.#services.keepAlive.until(resumed.ended);
    return resumed;
  }

  cancel(target: string, options?: CancelOptions): CancelHandle {
    const cancel = this.#session.cancel(target, options);
    this.#services.keepAlive.until(cancel.settled);
    return cancel;
  }

  approve(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>> {
    return this.#session.approve(call, options);
  }

  deny(call: string, options?: AnswerOptions): Promise<ServerFrameOf<'approval_closed'>> {
    return this.#session.deny(call, options);
  }

  answer(call: string, answer: Answer, options?: AnswerOptions): Promise<ServerFrameOf<'question_closed'>> {
    return this.#session.answer(call, answer, options);
  }

  invite(speaker: string, options?: NamedInviteOptions): Promise<ServerFrameOf<'member_invited'>> {
    return this.#session.invite(speaker, options);
  }

  inviteLink(options: InviteLinkOptions): Promise<ServerFrameOf<'invite_link'>> {
    return this.#session.inviteLink(options);
  }

  revoke(invite: string, options?: InviteOptions): Promise<ServerFrameOf<'invite_revoked'>> {
    return this.#session.revoke(invite, options);
  }

  remove(speaker: string, options?: InviteOptions): Promise<ServerFrameOf<'member_removed'>> {
    return this.#session.remove(speaker, options);
  }

  setToolTimeout(tool: string, ms: number | null, options?: InviteOptions): Promise<ServerFrameOf<'tool_timeout_set'>> {
    return this.#session.setToolTimeout(tool, ms, options);
  }

  rename(title: string | null, options?: InviteOptions): Promise<ServerFrameOf<'session_renamed'>> {
    return this.#session.rename(title, options);
  }

  delegate(speaker: string, options?: DelegateOptions): Promise<ServerFrameOf<'stop_delegated'>> {
    return this.#session.delegate(speaker, options);
  }

  read(what?: ReadOptions): Promise<ServerFrameOf<'read'>> {
    return this.#session.read(what);
  }

  fork(turn: string, options?: ForkOptions): Promise<ServerFrameOf<'forked'>> {
    return this.#session.fork(turn, options);
  }

  setSpeaker(speaker: string, present: boolean, options?: RoomOptions): Promise<ServerFrameOf<'speaker'>> {
    return this.#session.setSpeaker(speaker, present, options);
  }

  transcript(text: string, options: TranscriptOptions): Promise<TranscriptReply> {
    return this.#session.transcript(text, options);
  }

  bargeIn(options: BargeInOptions = {}): Promise<ServerFrameOf<'barge_in'>> {
    return this.#session.bargeIn(options);
  }

  played(text: PlayedText): Promise<ServerFrameOf<'played' | 'unknown_target'>> {
    return this.#session.played(text);
  }

  openCall(name: string, options?: OpenCallOptions): OpenedCallHandle {
    const call = this.#session.openCall(name, options);
    this.#services.keepAlive.until(call.ended);
    return call;
  }

  speaks(speaker: string): RoomSpeaker {
    return new RoomSpeaker(this, speaker);
  }

  on<T extends ServerFrame['type']>(type: T, listener: (frame: ServerFrameOf<T>) => void): () => void;
  on(type: '*', listener: (frame: ServerFrame) => void): () => void;
  on(type: 'state', listener: (state: SessionState) => void): () => void;
  on(type: string, listener: (event: never) => void): () => void {
    return this.#session.on(type, (event: never) => {
      try {
        listener(event);
      } catch (error) {
        this.#services.warn('A listener of a session threw.', error);
      }
    });
  }

  leave(): Promise<void> {
    return this.#session.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave().catch(() => {}); // it rejects if the session has ended first
  }
}
