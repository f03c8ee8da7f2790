// Deletes speakers: the sessions that they own, and what they have said in others.
//
// 1. A deletion is recorded before it starts and until it has ended: the next start goes on with one that was interrupted. Each step may be done again.
// 2. A session is redacted while it is closed, by this host, which holds it for that time.

import type { SequencedFact } from '../../../machines/facts.ts';
import type { QuoteRule, Remains, SpeakerId } from '../../../machines/vocabulary.ts';
import type { BlobStore } from '../contracts/blobs.ts';
import { HeldElsewhere, type Log, type SpeakerDeletion } from '../contracts/log.ts';
import type { Caller } from '../session/api.ts';
import { readAllFacts, readSessionIds } from '../session/read-log.ts';
import type { Session } from '../session/session.ts';
import {
  type NamedQuote,
  type RedactedSession,
  SessionInUse,
  type SpeakerDeletionReport,
  type StoreDeletions,
} from '../session/session-archive.ts';
import { pause } from '../sources/pause.ts';
import type { Clock, Ids } from '../sources/sources.ts';
import { redactFacts } from '../transcript/redact.ts';
import { mediaIn } from '../transcript/session-blobs.ts';
import { SessionMembers } from '../transcript/session-members.ts';
import { AccessDenied } from './admission.ts';
import type { SessionDeletions } from './session-deletions.ts';
import type { StorePurge } from './store-purge.ts';

/** Events that are redacted together. */
const groupSize = 256;
const restPauseMs = 200;
const restPauses = 50;

export interface SpeakerDeletionsOptions {
  readonly log: Log;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly holdLease: () => Promise<string>;
  readonly sessions: SessionDeletions;
  readonly storePurge: StorePurge;
  /** Returns the session if it is awake here. */
  readonly awake: (session: string) => Session | undefined;
  /** Opens a session, which recovers what a dead host has left in it. */
  readonly open: (session: string) => Promise<unknown>;
  /** Resolves when the forks that are being made now are there. */
  readonly untilForksMade: () => Promise<void>;
  /** Called for each session in which something was redacted. */
  readonly onRedacted: (session: string) => void;
}

interface Progress {
  readonly deleted: string[];
  readonly redacted: RedactedSession[];
  readonly quotes: NamedQuote[];
  readonly left: string[];
  readonly named: string[];
}

export class SpeakerDeletions implements StoreDeletions {
  readonly #options: SpeakerDeletionsOptions;

  constructor(options: SpeakerDeletionsOptions) {
    this.#options = options;
  }

  async deleteSpeaker(speaker: SpeakerId, caller: Caller | null, quotes: QuoteRule): Promise<SpeakerDeletionReport> {
    if (caller?.proof && (caller.proof.speaker.id !== speaker || quotes === 'all')) throw new AccessDenied('delete');
    const { log, ids } = this.#options;
    if (!log.deletions || !log.listSessions)
      throw new Error(
        'The log of this runtime cannot delete a speaker: it has no `deletions` or no method listSessions.',
      );
    return this.#delete(await log.deletions.startSpeaker({ speaker, pseudonym: ids('deleted'), quotes }));
  }

  purge(): Promise<Remains> {
    return this.#options.storePurge.run();
  }

