// Brings a joining listener up to date: the facts that it has missed, as fast as it accepts them, then everything as it happens.
//
// 1. Facts come from the log until it has no more; then, in the same tick, the live ones follow: none is missing, none comes twice.
// 2. Meanwhile only streaming text is kept: it is merged by block, and dropped when its block ends. Output and progress are not kept.
import type { CancelAccepted, RecordedFact, SequencedFact } from '../../../machines/facts.ts';
import type {
  ModelPreview,
  OutputDelta,
  SpeechChange,
  TextDelta,
  ToolProgress,
  ToolWaiting,
} from '../../../machines/live-view.ts';
import type { Log, LoggedEvent } from '../contracts/log.ts';
import type { RuntimeServices } from '../workers/services.ts';
import type {
  Caller,
  Joined,
  JoinedSessionEnd,
  PresenceChange,
  ReplayFrom,
  RoomView,
  SessionInfo,
  SessionListener,
} from './api.ts';
import type { CallStop } from './call-api.ts';
import { describeNode } from './live-node.ts';
import type { SessionParts } from './parts.ts';
import { factOf } from './read-log.ts';
import { findTailStart, type SessionTail, type TailSource, tailFrom } from './session-tail.ts';

/** Facts that are read from the log at once. */
const pageSize = 500;

export interface CatchUpSource {
  /** The next facts of the log after that sequence number. */
  read(seq: number): Promise<readonly LoggedEvent[]>;
  /** The sequence number of the last fact that has committed. */
  committed(): number;
  /** Whether the joining connection is still there. */
  isWanted(): boolean;
}

type JoiningParts =
  | 'journal'
  | 'presence'
  | 'tree'
  | 'text'
  | 'observers'
  | 'speech'
  | 'timeouts'
  | 'title'
  | 'history'
  | 'members'
  | 'invites'
  | 'delegations'
  | 'calls';

export interface JoinParts {
  readonly info: SessionInfo;
  readonly runtime: Pick<RuntimeServices, 'models' | 'sources'>;
  readonly parts: Pick<SessionParts, JoiningParts>;
  readonly log: Log;
}

/** Adds a listener to a session: see `Runtime.join`. */
export async function joinSession(
  caller: Caller,
  listener: SessionListener,
  from: ReplayFrom,
  { info, runtime, parts, log }: JoinParts,
): Promise<void> {
  const { journal, presence, tree, observers, history } = parts;
  if (from === null) {
    presence.addConnection(caller, listener);
    observers.reportJoin(caller);
    listener.joined(joinedOf({ info, runtime, parts }));
    return passStopsOn(caller, listener, parts);
  }
  const committed = () => journal.committedSeq;
  const catchUp = new CatchUp(listener);
  presence.addConnection(caller, catchUp); // before anything is read: a REMOVE finds it
  observers.reportJoin(caller);
  const read = (seq: number) => log.read(info.session, seq, pageSize);
  const isWanted = () => presence.isJoined(catchUp);
  try {
    if (typeof from === 'number') {
      catchUp.joined(joinedOf({ info, runtime, parts }));
      passStopsOn(caller, listener, parts);
      return await catchUp.replay(from, { read, committed, isWanted });
    }
    const findTail = await readTail(from.last, { session: info.session, log, history, tree, committed });
    if (!isWanted()) return;
    const tail = findTail(); // in the tick of `joined`: both are of the same moment
    catchUp.joined({ ...joinedOf({ info, runtime, parts }), tail: joinedTailOf(tail, parts) });
    passStopsOn(caller, listener, parts);
    await catchUp.replay(tail.start - 1, { read, committed, isWanted }, tail.earlier);
  } catch (error) {
    presence.removeConnection(caller.connection, 'left');
    throw error;
  }
}

/** Passes on the stops of calls that the speaker runs, and that were stopped while the speaker was away. */
function passStopsOn({ speaker }: Caller, listener: SessionListener, { calls }: Pick<SessionParts, 'calls'>): void {
  for (const stop of calls.stopsFor(speaker.id)) listener.stopCall?.(stop);
}

/** Reads what the end of the log needs beside the memory. Resolves with a function that returns that end as it is at the moment of the call. */
async function readTail(last: number, source: TailSource): Promise<() => SessionTail> {
  const start = await findTailStart(last, source);
  const [first] = start > 1 ? await source.log.read(source.session, 0, 1) : [];
  return () => tailFrom(start, first ? factOf(first) : null, source);
}

function joinedOf({ info, runtime, parts }: Pick<JoinParts, 'info' | 'runtime' | 'parts'>): Joined {
  const { journal, tree, text, speech, timeouts, title } = parts;
  const nodes = tree.entries();
  return {
    ...info,
    models: runtime.models,
    toolTimeouts: timeouts.all,
    title: title.text,
    seq: journal.committedSeq,
    nodes: nodes.map(describeNode(journal, runtime.sources.clock)),
    blocks: text.openBlocks(),
    questions: nodes.flatMap(({ question }) => question?.asked ?? []),
    voice: speech?.state,
    room: roomOf(parts),
  };
}

