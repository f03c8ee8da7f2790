// The commands of a runtime with the id of one session filled in.

import type { CancelSettled } from '../../machines/facts.ts';
import type { LiveNode } from '../../machines/live-view.ts';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  CancelReply,
  CancelRequest,
  ImportReply,
  ImportRequest,
  ReplayFrom,
  ResumeReply,
  ResumeRequest,
  Runtime,
  SayReply,
  SayRequest,
  SessionInfo,
  SessionListener,
} from '../core/session/api.ts';
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
} from '../core/session/member-api.ts';

/** A session of this process. It stays valid when the session falls asleep: the next command wakes it. */
export class BoundSession {
  readonly id: string;
  readonly #info: SessionInfo;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, info: SessionInfo) {
    this.#runtime = runtime;
    this.#info = info;
    this.id = info.session;
  }

  get kind(): SessionInfo['kind'] {
    return this.#info.kind;
  }

  get policy(): SessionInfo['policy'] {
    return this.#info.policy;
  }

  /** See `Runtime.join`. */
  join(caller: Caller, listener: SessionListener, from: ReplayFrom): Promise<void> {
    return this.#runtime.join(this.id, caller, listener, from);
  }

  /** See `Runtime.leave`. */
  leave(connection: string, how: LeaveReason): Promise<void> {
    return this.#runtime.leave(this.id, connection, how);
  }

  /** See `Runtime.say`. */
  say(caller: Caller, said: SayRequest): Promise<SayReply> {
    return this.#runtime.say(this.id, caller, said);
  }

  /** See `Runtime.resume`. */
  resume(caller: Caller, request: ResumeRequest): Promise<ResumeReply> {
    return this.#runtime.resume(this.id, caller, request);
  }

  /** See `Runtime.cancel`. */
  cancel(caller: Caller, request: CancelRequest): Promise<CancelReply> {
    return this.#runtime.cancel(this.id, caller, request);
  }

  /** See `Runtime.settled`. */
  settled(cancel: string): Promise<CancelSettled | null> {
    return this.#runtime.settled(this.id, cancel);
  }

  /** See `Runtime.answer`. */
  answer(caller: Caller, request: AnswerRequest): Promise<AnswerReply> {
    return this.#runtime.answer(this.id, caller, request);
  }

  /** See `Runtime.storeBlobs`. */
  storeBlobs(contents: readonly Uint8Array[]): Promise<readonly string[]> {
    return this.#runtime.storeBlobs(this.id, contents);
  }

  /** See `Runtime.importMessages`. */
  importMessages(caller: Caller, request: ImportRequest): Promise<ImportReply> {
    return this.#runtime.importMessages(this.id, caller, request);
  }

  /** See `Runtime.readBlob`. */
  readBlob(blob: string): Promise<Uint8Array | null> {
    return this.#runtime.readBlob(this.id, blob);
  }

  /** See `Runtime.invite`. */
  invite(caller: Caller | null, request: InviteRequest): Promise<InviteReply> {
    return this.#runtime.invite(this.id, caller, request);
  }

  /** See `Runtime.remove`. */
  remove(caller: Caller | null, request: InviteRequest): Promise<RemoveReply> {
    return this.#runtime.remove(this.id, caller, request);
  }

  /** See `Runtime.renameSession`. */
  rename(caller: Caller | null, request: RenameRequest): Promise<RenameReply> {
    return this.#runtime.renameSession(this.id, caller, request);
  }

  /** See `Runtime.createInvite`. */
  createInvite(caller: Caller | null, request: CreateInviteRequest): Promise<CreateInviteReply> {
    return this.#runtime.createInvite(this.id, caller, request);
  }

  /** See `Runtime.revokeInvite`. */
  revokeInvite(caller: Caller | null, request: RevokeInviteRequest): Promise<RevokeInviteReply> {
    return this.#runtime.revokeInvite(this.id, caller, request);
  }

  /** See `Runtime.redeemInvite`. */
  redeemInvite(caller: Caller, secret: string): Promise<RedeemReply> {
    return this.#runtime.redeemInvite(this.id, caller, secret);
  }

  /** See `Runtime.setToolTimeout`. */
  setToolTimeout(caller: Caller | null, request: SetTimeoutRequest): Promise<SetTimeoutReply> {
    return this.#runtime.setToolTimeout(this.id, caller, request);
  }

  /** See `Runtime.delegate`. */
  delegate(caller: Caller, request: DelegateRequest): Promise<DelegateReply> {
    return this.#runtime.delegate(this.id, caller, request);
  }

  /** See `Runtime.setSpeaker`. */
  setSpeaker(caller: Caller, change: RoomChange): Promise<RoomReply> {
    return this.#runtime.setSpeaker(this.id, caller, change);
  }

  /** See `Runtime.nodes`. */
  nodes(): Promise<readonly LiveNode[]> {
    return this.#runtime.nodes(this.id);
  }
}

/** Opens a session and binds its commands. Rejects as `Runtime.open` does. */
export async function bindSession(runtime: Runtime, session: string): Promise<BoundSession> {
  return new BoundSession(runtime, await runtime.open(session));
}
