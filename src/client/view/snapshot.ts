// The state of a session as a user interface shows it: plain immutable values, folded from the session's frames.
import type { ContentPart } from '../../wire/said-parts.ts';
import type { JoinedFrame, LiveNode, ServerFrameOf } from '../../wire/server-frames.ts';

type TurnEnded = ServerFrameOf<'turn_ended'>;
type CancelAccepted = ServerFrameOf<'cancel_accepted'>;

/**
 * `waiting`: it has not started. `pending`: it is shielded, and will be stopped as soon as its shield ends. `abandoned`: it did not stop in its time, its outcome is fixed,
 * and its end is still to come. `settled`: it is over.
 */
export type NodeState = 'waiting' | 'running' | 'stopping' | 'pending' | 'abandoned' | 'settled';

/** The call that another one waits for before it starts. */
export interface AwaitedCallView {
  readonly node: string;
  readonly name: string | null;
  readonly owner: string;
  /** The session of that call; null: the same one. */
  readonly session: string | null;
}

/** A turn, a tool call or a sub-agent. */
export interface NodeView {
  readonly id: string;
  readonly kind: LiveNode['kind'];
  /** The name of the tool or the agent; null for a turn of the session's own. */
  readonly name: string | null;
  readonly owner: string;
  /** The turn of a call, the sub-agent of a turn; null for a root turn. */
  readonly parent: string | null;
  readonly state: NodeState;
  /** When it was opened, or started as soon as it has; milliseconds since 1970. */
  readonly since: number;
  /** When it started; null before that, and if the start was before the JOIN. */
  readonly startedAt: number | null;
  /** The other call that this one waits for before it starts; null: none. */
  readonly waitsFor: AwaitedCallView | null;
  /** How it ended; null until it has. */
  readonly outcome: TurnEnded['outcome'] | null;
  readonly effect: TurnEnded['effect'] | null;
}

/** The text of one model call. */
export interface TextBlockView {
  /** Counts the model calls of the turn, from 0. */
  readonly index: number;
  readonly text: string;
  /** What the model has reasoned as long as the client was there, the last 16 384 characters; empty if it shows nothing of it. */
  readonly reasoning: string;
  /** The calls whose arguments are still arriving, by their place in the response. Empty when the block is closed: then they are calls. */
  readonly inputs: readonly CallInputView[];
  readonly state: 'streaming' | 'closed';
  /** The text ends before its model call was complete. */
  readonly cutOff: boolean;
  /** It was cut off because somebody or something has stopped it. Left out: it was not, or its model call has failed. */
  readonly isStopped?: true;
  /** How many characters of `text` were heard, where its speech was cut off: the model reads no more of it later. Left out: it was not. */
  readonly heard?: number;
  /** The endpoint's name of the model. Left out: it is not known. */
  readonly model?: string;
  /** The usage of the model call. Left out: it has not ended, or had ended before the JOIN. */
  readonly usage?: TurnEnded['usage'];
}

/** A call whose arguments are still arriving. */
export interface CallInputView {
  /** The name of the tool; empty while it is not known. */
  readonly name: string;
  readonly text: string;
}

export interface CallResult {
  readonly outcome: TurnEnded['outcome'];
  readonly effect: TurnEnded['effect'];
  readonly code: string | null;
  readonly message: string | null;
  /** What the model is shown. */
  readonly output: string | null;
  /** All of it, where it is more than text; `output` is then its text form. Empty: it is text alone. */
  readonly parts: readonly ContentPart[];
  readonly ms: number | null;
}

/** A tool call or a sub-agent. The turn of a sub-agent is the one whose `node.parent` is the call's id. */
export interface CallView {
  readonly node: NodeView;
  /** The model call that asked for it: it comes after the text block of this index. Null if the call was before the JOIN. */
  readonly index: number | null;
  /** As the model wrote them, or as an interceptor has changed them; null if the call was before the JOIN. */
  readonly arguments: string | null;
  /** The end of its live output, `outputChars` at most. */
  readonly output: string;
  /** The result of the call; null until it has settled for its turn. A call that the turn left running has the outcome `continues`. */
  readonly result: CallResult | null;
  /** What became of a call after its turn had left it. */
  readonly lateResult: CallResult | null;
}

