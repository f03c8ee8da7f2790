// The commands of a session that its doors send, beside CANCEL: each becomes a message in the inbox, and a promise of its reply.
import type { NodeId, SpeakerId, WhileRunning } from '../../../machines/vocabulary.ts';
import type { OfferSource } from '../contracts/offers.ts';
import { isBackchannel } from '../intent/backchannels.ts';
import type { StopPhraseOptions } from '../intent/stop-phrase-options.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import {
  commandKeyFor,
  commandTypeOf,
  type DecidedCommand,
  type DecidedCommands,
} from '../transcript/decided-commands.ts';
import type { FactSource } from '../transcript/history.ts';
import type { Appender } from '../transcript/journal.ts';
import type { SessionBlobs } from '../transcript/session-blobs.ts';
import type { SessionMembers } from '../transcript/session-members.ts';
import type { ToolPresence } from '../workers/services.ts';
import type { Limits } from '../workers/session-limits.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  ImportReply,
  ImportRequest,
  OfferQuery,
  OfferReply,
  ResumeReply,
  ResumeRequest,
  SayReply,
  SayRequest,
} from './api.ts';
import { CallCommands, type CallCommandsParts } from './call-commands.ts';
import { delegateStop } from './delegate.ts';
import type { Delegations } from './delegations.ts';
import { type GivenTitle, renameSession } from './given-title.ts';
import type { IdempotencyKeys, SayContent } from './idempotency-keys.ts';
import { importMessages } from './import-messages.ts';
import type { Inbox } from './inbox.ts';
import { type Replies, refReused, refusedSay, UnansweredRequests } from './inbox.ts';
import type { SayMessage } from './inbox-messages.ts';
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
} from './member-api.ts';
import { assertName, inviteMember, removeMember } from './member-commands.ts';
import type { OwnSpeech } from './own-speech.ts';
import type { Presence, Rooms } from './presence.ts';
import { readOffer } from './read-offer.ts';
import {
  contentOf,
  isSameSay,
  isSameSteer,
  receiptOfPhrase,
  refusedContent,
  stopPhraseIn,
  withTextForm,
  wordsCommandOf,
} from './said-content.ts';
import { createInvite, redeemInvite, revokeInvite, type SessionInvites } from './session-invites.ts';
import type { Speech } from './speech.ts';
import { setToolTimeout, type ToolTimeouts } from './tool-timeouts.ts';
import type { TurnShares } from './turn-shares.ts';
import { VoiceCommands } from './voice-commands.ts';

export interface CommandsParts {
  readonly inbox: Inbox;
  readonly tree: LiveTree;
  readonly journal: Appender;
  readonly history: FactSource;
  readonly keys: IdempotencyKeys;
  readonly decided: DecidedCommands;
  readonly blobs: SessionBlobs;
  readonly replies: Replies;
  readonly members: SessionMembers;
  readonly invites: SessionInvites;
  readonly rooms: Rooms;
  readonly presence: Presence;
  readonly delegations: Delegations;
  readonly calls: CallCommandsParts['calls'];
  /** The speech of the bridge of a voice session; null: it is a text session. */
  readonly speech: Speech | null;
  readonly ownSpeech: OwnSpeech;
  /** What is spoken just now: grows with the first words that somebody speaks at a connection of their own. */
  readonly speeches: readonly Speech[];
  readonly whileRunning: WhileRunning | undefined;
  readonly stopPhrases: StopPhraseOptions | undefined;
  readonly turnShares: TurnShares;
  readonly offers: OfferSource;
  /** The models that a SAY may ask for. */
  readonly models: readonly string[];
  readonly ids: Ids;
  readonly clock: Clock;
  readonly timeouts: ToolTimeouts;
  readonly title: GivenTitle;
  readonly tools: Pick<ToolPresence, 'mayHave'>;
  readonly limits: Pick<Limits, 'sayChars' | 'members' | 'toolTimeoutMaxMs'>;
}

export class Commands {
  readonly #parts: CommandsParts;
  readonly #unanswered = new UnansweredRequests();

  /** What a bridge reports of a voice session. */
  readonly voice: VoiceCommands;
  readonly calls: CallCommands;

  constructor(parts: CommandsParts) {
    this.#parts = parts;
    const rejectAtEnd = <T>(reply: Promise<T>) => this.#unanswered.add(reply);
    this.voice = new VoiceCommands({ ...parts, say: (...args) => this.say(...args), rejectAtEnd });
    this.calls = new CallCommands({ ...parts, rejectAtEnd });
  }

