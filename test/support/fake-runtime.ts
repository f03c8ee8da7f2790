// A runtime that a test controls, for tests of the gateway alone. It records every call.

import type { CancelSettled, Fact, SequencedFact } from '../../machines/facts.ts';
import type { LiveNode, TextDelta } from '../../machines/live-view.ts';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import { LocalSoundRelay } from '../../src/core/runtime/sound-relay.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  CancelReply,
  CancelRequest,
  ForkReply,
  OfferReply,
  ReplayFrom,
  ResumeReply,
  Runtime,
  SayReply,
  SayRequest,
  SessionDirectory,
  SessionInfo,
  SessionListener,
  VoiceRuntime,
} from '../../src/core/session/api.ts';
import type { CallRuntime } from '../../src/core/session/call-api.ts';
import type {
  CreateInviteReply,
  CreateInviteRequest,
  DelegateReply,
  DelegateRequest,
  InviteReply,
  InviteRequest,
  RedeemReply,
  RemoveReply,
  RenameReply,
  RenameRequest,
  RevokeInviteReply,
  RevokeInviteRequest,
  RoomChange,
  RoomReply,
  SetTimeoutReply,
  SetTimeoutRequest,
} from '../../src/core/session/member-api.ts';

export type RuntimeCall =
  | { readonly command: 'join'; readonly session: string; readonly caller: Caller; readonly after: ReplayFrom }
  | { readonly command: 'leave'; readonly session: string; readonly connection: string; readonly how: LeaveReason }
  | {
      readonly command: 'say';
      readonly session: string;
      readonly caller: Caller;
      readonly text: string;
      readonly ref: string | null;
    }
  | { readonly command: 'cancel'; readonly session: string; readonly caller: Caller; readonly request: CancelRequest }
  | { readonly command: 'answer'; readonly session: string; readonly caller: Caller; readonly request: AnswerRequest };

/** A session without turns: facts come from the test. */
export class FakeSession {
  readonly #facts: Fact[] = [];
  readonly #listeners = new Map<string, SessionListener>();

  get lastSeq(): number {
    return this.#facts.length;
  }

