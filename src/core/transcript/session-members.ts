// The owner and the members of a session, folded from its facts.
import type { FactOf, SequencedFact } from '../../../machines/facts.ts';
import type { RoomRole, SpeakerId } from '../../../machines/vocabulary.ts';
import { type FactHandlers, type Projection, passFact } from './journal.ts';

export class SessionMembers implements Projection {
  static readonly #handlers: FactHandlers<SessionMembers> = {
    session_opened(fact) {
      this.#open(fact);
    },
    member_invited({ speaker, role }) {
      this.#invite(speaker, role);
    },
    member_removed({ speaker }) {
      this.#remove(speaker);
    },
    // a bridge, not those whom it has named
    turn_opened({ owner, via }) {
      if (this.#isOfEarlierVersion) this.#addSpeaker(via ?? owner);
    },
  };
  readonly appended = SessionMembers.#handlers;
  #owner: SpeakerId | null = null;
  readonly #members = new Set<SpeakerId>();
  /** Who was made a moderator of this session, whatever their token says. */
  readonly moderators = new Set<SpeakerId>();
  /** In a session of an earlier version: who was removed, and not invited since. What they have left running may still open turns. */
  readonly #removed = new Set<SpeakerId>();
  /** Whether a version that kept no owner has opened the session: then whoever has spoken is a member, and the first of them the owner. */
  #isOfEarlierVersion = false;

  /** The speaker who opened the session; null: a program did, or nobody is known. */
  get owner(): SpeakerId | null {
    return this.#owner;
  }

  /** The number of speakers who were invited, or have spoken in a session of an earlier version. */
  get size(): number {
    return this.#members.size;
  }

  /** These speakers. */
  get all(): readonly SpeakerId[] {
    return [...this.#members];
  }

  /** Whether the speaker was invited, or has spoken in a session of an earlier version. */
  has(speaker: SpeakerId): boolean {
    return this.#members.has(speaker);
  }

  /** Adds facts of an earlier life of the session, or those that a log has found for one speaker. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  #open({ by }: FactOf<'session_opened'>): void {
    this.#isOfEarlierVersion = by === undefined;
    this.#owner = by ?? null;
  }

  #invite(speaker: SpeakerId, role: RoomRole = 'member'): void {
    this.#members.add(speaker);
    if (role === 'moderator') this.moderators.add(speaker);
    else this.moderators.delete(speaker);
    this.#removed.delete(speaker);
  }

  #remove(speaker: SpeakerId): void {
    this.#members.delete(speaker);
    this.moderators.delete(speaker);
    if (this.#isOfEarlierVersion) this.#removed.add(speaker);
  }

  #addSpeaker(speaker: SpeakerId): void {
    this.#owner ??= speaker;
    if (!this.#removed.has(speaker)) this.#members.add(speaker);
  }
}
