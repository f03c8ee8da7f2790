// Forks sessions: makes one that begins with what had happened in another one by the end of a turn.
//
// 1. A fork is there whole or not at all: the store shows it when all of it is written. The other session is read from the store, and neither is opened.
// 2. The work is done in slices: a large session delays no other work.
// 3. The name of a fork follows from its command (session, speaker, ref), so that a repeat finds the fork that is there.
import type { RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import { defaultResumePhrases, type NodeId, type SpeakerId } from '../../../machines/vocabulary.ts';
import { BlobTooLarge } from '../contracts/blobs.ts';
import { Fenced } from '../contracts/log.ts';
import type { Caller } from '../session/api.ts';
import { factOf } from '../session/read-log.ts';
import type { ForkReply, ForkRequest } from '../session/session-archive.ts';
import { sessionSpecOf } from '../session/session-spec.ts';
import { nameProblem, speakerNameProblem } from '../text/printable.ts';
import { copiedId, copyFacts, deriveId, type NoCut, noCutAt } from '../transcript/fork.ts';
import { runInSlices } from '../transcript/in-slices.ts';
import { type Outline, OutlineDrawing } from '../transcript/outline.ts';
import { mediaIn } from '../transcript/session-blobs.ts';
import { AccessDenied, type Admission, callingSpeaker } from './admission.ts';
import type { RuntimeConfig } from './config.ts';
import type { EarlyParts } from './early-parts.ts';

/** Facts that are read, parsed and drawn in one turn of the event loop. */
const pageSize = 200;

type ForkLimit = 'forkFacts' | 'forkBytes';

const noCuts: Readonly<Record<NoCut, (turn: NodeId) => string>> = {
  unknown: (turn) => `The session has no turn ${turn}.`,
  below: (turn) => `The turn ${turn} belongs to a sub-agent. Name the turn that it works for.`,
  not_settled: (turn) => `The turn ${turn} has not settled. Fork when it has ended, or from an earlier one.`,
};

/** The turn that a FORK names, and the speaker who sends it. */
interface Wanted {
  readonly session: string;
  readonly turn: NodeId;
  readonly by: SpeakerId | null;
  /** The id of the fork. */
  readonly fork: string;
  /** Whether the FORK has named it. */
  readonly isNamed: boolean;
}

export interface ForkParts extends Pick<EarlyParts, 'log' | 'blobs' | 'runtime'> {
  /** Resolves when the host has a lease: another host removes what one without a lease has not finished. */
  readonly holdLease: () => Promise<unknown>;
}

export class SessionForks {
  readonly #config: Pick<RuntimeConfig, 'session'>;
  readonly #parts: ForkParts;
  readonly #admission: Admission;
  /** The forks that are being made, by their ids. */
  readonly #inMaking = new Map<string, Promise<ForkReply>>();

  constructor(config: Pick<RuntimeConfig, 'session'>, parts: ForkParts, admission: Admission) {
    this.#config = config;
    this.#parts = parts;
    this.#admission = admission;
  }

  /** See `SessionArchive.forkSession`. */
  async fork(session: string, caller: Caller | null, { turn, to, ref }: ForkRequest): Promise<ForkReply> {
    const { log, runtime } = this.#parts;
    if (!log.createSession) throw new Error('The log of this runtime has no method createSession.');
    const misnamed = caller && speakerNameProblem(caller.speaker.id);
    if (misnamed) throw new RangeError(`The id of a speaker ${misnamed}.`);
    const by = callingSpeaker(caller);
    const fork = to ?? (ref === undefined ? runtime.sources.ids('fork') : deriveId('fork', [session, by, ref]));
    const problem = nameProblem(fork);
    if (problem !== null) throw new RangeError(`The id of a session ${problem}.`);
    const exists = await this.#admission.admit('read', caller, session);
    if (!exists || (await log.head(session)).last === 0) throw new AccessDenied('read'); // as for one that the caller may not read
    await this.#admission.admit('read', caller, fork);
    const wanted = { session, turn, by, fork, isNamed: to !== undefined };
    const made = this.#findOrMake(wanted);
    this.#inMaking.set(fork, made);
    try {
      return await made;
    } finally {
      if (this.#inMaking.get(fork) === made) this.#inMaking.delete(fork);
    }
  }

  /** Resolves when the forks that are being made now are there, or have failed. */
  async untilMade(): Promise<void> {
    await Promise.allSettled(this.#inMaking.values());
  }

  /** A repeat waits for the FORK before it, and finds its fork. */
  async #findOrMake(wanted: Wanted): Promise<ForkReply> {
    await this.#inMaking.get(wanted.fork)?.catch(() => {});
    return (await this.#findFork(wanted)) ?? (await this.#make(wanted));
  }

  /** Resolves with the reply where there is a session of this id already. */
  async #findFork({ session, turn, by, fork, isNamed }: Wanted): Promise<ForkReply | null> {
    const [opened] = (await this.#parts.log.read(fork, 0, 1)).map(factOf);
    if (!opened) return null;
    const from = opened.fact.type === 'session_opened' ? opened.fact.forked : undefined;
    const isOwn = opened.fact.type === 'session_opened' && opened.fact.by === by && from?.session === session;
    if (!isOwn || !from) return { type: 'session_exists', fork };
    if (from.turn !== turn) return isNamed ? { type: 'session_exists', fork } : { type: 'ref_reused' };
    return { type: 'forked', fork, turn: copiedId(fork, turn), from, by, repeated: true };
  }

  async #make(wanted: Wanted): Promise<ForkReply> {
    const { session, turn, by, fork } = wanted;
    const { log, runtime } = this.#parts;
    const { limits, sources } = runtime;
    const { facts, outline, exceeded } = await this.#readUpTo(session, turn);
    if (exceeded) return tooLarge(exceeded, limits[exceeded]);
    const noCut = noCutAt(outline, turn);
    if (noCut !== null) return { type: 'turn_not_forkable', message: noCuts[noCut](turn) };
    const copied = await runInSlices(copyFacts(facts, outline, fork));
    const from = { session, turn, seq: facts.length, copied: copied.length + 1 };
    const options = facts.find((fact) => fact.type === 'session_configured')?.options;
    const { kind, policy, resumePhrases = defaultResumePhrases } = sessionSpecOf(this.#config.session?.(fork, options));
    const about = { kind, policy: options?.policy ?? policy, by, resumePhrases, forked: from };
    const opened: RecordedFact = { type: 'session_opened', ...about, at: sources.clock.now() };
    const blobs = new Map(mediaIn(copied).map(({ blob, bytes }) => [blob, bytes]));
    if ([...blobs.values()].reduce((sum, bytes) => sum + bytes, 0) > limits.forkBytes)
      return tooLarge('forkBytes', limits.forkBytes);
    await this.#parts.holdLease();
    try {
      await log.createSession?.(fork, [opened, ...copied], { from: session, ids: [...blobs.keys()], limits });
    } catch (error) {
      if (error instanceof BlobTooLarge) return noRoom(error.limit, limits[error.limit]);
      const found = error instanceof Fenced ? await this.#findFork(wanted) : null;
      if (found) return found; // the same FORK was faster
      throw error;
    }
    return { type: 'forked', fork, turn: copiedId(fork, turn), from, by, repeated: false };
  }

  /** Resolves with the facts up to the end of a turn; with all of them where it has none. `exceeded`: the limit at which it has stopped to read. */
  async #readUpTo(
    session: string,
    turn: NodeId,
  ): Promise<{
    readonly facts: RecordedFact[];
    readonly outline: Outline;
    readonly exceeded: ForkLimit | null;
  }> {
    const { log, runtime } = this.#parts;
    const { forkFacts, forkBytes } = runtime.limits;
    const facts: RecordedFact[] = [];
    const outline = new OutlineDrawing();
    let bytes = 0;
    for (;;) {
      const page: readonly SequencedFact[] = (await log.read(session, facts.length, pageSize)).map(factOf);
      const end = page.findIndex(({ fact }) => fact.type === 'turn_ended' && fact.turn === turn);
      for (const { fact } of end < 0 ? page : page.slice(0, end + 1)) {
        facts.push(fact);
        outline.add(fact);
        bytes += Buffer.byteLength(JSON.stringify(fact));
      }
      if (facts.length > forkFacts) return { facts, outline, exceeded: 'forkFacts' };
      if (bytes > forkBytes) return { facts, outline, exceeded: 'forkBytes' };
      if (end >= 0 || page.length < pageSize) return { facts, outline, exceeded: null };
    }
  }
}

const whatExceeds: Readonly<Record<ForkLimit, string>> = {
  forkFacts: 'facts',
  forkBytes: 'bytes of facts, or of images and files,',
};

const tooLarge = (name: ForkLimit, limit: number): ForkReply => ({
  type: 'fork_too_large',
  message: `The session has too many ${whatExceeds[name]} up to this turn, and limits.${name} is ${limit}. Fork from an earlier turn.`,
  limit,
});

/** A fork removes no blob of another session: where its copies do not fit, it is not made. */
const noRoom = (name: BlobTooLarge['limit'], limit: number): ForkReply => ({
  type: 'fork_too_large',
  message: `There is no room for copies of the images and files up to this turn: limits.${name} is ${limit} bytes. Delete sessions, or fork from an earlier turn.`,
  limit,
});