  /** `mayCancel`: the rule of access lets the caller cancel, so a stop phrase is taken as a CANCEL if something runs. */
  say(caller: Caller, said: SayRequest, mayCancel: boolean): Promise<SayReply> {
    return this.#unanswered.add(this.#say(this.#parts.rooms.withRoles(caller), said, mayCancel));
  }

  /** See `Runtime.resume`. Opens a turn as a SAY does. */
  resume(caller: Caller, { turn: resumes, text = '', ref }: ResumeRequest): Promise<ResumeReply> {
    const reply = this.#say(this.#parts.rooms.withRoles(caller), { text, ref, resumes }, false);
    return this.#unanswered.add(reply as Promise<ResumeReply>); // its words are no stop phrase
  }

  answer(caller: Caller, request: AnswerRequest): Promise<AnswerReply> {
    return this.#unanswered.add(this.#answer(this.#parts.rooms.withRoles(caller), request));
  }

  /** Makes a speaker a member; `by` null: a program invites. Whether the caller may do so was decided before. */
  invite(by: SpeakerId | null, request: InviteRequest): Promise<InviteReply> {
    return this.#unanswered.add(inviteMember(by, request, this.#parts));
  }

  /** Makes a speaker a member no more; `by` null: a program does. Whether the caller may do so was decided before. */
  remove(by: SpeakerId | null, request: InviteRequest): Promise<RemoveReply> {
    return this.#unanswered.add(removeMember(by, request, this.#parts));
  }

  /** Makes an invite link. As for `invite`. */
  createInvite(by: SpeakerId | null, request: CreateInviteRequest): Promise<CreateInviteReply> {
    return this.#unanswered.add(createInvite(by, request, this.#parts));
  }

  /** Revokes an invite link. As for `invite`. */
  revokeInvite(by: SpeakerId | null, request: RevokeInviteRequest): Promise<RevokeInviteReply> {
    return this.#unanswered.add(revokeInvite(by, request, this.#parts));
  }

  /** Makes a speaker a member by an invite link. */
  redeemInvite(speaker: SpeakerId, secret: string): Promise<RedeemReply> {
    return this.#unanswered.add(redeemInvite(speaker, secret, this.#parts));
  }

  /** See `Runtime.setToolTimeout`. */
  setToolTimeout(by: SpeakerId | null, request: SetTimeoutRequest): Promise<SetTimeoutReply> {
    return this.#unanswered.add(setToolTimeout(by, request, this.#parts));
  }

  /** See `Runtime.renameSession`. */
  rename(by: SpeakerId | null, request: RenameRequest): Promise<RenameReply> {
    return this.#unanswered.add(renameSession(by, request, this.#parts));
  }

  /** See `Runtime.delegate`. */
  async delegate(caller: Caller, request: DelegateRequest): Promise<DelegateReply> {
    assertName(request.speaker);
    return this.#unanswered.add(delegateStop(caller, request, this.#parts));
  }

  /** See `Runtime.setSpeaker`. */
  async setSpeaker(caller: Caller, change: RoomChange): Promise<RoomReply> {
    return this.#parts.presence.setSpeaker(caller, change);
  }

  /** See `Runtime.readOffer`. */
  readOffer(query: OfferQuery): Promise<OfferReply> {
    return this.#unanswered.add(readOffer(query, this.#parts));
  }

  /** See `Runtime.importMessages`. */
  importMessages(caller: Caller, request: ImportRequest): Promise<ImportReply> {
    return this.#unanswered.add(importMessages(caller, request, this.#parts));
  }

