// Admission: asks the rule of access before a command reaches its session, and limits how fast a speaker opens sessions.
//
// A refusal does not show whether the session exists: it is the same error after the same lookup, and nothing is opened or written.
import type { AccessAction, AccessRule, BuiltinAccess } from '../../../machines/access.ts';
import type { ForkOrigin } from '../../../machines/facts.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import type { Log } from '../contracts/log.ts';
import type { Caller, RedeemReply } from '../session/api.ts';
import { factOf } from '../session/read-log.ts';
import type { CommandRefusal } from '../session/session-spec.ts';
import type { Clock } from '../sources/sources.ts';
import { type Rate, TokenBucket } from '../sources/token-bucket.ts';
import { SessionMembers } from '../transcript/session-members.ts';
import { accessSpeakerOf, defaultAccessOf, type GuardedSession, mayAccess } from './access-check.ts';

/** The speaker may not do this in the session, or there is no such session. */
export class AccessDenied extends Error {
  override readonly name = 'AccessDenied';
  readonly code = 'access_denied';

  constructor(action: AccessAction) {
    super(
      denials[action] ??
        'There is no such session for this speaker. Its owner, or a moderator in it, can invite the speaker.',
    );
  }
}

const denials: Partial<Record<AccessAction, string>> = {
  invite: 'Only the owner of a session, or a moderator in it, can invite and remove.',
  configure: 'Only the owner of a session, or a moderator in it, can set its title and the timeouts of its tools.',
  delete: 'There is no such session that this speaker may delete. Its owner, or a moderator in it, can delete it.',
};

/** The speaker opens sessions too fast. */
export class TooManyOpens extends Error {
  override readonly name = 'TooManyOpens';
  readonly code = 'too_many_opens';
  readonly limit: number;

  constructor(limit: number) {
    super(`This speaker opens too many sessions: the limit is ${limit} a minute. Try again later.`);
    this.limit = limit;
  }
}

export interface AdmissionOptions {
  readonly log: Pick<Log, 'findMembership'>;
  readonly clock: Clock;
  /** Sessions that a speaker may open in a minute, new ones and those that are asleep. */
  readonly opensPerMinute: number;
  /** The rule of a session that is not awake; undefined: the default. */
  ruleOf(session: string): BuiltinAccess | AccessRule | undefined;
  /** Called for each command that is refused. */
  onRefused(refusal: CommandRefusal): void;
  warn(message: string, error: unknown): void;
}

/** What the store says about a session to a speaker. */
export interface LookedUp {
  readonly exists: boolean;
  readonly may: boolean;
  /** The beginning of its first words; null: nothing was said yet, or the caller did not ask to read. */
  readonly title: string | null;
  /** Where it comes from; null: it is no fork, or the caller did not ask to read. */
  readonly forked: ForkOrigin | null;
}

/** Speakers whose rate is kept. */
const maxRates = 10_000;

/** Wrong invite links of a speaker: so many at once, and one more every 30 s. */
const guessRate: Rate = { perSecond: 1 / 30, burst: 5 };

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #rate: Rate;
  readonly #rates = new BoundedMap<SpeakerId, TokenBucket>(maxRates);
  readonly #guesses = new BoundedMap<SpeakerId, TokenBucket>(maxRates);

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#rate = { perSecond: options.opensPerMinute / 60, burst: options.opensPerMinute };
  }

  /** Whether the caller may do this in the session: see `mayAccess`. */
  may(action: AccessAction, caller: Caller | null, session: GuardedSession): boolean {
    return mayAccess(action, caller, session, this.#options.warn);
  }

  /** Throws `AccessDenied` if the caller may not do this in the session. */
  assertMay(action: AccessAction, caller: Caller | null, session: GuardedSession): void {
    if (!this.may(action, caller, session)) throw this.#refuse(action, caller, session.id, new AccessDenied(action));
  }

  /**
   * Checks a command to a session that is not open to the caller in this host's memory. Resolves with whether the session exists, as far as the command has to know. Rejects with `AccessDenied`, `TooManyOpens`, or the
   * error of the store.
   */
  async admit(action: AccessAction, caller: Caller | null, id: string): Promise<boolean> {
    this.#countOpen(action, caller, id);
    if (caller === null) return true;
    if (!needsLookup(action) && (this.#options.ruleOf(id) ?? defaultAccessOf(caller)) === 'open') return true;
    const { may, exists } = await this.lookUp(action, caller, id);
    if (may) return exists;
    const wanted = exists || needsLookup(action) ? action : 'open';
    throw this.#refuse(wanted, caller, id, new AccessDenied(wanted));
  }

  /** Resolves with whether the session is in the store, and whether the caller may do this in it, or may open it. Rejects with the error of the store. */
  async lookUp(action: AccessAction, caller: Caller, id: string): Promise<LookedUp> {
    const access = this.#options.ruleOf(id);
    const facts = (await this.#options.log.findMembership(id, accessSpeakerOf(caller).id)).map(factOf);
    const members = new SessionMembers();
    members.add(facts);
    const exists = facts.length > 0;
    const wanted = exists || needsLookup(action) ? action : 'open';
    const may = this.may(wanted, caller, { id, access, members });
    if (!may || action !== 'read') return { exists, may, title: null, forked: null };
    const { sessionTitle } = await import('../transcript/session-title.ts'); // no start needs it
    const opened = facts[0]?.fact;
    const forked = (opened?.type === 'session_opened' && opened.forked) || null;
    return { exists, may, title: sessionTitle(facts), forked };
  }

  /** Tries an invite link, unless the speaker has shown too many wrong ones. Each try counts until it has turned out right: those that run at once, too. */
  async tryInvite(caller: Caller, redeem: () => Promise<RedeemReply>): Promise<RedeemReply> {
    const { id } = accessSpeakerOf(caller);
    const guesses = this.#guesses.get(id) ?? new TokenBucket(this.#options.clock, guessRate);
    this.#guesses.set(id, guesses);
    if (!guesses.spend()) return { type: 'rate_limited' };
    const reply = await redeem();
    if (reply.type !== 'bad_invite') guesses.giveBack();
    return reply;
  }

  /** Counts the sessions that a speaker opens. Only speakers that a token has proven have a limit; a CANCEL has none. */
  #countOpen(action: AccessAction, caller: Caller | null, session: string): void {
    if (!caller?.proof || action === 'cancel') return;
    const { id } = accessSpeakerOf(caller);
    const rate = this.#rates.get(id) ?? new TokenBucket(this.#options.clock, this.#rate);
    this.#rates.set(id, rate);
    if (rate.spend()) return;
    throw this.#refuse(action, caller, session, new TooManyOpens(this.#options.opensPerMinute));
  }

  /** Notifies of a refusal. Returns its error. */
  #refuse<E extends AccessDenied | TooManyOpens>(
    action: AccessAction,
    caller: Caller | null,
    session: string,
    error: E,
  ): E {
    const speaker = callingSpeaker(caller);
    if (speaker !== null) this.#options.onRefused({ session, speaker, action, code: error.code });
    return error;
  }
}

/** They open nothing, so that the session has to exist. */
const needsLookup = (action: AccessAction): boolean => action === 'cancel' || action === 'delete';

/** Returns the speaker of the connection; null: a program acts for itself. */
export const callingSpeaker = (caller: Caller | null): SpeakerId | null => caller && (caller.via ?? caller.speaker.id);