/** Words that were said to a turn while it ran. */
export interface InputView {
  readonly id: string;
  readonly owner: string;
  /** The words; null if they were said before the JOIN. */
  readonly text: string | null;
  /** As those of a turn. */
  readonly parts: readonly ContentPart[];
  readonly ref: string | null;
  /** `waiting`: the next model call of the turn will read them. `queued`: they have opened a turn with this id. */
  readonly fate: 'waiting' | ServerFrameOf<'input_settled'>['fate'];
  /** Where they were consumed: the model call that has read them, before whose text block they stand; else null. */
  readonly index: number | null;
}

export interface TurnView {
  readonly node: NodeView;
  /** `acknowledgement`: the model's words on a stop, to its owner, who caused the stop. */
  readonly kind: 'say' | 'agent' | 'acknowledgement' | 'call';
  /** The id of the receipt that it acknowledges; null: it is no acknowledgement. */
  readonly acknowledges: string | null;
  /** The turn whose call has detached it; null: it is no detached agent, or was opened before the JOIN. */
  readonly from: string | null;
  /** The interrupted turn that it takes up again; null: none. */
  readonly resumes: string | null;
  /** The turn that has taken this one up again; null: none has. */
  readonly resumedBy: string | null;
  /** Its owner or a moderator may resume it: it was interrupted, and no turn has taken it up. */
  readonly isResumable: boolean;
  /** What was said, or a sub-agent's task; null if the turn was opened before the JOIN. */
  readonly text: string | null;
  /** All that was said, where it is more than text; `text` is then its text form. Empty: it is text alone. */
  readonly parts: readonly ContentPart[];
  /** The ref of the SAY; null if there was none. */
  readonly ref: string | null;
  /** The sequence number of the fact that has opened it, or, of a sub-agent's turn, has started it; null: it was opened before the JOIN. */
  readonly seq: number | null;
  /** The sequence number of the last fact that the snapshot had when something of the turn changed. */
  readonly lastSeq: number;
  readonly blocks: readonly TextBlockView[];
  readonly calls: readonly CallView[];
  /** In the order in which they were said. */
  readonly inputs: readonly InputView[];
  /** Its latest speech, in a voice session; it may outlive the turn. Null: it has not been spoken. */
  readonly speech: NodeView | null;
  /** Why it failed or was denied: a name from docs/errors.md, and a sentence. */
  readonly code: string | null;
  readonly message: string | null;
  /** Why the last response of its model ended; null until the turn has ended, and if none has completed. */
  readonly finish: TurnEnded['finish'] | null;
  /** What the turn has used; null until it has ended. */
  readonly usage: TurnEnded['usage'] | null;
  readonly endedAt: number | null;
  /** How long it has run, in milliseconds; null until it has ended, and if it has not started. */
  readonly ms: number | null;
}

/** A question or approval of a call that has no answer yet. */
export interface QuestionView {
  /** The id of the question; null in a log of version 0.1. */
  readonly id: string | null;
  readonly node: string;
  readonly kind: 'approval' | 'question';
  readonly to: string;
  readonly text: string;
  /** The text of an approval before it was cut; null: `text` is whole. */
  readonly whole: string | null;
  /** The tool of the call that waits for approval. Null: of a question, of a call that runs already, and of versions that had `text` alone; `arguments`, too. */
  readonly name: string | null;
  /** The arguments that would run: a JSON text as the model wrote it, or cut in its middle. `readArguments` reads it. */
  readonly arguments: string | null;
  /** What is to be shown beside `name` and `arguments`, perhaps nothing; null: `text` is. */
  readonly remark: string | null;
  /** The answers to a question; empty if any words are one. */
  readonly choices: readonly string[];
  /** The JSON Schema of the values that a question asks for; null: it asks for words. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Milliseconds since 1970; null: it does not expire. */
  readonly expiresAt: number | null;
}