  /** Rejects the commands without a reply, and later ones. */
  close(error: unknown): void {
    this.#unanswered.close(error);
    for (const speech of this.#parts.speeches) speech.close();
  }

  async #say(caller: Caller, given: SayRequest & SayContent, mayCancel: boolean): Promise<SayReply> {
    const { keys, ids } = this.#parts;
    const { connection } = caller;
    const said = withTextForm(given);
    const { ref } = said;
    const phrase = mayCancel ? stopPhraseIn(said, this.#parts.stopPhrases) : null;
    const refusal = refusedContent(said, this.#parts);
    if (refusal) return refusal;
    if (ref === undefined) return this.#openTurn(ids('turn'), caller, said, { ref: null, phrase });
    if (keys.isRefused(connection, ref)) return refusedSay('cancelled_before_start');
    const key = commandKeyFor(caller, ref);
    const inFlight = keys.sayInFlight(key);
    const { decided } = this.#parts;
    if (inFlight) {
      if (!isSameSay(inFlight, caller, said) || !isSameSteer(inFlight.steer, said)) return refReused;
      if (inFlight.command !== wordsCommandOf(said)) return refReused;
      keys.keepTurn(connection, ref, inFlight.turn);
      const reply = await inFlight.reply;
      const opened = decided.findRecent(key); // a copy has a reply of its own, like every other repeat
      return opened ? this.#answerKnownSay(opened, caller, said, ref) : reply;
    }
    const known = decided.needsLookup(key) ? await decided.findLogged(key) : decided.findRecent(key);
    if (known) return this.#answerKnownSay(known, caller, said, ref);
    const turn = ids('turn');
    keys.keepTurn(connection, ref, turn);
    const reply = this.#openTurn(turn, caller, said, { ref, phrase });
    const command = wordsCommandOf(said);
    keys.keepInFlight(key, { turn, owner: caller.speaker.id, command, ...contentOf(said), steer: said.steer, reply });
    return reply;
  }

  async #answer(caller: Caller, request: AnswerRequest): Promise<AnswerReply> {
    const { inbox, replies, ids, decided } = this.#parts;
    const { speaker: by, via } = caller;
    const { target, question = null, answer, text = null, ref = null } = request;
    const key = ref === null ? null : commandKeyFor(caller, ref);
    if (key && decided.needsLookup(key)) await decided.findLogged(key);
    const id = ids('answer');
    const { promise, resolve } = Promise.withResolvers<AnswerReply>();
    replies.answers.add(id, resolve);
    inbox.post({ type: 'ANSWER', id, answer, text, by, via, target, question, ref });
    return promise;
  }

  #openTurn(
    turn: NodeId,
    { speaker, via, proof }: Caller,
    said: SayRequest & SayContent,
    { ref, phrase }: Pick<SayMessage, 'ref' | 'phrase'>,
  ): Promise<SayReply> {
    const { inbox, replies, turnShares, keys } = this.#parts;
    const owner = speaker.id;
    const isOverShare = proof !== undefined && !turnShares.reserve(turn, owner);
    if (isOverShare && !phrase) {
      keys.markRefused(turn);
      this.#cutSpeech(owner, said);
      return Promise.resolve(refusedSay('too_many_turns'));
    }
    const { resumes, ...content } = contentOf(said);
    const { promise, resolve } = Promise.withResolvers<SayReply>();
    replies.says.add(turn, resolve);
    inbox.post({
      type: 'SAY',
      lane: this.#parts.whileRunning === 'parallel' ? turn : owner,
      turn: { id: turn, owner, depth: 0, ...content, agent: null },
      resumes,
      ref,
      command: wordsCommandOf(said),
      via,
      by: speaker,
      steer: resumes !== undefined ? null : (said.steer ?? (this.#parts.whileRunning === 'steer' ? {} : null)),
      phrase,
      addressed: said.replyToBot ? 1 : said.addressed,
      seen: said.seen,
      isOverShare,
      spoken: said.spoken,
    });
    this.#cutSpeech(owner, said);
    return promise.then((reply) => {
      if (reply.type !== 'turn_opened' && reply.type !== 'input_deferred') turnShares.release(turn);
      return reply;
    });
  }

  /** Words cut speech that their speaker has interrupted, if they say more than "mhm". They are handled first: a stop phrase is a stop of it. */
  #cutSpeech(by: SpeakerId, { spoken, text }: SayRequest): void {
    if (spoken && isBackchannel(text)) return;
    const event = { type: 'WORDS', by, final: true } as const;
    for (const to of this.#parts.speeches) this.#parts.inbox.post({ type: 'SPEECH', to, event });
  }

  /** Replies after the commit of the fact. */
  async #answerKnownSay(
    { fact, seq }: DecidedCommand,
    caller: Caller,
    said: SayRequest & SayContent,
    ref: string,
  ): Promise<SayReply> {
    if (commandTypeOf(fact) !== wordsCommandOf(said)) return refReused;
    const receipt = receiptOfPhrase(fact, said);
    if (receipt !== null) {
      await this.#parts.journal.append([]);
      return { type: 'stop_phrase', cancel: receipt, repeated: true };
    }
    if (fact.type !== 'turn_opened' && fact.type !== 'input_deferred') return refReused;
    const isDeferred = fact.type === 'input_deferred';
    if (!isSameSay(fact, caller, said) || (isDeferred && !isSameSteer({ target: fact.turn }, said))) return refReused;
    const turn = isDeferred ? fact.input : fact.turn;
    this.#parts.keys.keepTurn(caller.connection, ref, turn);
    await this.#parts.journal.append([]);
    if (!isDeferred) return { type: 'turn_opened', turn, seq, repeated: fact };
    return { type: 'input_deferred', input: turn, turn: fact.turn, repeated: fact };
  }
}
