// The lists that doors show beside the events of sessions: pages of sessions, turns that run, open questions.

import type { AccessAction } from '../../../machines/access.ts';
import type { ApprovalRequested, ForkOrigin, QuestionAsked } from '../../../machines/facts.ts';
import type { AwaitedCall } from '../../../machines/live-view.ts';
import type { NodeId, NodeKind, SessionStatus, SpeakerId } from '../../../machines/vocabulary.ts';
import type { SessionOrder, TurnSearch } from '../contracts/session-search.ts';
import type { NodeActivity } from '../live/node-activity.ts';
import type { Caller } from './caller.ts';

/** A session in which a caller may do what was asked for. */
export interface ListedSession {
  readonly session: string;
  /** The title that it was given, or else the beginning of the first words that were said in it; null: there are none, or the caller did not ask to read. */
  readonly title: string | null;
  /** The session and the turn that it was forked from; null: it is no fork, or the caller did not ask to read. */
  readonly forkedFrom: Pick<ForkOrigin, 'session' | 'turn'> | null;
  /** The time of its last fact, in milliseconds since 1970; null: it is not known, or the caller did not ask to read. */
  readonly lastAt: number | null;
  /** What happens in it, for the caller; null: the caller did not ask to read. */
  readonly status: SessionStatus | null;
  /** `asleep`: only the store has it. */
  readonly state: 'awake' | 'asleep';
  /** Turns that are not settled, those of sub-agents included. */
  readonly activeTurns: number;
}

/** A list that is collected from hosts. */
export interface Collected {
  /** The names of the hosts that did not reply in time: what they would have listed is not in the list. */
  readonly missing: readonly string[];
}

export interface PageOfSessions extends Collected {
  readonly sessions: readonly ListedSession[];
  /** The `after` of the next page; null: this is the last one. */
  readonly next: string | null;
}

/** A call that has not settled. */
export interface ActiveCall {
  readonly node: NodeId;
  readonly kind: Extract<NodeKind, 'tool-call' | 'sub-agent'>;
  readonly name: string | null;
  readonly owner: SpeakerId;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly state: NodeActivity;
  /** The call that it waits for; null: none. */
  readonly waitsFor: AwaitedCall | null;
  /** The id of its open question; null: it asks nothing. */
  readonly question: string | null;
}

/** A turn that has not settled. */
export interface ActiveTurn {
  readonly session: string;
  readonly turn: NodeId;
  /** The agent whose turn it is; null: the session's own. */
  readonly agent: string | null;
  /** The sub-agent that it belongs to; null: it is a root turn. */
  readonly parent: NodeId | null;
  readonly owner: SpeakerId;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly state: 'running' | 'stopping';
  /** The phase of its chart: `queued`, `preparing`, `generating`, `acting`, … */
  readonly phase: string;
  /** Its calls that have not settled. */
  readonly calls: readonly ActiveCall[];
  /** Calls that it has made so far, those that have settled included. */
  readonly callCount: number;
  readonly modelCalls: number;
}

export interface ActiveTurns extends Collected {
  readonly turns: readonly ActiveTurn[];
}

/** An open approval or question, with its session. */
export interface OpenQuestion {
  readonly session: string;
  readonly asked: ApprovalRequested | QuestionAsked;
  /** Whether the caller may answer it. */
  readonly mayAnswer: boolean;
}

export interface OpenQuestions extends Collected {
  readonly questions: readonly OpenQuestion[];
}

/** What another host knows of a session that is awake there. */
export interface AwakeSession {
  readonly session: string;
  readonly activeTurns: number;
  /** What happens in it, for the caller; null: nothing that its log does not say. */
  readonly status: Extract<SessionStatus, 'asks' | 'runs'> | null;
}

/** The sessions that are awake on this host, whose records the inspector has: asked for each record, so that it does not wait. */
export interface AwakeSessions {
  /** Whether the caller may read a session that is awake; null: it is not awake here, and `SessionDirectory.check` finds out. */
  mayRead(caller: Caller, session: string): boolean | null;
  /** Describes all of them for the list of another host, which asks for itself what the caller may read. */
  describe(caller: Caller): readonly AwakeSession[];
  /** Returns whether something happens in each of them, by id. */
  activity(): ReadonlyMap<string, 'busy' | 'at_rest'>;
  /** Closes one of them that is at rest, so that another host may open it: those who have joined it receive `fenced`. Resolves with whether it has closed. */
  release(session: string): Promise<boolean>;
}

/** A host that shares the store, and whose lease was not ended. */
export interface DescribedHost {
  /** Its id: a process that starts again has another one. */
  readonly host: string;
  /** What people call it. */
  readonly name: string;
  /** Its process on its machine; null: it does not say. */
  readonly pid: number | null;
  /** `draining`: it opens no session any more, and shuts down. `unreachable`: its lease runs, and it did not reply over the bus. `gone`: its lease has run out. */
  readonly state: 'living' | 'draining' | 'unreachable' | 'gone';
  /** Whether it is the one that was asked. */
  readonly isAsked: boolean;
  /** The sessions that it holds; null: it is not known. */
  readonly sessions: number | null;
  /** Its turns that have not settled; null: it did not reply. */
  readonly activeTurns: number | null;
  /** Its lease: the length, and the time since it was renewed, as far as the host that was asked has seen; null: the store does not say. */
  readonly lease: { readonly ms: number; readonly ageMs: number } | null;
}

/** What a host says of itself over the bus. */
export interface HostReport {
  readonly host: string;
  readonly sessions: number;
  readonly activeTurns: number;
  /** Whether it is draining. Left out: it is not. */
  readonly drains?: boolean;
}

/**
 * What becomes of the wish that a host drains. `known`: it was draining already. `ambiguous`: several hosts are called so. `unreachable`: it has not replied. `refused`: its program drains only
 * by itself.
 */
export type DrainReply =
  | { readonly type: 'drains' | 'known'; readonly host: string; readonly name: string }
  | { readonly type: 'unreachable' | 'refused'; readonly name: string }
  | { readonly type: 'ambiguous'; readonly hosts: readonly string[] }
  | { readonly type: 'unknown' };

export interface PageRequest<After> {
  readonly after: After;
  readonly limit: number;
}

/** Which facts to read: the first ones after a sequence number; with `before` the last ones between the two. */
export interface FactPage extends PageRequest<number> {
  /** The sequence number below which facts are read; null: no upper end. */
  readonly before: number | null;
}

/** Which sessions to list. */
export interface SessionQuery extends PageRequest<string | null> {
  /** What the caller may do in them. */
  readonly action: Extract<AccessAction, 'read' | 'cancel'>;
  /** `awake`: the store is not read. Null: all. */
  readonly state: 'awake' | null;
  /** The order of the list. Default: by name. */
  readonly order?: SessionOrder;
  /** The status that they must have. Left out: any. */
  readonly status?: SessionStatus | undefined;
  /** What one of its turns must be. Null or left out: any session. */
  readonly turn?: TurnSearch | null;
}