  listeners(): readonly SessionListener[] {
    return [...this.#listeners.values()];
  }

  /** Publishes a fact to every listener, with the next sequence number. */
  publish(fact: Fact): void {
    this.#facts.push(fact);
    for (const listener of this.#listeners.values()) listener.fact(sequenced(fact, this.#facts.length));
  }

  replay(listener: SessionListener, after: number): void {
    for (const [index, fact] of this.#facts.entries()) {
      if (index >= after) listener.fact(sequenced(fact, index + 1));
    }
    listener.replayed?.();
  }

  add(connection: string, listener: SessionListener): void {
    this.#listeners.set(connection, listener);
  }

  /** Removes a connection. Returns false if it has not joined. */
  remove(connection: string): boolean {
    return this.#listeners.delete(connection);
  }
}

const sequenced = (fact: Fact, seq: number): SequencedFact => ({ seq, fact: { ...fact, at: 1_000 + seq } });

export class FakeRuntime implements Runtime {
  readonly calls: RuntimeCall[] = [];
  readonly relay = new LocalSoundRelay();
  readonly #sessions = new Map<string, FakeSession>();
  #turns = 0;
  /** The open text blocks of every session. */
  blocks: readonly TextDelta[] = [];

  // -- the behavior of the next calls; a test replaces it
  onOpen: (session: string) => Promise<void> = async () => {};
  onJoin: (session: string) => Promise<void> = async () => {};
  onSay: (session: FakeSession, caller: Caller, said: SayRequest) => Promise<SayReply> = async (
    session,
    { speaker },
    { text, ref },
  ) => {
    this.#turns += 1;
    const turn = `turn_${this.#turns}`;
    const owner = speaker.id;
    session.publish({ type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, ref: ref ?? null });
    return { type: 'turn_opened', turn };
  };
  onCancel: (session: FakeSession, caller: Caller, request: CancelRequest) => Promise<CancelReply> = async (
    _session,
    _caller,
    { target },
  ) => ({ type: 'unknown_target', target });
  onSettled: (session: string, cancel: string) => Promise<CancelSettled | null> = async () => null;
  onAnswer: (session: FakeSession, caller: Caller, request: AnswerRequest) => Promise<AnswerReply> = async (
    _session,
    _caller,
    { target },
  ) => ({ type: 'answer_refused', target, code: 'expired' });

  /** Returns the session, made when it does not exist. */
  session(id: string): FakeSession {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session = new FakeSession();
    this.#sessions.set(id, session);
    return session;
  }

  async open(session: string): Promise<SessionInfo> {
    await this.onOpen(session);
    return { session, kind: 'text', policy: 'anyone' };
  }

  async join(id: string, caller: Caller, listener: SessionListener, after: ReplayFrom): Promise<void> {
    this.calls.push({ command: 'join', session: id, caller, after });
    await this.onJoin(id);
    const session = this.session(id);
    const state = { kind: 'text', policy: 'anyone', seq: session.lastSeq, nodes: [], questions: [] } as const;
    listener.joined({ session: id, ...state, blocks: this.blocks });
    if (after !== null) session.replay(listener, typeof after === 'number' ? after : 0);
    session.add(caller.connection, listener);
  }

  async leave(session: string, connection: string, how: LeaveReason): Promise<void> {
    if (this.session(session).remove(connection)) this.calls.push({ command: 'leave', session, connection, how });
  }

  async resume(): Promise<ResumeReply> {
    return { type: 'say_refused', code: 'unknown_turn', message: 'It has no turns.' };
  }

  say(session: string, caller: Caller, said: SayRequest): Promise<SayReply> {
    this.calls.push({ command: 'say', session, caller, text: said.text, ref: said.ref ?? null });
    return this.onSay(this.session(session), caller, said);
  }

  async invite(session: string, caller: Caller | null, { speaker, ref }: InviteRequest): Promise<InviteReply> {
    const invited = { type: 'member_invited', speaker, by: caller?.speaker.id ?? null, ref: ref ?? null } as const;
    this.session(session).publish(invited);
    return { type: 'member_invited', invited, repeated: false };
  }

  async remove(session: string, caller: Caller | null, { speaker, ref }: InviteRequest): Promise<RemoveReply> {
    const removed = { type: 'member_removed', speaker, by: caller?.speaker.id ?? null, ref: ref ?? null } as const;
    this.session(session).publish(removed);
    return { type: 'member_removed', removed, repeated: false };
  }

  async renameSession(_session: string, caller: Caller | null, { title, ref }: RenameRequest): Promise<RenameReply> {
    const renamed = { type: 'session_renamed', title, by: caller?.speaker.id ?? null, ref: ref ?? null } as const;
    return { type: 'session_renamed', renamed, repeated: false };
  }

  async createInvite(
    session: string,
    caller: Caller | null,
    { role = 'member', ms, ref }: CreateInviteRequest,
  ): Promise<CreateInviteReply> {
    const by = caller?.speaker.id ?? null;
    const created = { type: 'invite_created', invite: 'invite_1', role, until: ms, by, ref: ref ?? null } as const;
    this.session(session).publish(created);
    return { type: 'invite_created', created, secret: 'secret' };
  }

  async revokeInvite(
    session: string,
    caller: Caller | null,
    { invite, ref }: RevokeInviteRequest,
  ): Promise<RevokeInviteReply> {
    const revoked = { type: 'invite_revoked', invite, by: caller?.speaker.id ?? null, ref: ref ?? null } as const;
    this.session(session).publish(revoked);
    return { type: 'invite_revoked', revoked, repeated: false };
  }

  async redeemInvite(): Promise<RedeemReply> {
    return { type: 'bad_invite' };
  }

  async setToolTimeout(
    session: string,
    caller: Caller | null,
    { tool, ms, ref }: SetTimeoutRequest,
  ): Promise<SetTimeoutReply> {
    const set = { type: 'tool_timeout_set', tool, ms, by: caller?.speaker.id ?? null, ref: ref ?? null } as const;
    this.session(session).publish(set);
    return { type: 'tool_timeout_set', set, repeated: false };
  }

  async delegate(
    session: string,
    { speaker: { id: by } }: Caller,
    { speaker: to, target = 'mine', until, ref }: DelegateRequest,
  ): Promise<DelegateReply> {
    const delegated = { type: 'stop_delegated', by, to, target, until: until ?? null, ref: ref ?? null } as const;
    this.session(session).publish(delegated);
    return { type: 'stop_delegated', delegated, repeated: false };
  }

  async setSpeaker(_session: string, _caller: Caller, { present, roles = [] }: RoomChange): Promise<RoomReply> {
    return { type: 'speaker', present, roles };
  }

  readonly external: CallRuntime = {
    open: async () => ({ type: 'too_many_calls', limit: 0 }),
    report: async () => ({ type: 'unknown_call' }),
    settle: async () => ({ type: 'unknown_call' }),
  };

  readonly voice: VoiceRuntime = {
    transcript: async () => ({ type: 'transcript_ignored', reason: 'partial' }),
    bargeIn: async () => ({ type: 'barge_in', result: 'nothing_spoken' }),
    played: async (_session, _caller, { turn }) => ({ type: 'unknown_target', target: turn }),
    sound: async () => this.relay,
  };

  async readOffer(): Promise<OfferReply> {
    return { type: 'read', offers: [] };
  }

  cancel(session: string, caller: Caller, request: CancelRequest): Promise<CancelReply> {
    this.calls.push({ command: 'cancel', session, caller, request });
    return this.onCancel(this.session(session), caller, request);
  }

  settled(session: string, cancel: string): Promise<CancelSettled | null> {
    return this.onSettled(session, cancel);
  }

  answer(session: string, caller: Caller, request: AnswerRequest): Promise<AnswerReply> {
    this.calls.push({ command: 'answer', session, caller, request });
    return this.onAnswer(this.session(session), caller, request);
  }

  async storeBlobs(_session: string, contents: readonly Uint8Array[]): Promise<readonly string[]> {
    return contents.map((data) => `blob of ${data.length} bytes`);
  }

  async importMessages(): Promise<{ readonly type: 'import_refused'; readonly code: 'session_not_empty' }> {
    return { type: 'import_refused', code: 'session_not_empty' };
  }

  async readBlob(): Promise<Uint8Array | null> {
    return null;
  }

  async exportSession(): Promise<null> {
    return null;
  }

  async forkSession(): Promise<ForkReply> {
    return { type: 'turn_not_forkable', message: 'The fake runtime has no turns to fork from.' };
  }

  async deleteSession(): Promise<boolean> {
    return false;
  }

  async deletions(): Promise<never> {
    throw new Error('The fake runtime deletes nothing.');
  }

  async directory(): Promise<SessionDirectory> {
    throw new Error('The fake runtime has no directory.');
  }

  async nodes(): Promise<readonly LiveNode[]> {
    return [];
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) {
      for (const listener of session.listeners()) listener.ended('shutdown');
    }
  }
}