/** Returns who is in the session, and who may be, as of now. */
export const roomOf = ({
  members,
  presence,
  delegations,
  invites,
}: Pick<JoinParts['parts'], 'members' | 'presence' | 'delegations' | 'invites'>): RoomView => ({
  owner: members.owner,
  members: members.all.map((speaker) => ({ speaker, role: members.moderators.has(speaker) ? 'moderator' : 'member' })),
  present: presence.speakers(),
  delegations: delegations.all.map(({ by, to, target, until }) => ({ by, to, target, until })),
  invites: invites.open.map(({ invite, role, until, by }) => ({ invite, role, until, by })),
});

const joinedTailOf = ({ start }: SessionTail, { members, delegations }: JoinParts['parts']): Joined['tail'] => ({
  start,
  owner: members.owner,
  members: members.all,
  delegations: delegations.all.map(({ by, to, target, until }) => ({ by, to, target, until })),
});

/** Stands in for a listener while facts are replayed to it. */
export class CatchUp implements SessionListener {
  readonly #to: SessionListener;
  readonly #texts = new Map<string, TextDelta>();
  #state: 'replaying' | 'live' = 'replaying';

  constructor(to: SessionListener) {
    this.#to = to;
  }

  /**
   * Resolves when nothing is missing any more, or the connection has left. Rejects when the log ends before the last committed fact. `earlier`: facts that come
   * first.
   */
  async replay(
    after: number,
    { read, committed, isWanted }: CatchUpSource,
    earlier: readonly SequencedFact[] = [],
  ): Promise<void> {
    for (const event of earlier) {
      await this.#to.waitForRoom?.();
      if (!isWanted()) return;
      this.#to.fact(event);
    }
    let seq = after;
    while (seq < committed()) {
      const page = await read(seq);
      if (page.length === 0) throw new Error(`The log ends at ${seq}, but ${committed()} facts have committed.`);
      for (const event of page) {
        await this.#to.waitForRoom?.();
        if (!isWanted()) return;
        if (event.seq > committed()) break; // written, but not published yet: it comes live
        this.#to.fact({ seq: event.seq, fact: event.body as RecordedFact }); // the log holds facts of this session only
        seq = event.seq;
      }
    }
    this.#to.replayed?.();
    this.#goLive();
  }

  /** The text so far is in its blocks. */
  joined(joined: Joined): void {
    this.#texts.clear();
    this.#to.joined(joined);
  }

  fact(event: SequencedFact): void {
    if (this.#state === 'live') return this.#to.fact(event);
    const { fact } = event;
    if (fact.type === 'model_ended') this.#dropText(({ turn, index }) => turn === fact.turn && index === fact.index);
    if (fact.type === 'cancel_accepted') this.#dropText(({ turn }) => fact.stopping.includes(turn));
  }

  text(delta: TextDelta): void {
    if (this.#state === 'live') return this.#to.text(delta);
    const key = JSON.stringify([delta.turn, delta.index]);
    const before = this.#texts.get(key);
    this.#texts.set(key, before ? { ...before, text: before.text + delta.text } : delta);
  }

  preview(preview: ModelPreview): void {
    if (this.#state === 'live') this.#to.preview?.(preview);
  }

  output(delta: OutputDelta): void {
    if (this.#state === 'live') this.#to.output(delta);
  }

  progress(progress: ToolProgress): void {
    if (this.#state === 'live') this.#to.progress(progress);
  }

  waiting(waiting: ToolWaiting): void {
    if (this.#state === 'live') this.#to.waiting?.(waiting);
  }

  /** Its fact follows, from the log if need be. */
  accepted(receipt: CancelAccepted): void {
    if (this.#state === 'live') this.#to.accepted(receipt);
  }

  presence(change: PresenceChange): void {
    this.#to.presence?.(change);
  }

  /** At once, also while facts are replayed: sound must not go on meanwhile. */
  speech(change: SpeechChange): void {
    this.#to.speech?.(change);
  }

  /** At once, also while facts are replayed. */
  stopCall(stop: CallStop): void {
    this.#to.stopCall?.(stop);
  }

  ended(reason: JoinedSessionEnd): void {
    this.#to.ended(reason);
  }

  #dropText(matches: (delta: TextDelta) => boolean): void {
    for (const [key, delta] of this.#texts) if (matches(delta)) this.#texts.delete(key);
  }

  #goLive(): void {
    this.#state = 'live';
    for (const delta of this.#texts.values()) this.#to.text(delta);
    this.#texts.clear();
  }
}
