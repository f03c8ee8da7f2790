// The events of the session's machine.
import type { DoneActorEvent, ErrorActorEvent } from 'xstate';
import type { CancelCommand, Judgment, OutcomeEvent, Plan } from './cancel.ts';
import type { LinkInput } from './contracts.ts';
import type { CancelAccepted } from './facts.ts';
import type { Resumption } from './resume.ts';
import type { Evidence, StandingNode } from './standing.ts';
import type { AnswerKind, Cause, NodeId, Speaker, SpeakerId, WordsCommand } from './vocabulary.ts';
import type { SpokenWords } from './voice-facts.ts';

/** Words of a speaker: a SAY or a STEER. */
interface Said {
  readonly lane: string;
  readonly turn: LinkInput;
  /** The ref of the frame, for the reply. */
  readonly ref: string | null;
  /** The type of the frame. */
  readonly command?: WordsCommand | undefined;
  /** The speaker whose connection sent it, where it is another one: a bridge. */
  readonly via?: SpeakerId | undefined;
  /** The CANCEL that its words stand for: they are a stop phrase, and something runs. It counts where the speaker has standing. */
  readonly stop?: SessionCancelEvent | null | undefined;
  /** The interrupted turn that it takes up again: it is a RESUME. */
  readonly resumption?: Resumption | undefined;
  /** What the recognizer says of a transcript. */
  readonly spoken?: SpokenWords | undefined;
  /** Its owner has reached the limit of open turns of a speaker. */
  readonly isOverShare?: boolean | undefined;
}

export interface SayEvent extends Said {
  readonly type: 'SAY';
}

/** Words for a turn that runs: by a STEER frame, or by a SAY in a session whose `whileRunning` is `steer`. */
export interface SteerEvent extends Said {
  readonly type: 'STEER';
  readonly steer: SteerReading;
}

export type SaidEvent = SayEvent | SteerEvent;

/** What a decision on a STEER needs of the live tree, read in its tick. */
export interface SteerReading {
  readonly by: Speaker;
  /** The turns that nobody has stopped and that the words may be meant for: the named one, or those of the speaker, the latest first. */
  readonly turns: readonly StandingNode[];
  /** The node that was named is live, and no turn of the session: a call, or the turn of an agent that works for another turn. */
  readonly isNoTurn: boolean;
  readonly evidence: Evidence;
}

/** A bridge or a program opens a call that it runs itself. Its turn stands beside all lanes. */
export interface OpenCallEvent {
  readonly type: 'OPEN_CALL';
  readonly turn: LinkInput & { readonly opensCall: NodeId };
  /** The ref of the command; null: it has none. */
  readonly ref: string | null;
  /** The speaker whose connection sent it, where it is another one: a bridge. */
  readonly via?: SpeakerId | undefined;
}

/** A receipt has settled that the model is to acknowledge. */
export interface AcknowledgeEvent {
  readonly type: 'ACKNOWLEDGE';
  readonly lane: string;
  readonly turn: LinkInput;
  /** The id of the receipt. */
  readonly cancel: string;
  /** How long ago its CANCEL was accepted, in milliseconds. */
  readonly ageMs: number;
}

export interface SessionCancelEvent {
  readonly type: 'CANCEL';
  readonly command: CancelCommand;
  readonly evidence: Evidence;
  /** Made once, in the tick in which the live tree was read: the guard and the actions of the transition share it. */
  readonly judgment: Judgment;
  /** The open receipt that lists all that it stops: it is a repeat. Null: it has a receipt of its own, if it is accepted. */
  readonly repeats: string | null;
  /** What was accepted under its ref before: it comes again. Left out: nothing was. */
  readonly earlier?: CancelAccepted | undefined;
}

/** An answer to an approval or a question. */
export interface AnswerEvent {
  readonly type: 'ANSWER';
  /** The id of the answer, for the reply. */
  readonly id: string;
  readonly answer: AnswerKind;
  /** The words of the answer to a question; null: there are none. */
  readonly text: string | null;
  readonly by: Speaker;
  readonly via?: SpeakerId | undefined;
  readonly target: NodeId;
  readonly ref: string | null;
  /** The id of the question that it answers; null: it names none. */
  readonly question: string | null;
  /** The target's open question, read in the tick of the decision; null: there is none, or its call is being stopped. */
  readonly open: OpenQuestion | null;
}

interface OpenQuestion {
  readonly id: string;
  readonly to: SpeakerId;
  readonly kind: 'approval' | 'question';
  /** Whether the call had asked nothing before. */
  readonly isFirst: boolean;
}

/** A detached agent: it has been in the live tree since its call was opened, so a plan may have cut it by now. */
export interface SpawnEvent {
  readonly type: 'SPAWN';
  readonly turn: LinkInput;
  readonly cut: Cause | null;
}

/** The shield of a turn is over: what was deferred below it is stopped now. */
export interface ShieldEndedEvent {
  readonly type: 'SHIELD_ENDED';
  readonly plan: Plan;
}

export type SessionEvent =
  | SaidEvent
  | AcknowledgeEvent
  | OpenCallEvent
  /** A turn has read the input into a request: it waits no more. */
  | { readonly type: 'INPUT_CONSUMED'; readonly input: NodeId }
  | SessionCancelEvent
  | SpawnEvent
  | AnswerEvent
  | OutcomeEvent
  /** A receipt has settled: `cancel_settled` has committed. */
  | { readonly type: 'STOP_SETTLED'; readonly cancel: string }
  | ShieldEndedEvent
  | { readonly type: 'NODE_CRASHED'; readonly node: NodeId }
  | { readonly type: 'TURN_GONE'; readonly node: NodeId }
  | { readonly type: 'CLOSE' }
  | DoneActorEvent<unknown, string>
  | ErrorActorEvent<unknown, string>;