/** What a CANCEL has stopped. */
export interface ReceiptView {
  /** The sequence number of its acceptance; null: it came before its commit. */
  readonly seq: number | null;
  readonly cancel: string;
  readonly ref: string | null;
  readonly source: CancelAccepted['source'];
  readonly by: string | null;
  readonly reason: string | null;
  readonly target: string;
  readonly force: boolean;
  readonly stopping: readonly string[];
  readonly pending: readonly string[];
  readonly refused: CancelAccepted['refused'];
  readonly detached: readonly string[];
  /** What becomes of the words that wait, for their turn or for a model call of a turn that is stopped. */
  readonly queue: NonNullable<CancelAccepted['queue']>;
  /** What became of each node; null until all have settled. */
  readonly settled: ServerFrameOf<'cancel_settled'>['nodes'] | null;
  /** The acknowledgement for the person who has caused the stop; null: not yet, or none. */
  readonly acknowledged: AcknowledgedView | null;
}

/** A CANCEL that has stopped nothing, because its speaker has standing over nothing of it. */
export interface RefusalView {
  readonly source: CancelAccepted['source'];
  readonly by: string | null;
  readonly target: string;
  readonly refused: CancelAccepted['refused'];
  /** The turn or the input of its words, where a stop phrase has stopped nothing; else null. */
  readonly words: string | null;
  /** The last receipt before it; null: there was none. */
  readonly after: string | null;
}

export interface AcknowledgedView {
  /** `text`: by the words of an acknowledgement, which is a turn. */
  readonly how: 'text' | 'reaction' | 'earcon';
  /** The emoji of a reaction; else null. */
  readonly emoji: string | null;
  /** From the acceptance of the CANCEL, in milliseconds. */
  readonly ms: number;
}

/** Who is in the session, who may be, and who may stop what is another's. */
export type RoomSnapshot = NonNullable<JoinedFrame['room']>;

export interface SessionSnapshot {
  /** `away`: there is no connection, or the session is not joined over it. `ended`: for good. */
  readonly state: 'away' | 'joining' | 'joined' | 'ended';
  /** Why the server has ended the membership; null: it has not. */
  readonly endReason: string | null;
  /** The kind of the session; null until it is joined. */
  readonly kind: JoinedFrame['kind'] | null;
  /** Who may stop what; null until the session is joined. */
  readonly policy: JoinedFrame['policy'] | null;
  /** The models that a SAY may ask for (`options.model`); the first one is that of a SAY that asks for none. Empty: none is known. */
  readonly models: readonly string[];
  /** The session and the turn that it was forked from; null: it is no fork, or its first fact was not replayed. */
  readonly forkedFrom: ServerFrameOf<'session_opened'>['forked'] | null;
  /** The timeouts of tools that were set for the session, in milliseconds, by the name of the tool. */
  readonly toolTimeouts: Readonly<Record<string, number>>;
  /** The title that was given to the session; null: none was. */
  readonly title: string | null;
  /** The sequence number of the last fact. */
  readonly seq: number;
  /** The highest sequence number that the server has named: facts up to it may still be replayed. */
  readonly logEnd: number;
  /** The sequence number below which the turns before these are read (`SessionView.loadEarlier`); null: there are none, or it is not known. */
  readonly earlierBefore: number | null;
  /** The live tree, depth first: what has not settled, and the settled parents of it. */
  readonly nodes: readonly NodeView[];
  /** In the order in which they were opened, those of sub-agents among them. */
  readonly turns: readonly TurnView[];
  readonly questions: readonly QuestionView[];
  readonly receipts: readonly ReceiptView[];
  /** The CANCELs that were refused as a whole, as many as receipts are kept. */
  readonly refusals: readonly RefusalView[];
  /** Who is there, and who is a member; null: it is not joined, or the gateway does not say. Delegations and links whose time is over may still be in it. */
  readonly room: RoomSnapshot | null;
  /** Everybody whom a frame has named as the owner of a turn, or who has stopped or answered something. */
  readonly speakers: readonly string[];
}

/** The snapshot before the first frame. */
export const emptySnapshot: SessionSnapshot = {
  state: 'away',
  endReason: null,
  kind: null,
  policy: null,
  models: [],
  forkedFrom: null,
  toolTimeouts: {},
  title: null,
  seq: 0,
  logEnd: 0,
  earlierBefore: null,
  nodes: [],
  turns: [],
  questions: [],
  receipts: [],
  refusals: [],
  room: null,
  speakers: [],
};

/** The state of a node that has not started. */
export const newNode = { state: 'waiting', startedAt: null, waitsFor: null, outcome: null, effect: null } as const;