  /** Goes on with what an earlier process has not ended. */
  async goOn(): Promise<void> {
    await this.#options.storePurge.run({ atStart: true });
    for (const deletion of (await this.#options.log.deletions?.listSpeakers()) ?? []) await this.#delete(deletion);
  }

  stop(): void {
    this.#options.storePurge.stop();
  }

  async #delete(deletion: SpeakerDeletion): Promise<SpeakerDeletionReport> {
    const { log, storePurge, untilForksMade } = this.#options;
    const progress: Progress = { deleted: [], redacted: [], quotes: [], left: [], named: [] };
    const seen = new Set<string>();
    await this.#deleteInAll(deletion, seen, progress);
    // a fork that was being made meanwhile has copied what was not redacted yet
    await untilForksMade();
    await this.#deleteInAll(deletion, seen, progress);
    if (progress.left.length === 0) await log.deletions?.forgetSpeaker(deletion.speaker);
    return { pseudonym: deletion.pseudonym, ...progress, remains: await storePurge.run() };
  }

  /** Deletes the speaker in each session that was not seen before. */
  async #deleteInAll(deletion: SpeakerDeletion, seen: Set<string>, progress: Progress): Promise<void> {
    for await (const session of readSessionIds(this.#options.log)) {
      if (seen.has(session)) continue;
      seen.add(session);
      try {
        await this.#deleteIn(session, deletion, progress);
      } catch (error) {
        if (!(error instanceof SessionInUse || error instanceof HeldElsewhere)) throw error;
        progress.left.push(session);
      }
    }
  }

  async #deleteIn(session: string, deletion: SpeakerDeletion, progress: Progress): Promise<void> {
    const { log, awake, open, sessions } = this.#options;
    const events = await readAllFacts(log, session);
    if (redactFacts(events, deletion).changed.length > 0) {
      // what another process has left open is closed first
      if (!awake(session) && (await log.head(session)).holder !== null) await open(session);
      if (isOwnedBy(events, deletion)) {
        await this.#atRest(session, deletion, () => sessions.delete(session));
        progress.deleted.push(session);
        return;
      }
      const redact = () => sessions.whileClosed(session, 'shutdown', () => this.#redact(session, deletion, progress));
      await this.#atRest(session, deletion, redact);
    }
    if (session.includes(deletion.speaker)) progress.named.push(session);
  }

  /** Cancels what the speaker has running in the session, and works on it as soon as nothing happens there any more. Rejects with `SessionInUse` if others go on. */
  async #atRest(session: string, { speaker }: SpeakerDeletion, work: () => Promise<unknown>): Promise<void> {
    const { awake, clock } = this.#options;
    for (let left = restPauses; ; left--) {
      const here = awake(session);
      if (here) cancelWorkOf(here, speaker);
      try {
        await work();
        return;
      } catch (error) {
        if (!(error instanceof SessionInUse) || left === 0) throw error;
        await pause(clock, restPauseMs);
      }
    }
  }

  async #redact(session: string, deletion: SpeakerDeletion, progress: Progress): Promise<void> {
    const { log, blobs, holdLease, onRedacted } = this.#options;
    const host = await holdLease();
    const epoch = await log.claim(session, (await log.head(session)).epoch, host);
    try {
      const { changed, facts, quotes } = redactFacts(await readAllFacts(log, session), deletion);
      for (let from = 0; from < changed.length; from += groupSize) {
        const group = changed.slice(from, from + groupSize);
        await Promise.all(group.map(({ seq, fact }) => log.deletions?.redact(session, epoch, seq, fact)));
      }
      await blobs.keepOnly(
        session,
        mediaIn(facts).map(({ blob }) => blob),
      );
      progress.redacted.push({ session, facts: changed.length });
      progress.quotes.push(...quotes.map((quote) => ({ session, ...quote })));
    } finally {
      await log.release(session, epoch);
    }
    onRedacted(session);
  }
}

/** Cancels what a speaker has running or waiting in a session, as a shutdown does. */
function cancelWorkOf({ shown: { tree, inbox } }: Session, speaker: SpeakerId): void {
  for (const { id, owner, parent, isSettled } of tree.entries()) {
    const isBelowTheirs = parent !== null && tree.get(parent)?.owner === speaker;
    if (owner !== speaker || isSettled || isBelowTheirs) continue;
    inbox.post({ type: 'CANCEL', source: 'shutdown', by: null, target: id, force: false });
  }
}

/** Whether the speaker owns the session; also if a part of its facts has the pseudonym already. */
function isOwnedBy(events: readonly SequencedFact[], { speaker, pseudonym }: SpeakerDeletion): boolean {
  const members = new SessionMembers();
  members.add(events);
  return members.owner === speaker || members.owner === pseudonym;
}
