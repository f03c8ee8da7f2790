// Contracts between the machines and the rest of the runtime: calls, inputs, replies of workers, and placeholders for the workers themselves.
import { type AnyActorRef, fromCallback, fromPromise } from 'xstate';
import type { FailureCode } from './codes.ts';
import type { ContentPart } from './content.ts';
import type { Fact, ToolCall } from './facts.ts';
import type { TurnOptions } from './model-options.ts';
import type { Effect, Finish, NodeId, Outcome, SpeakerId, Usage } from './vocabulary.ts';

/** A phase that only some tool calls pass. */
export type Need = 'screening' | 'approving' | 'queued';

/** A call that a model made, in the form that the machines use. */
export interface Call {
  readonly id: NodeId;
  readonly kind: ToolCall['kind'];
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly owner: SpeakerId;
  /** The number of the model call that made it. */
  readonly index: number;
  readonly needs: readonly Need[];
  /** A reason, known beforehand, why it cannot run: it fails, `not_started`. */
  readonly problem?: { readonly kind?: 'failed' | 'denied'; readonly code: FailureCode; readonly message: string };
  /** The timeout in milliseconds that its arguments ask for; 0: none. */
  readonly timeoutMs?: number | undefined;
  /** An earlier call of a turn that this one's turn has resumed, with the same tool and arguments and the effect `unknown`: it runs only with a yes. */
  readonly repeats?: NodeId;
  /** Present for a sub-agent. */
  readonly agent?: AgentTask;
}

export interface AgentTask {
  /** The agent's name in the configuration. */
  readonly name: string;
  readonly task: string;
  /** The id of its future turn. */
  readonly turn: NodeId;
  readonly detached: boolean;
}

/** Returns the outcome of a call that starts a detached agent: it has its result at once. */
export const detachedOutcome = ({ turn }: AgentTask): Outcome => ({
  kind: 'completed',
  effect: 'done',
  output: `Started in the background as ${turn}. Its result is not awaited.`,
});

/** A turn and its position in the tree. */
export interface TurnInput {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  /** The sub-agent that it belongs to; null for a root turn. */
  readonly parentId: NodeId | null;
  /** The receiver of its OUTCOME. */
  readonly parent: AnyActorRef;
  /** The number of sub-agents above it. */
  readonly depth: number;
  /** The words of the speaker, or the task of a sub-agent. */
  readonly text: string;
  /** The agent that gives it instructions, tools and model; null: the session does. */
  readonly agent: string | null;
  /** Present where its SAY said more than text. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** What its SAY asks of its model calls. */
  readonly options?: TurnOptions | undefined;
  /** The id of the receipt that an acknowledgement acknowledges. */
  readonly acknowledges?: string | undefined;
  /** The id of the call that it was opened for: an OPEN_CALL. It calls no model. */
  readonly opensCall?: NodeId | undefined;
}

export interface CallInput {
  readonly call: Call;
  readonly parentId: NodeId;
  readonly parent: AnyActorRef;
  readonly depth: number;
}

/** The node that a worker works for, whose signal stops it. */
export interface NodeInput {
  readonly id: NodeId;
}

export interface PrepareInput extends NodeInput {
  /** The number of the model call that the request is for, from 0. */
  readonly index: number;
  readonly agent: string | null;
  /** Whether a long history may be shortened first. Once in a turn. */
  readonly mayCompact: boolean;
  readonly options?: TurnOptions | undefined;
  /** As in `TurnInput`. */
  readonly acknowledges?: string | undefined;
}

export interface ModelInput extends NodeInput {
  readonly index: number;
  readonly agent: string | null;
  readonly owner: SpeakerId;
  readonly depth: number;
  readonly options?: TurnOptions | undefined;
  /** As in `TurnInput`. */
  readonly acknowledges?: string | undefined;
}

export interface CallWorkInput extends NodeInput {
  readonly call: Call;
  readonly turn: NodeId;
  readonly depth: number;
}

/** The machine goes on to its next phase. */
export interface Go {
  readonly kind: 'go';
  /** The call as an interceptor has changed it. Its id and owner are ignored. */
  readonly call?: Call;
}

/** The end of a model call. `go` leads to the calls, or without calls to the end of the turn. */
export interface ModelReply {
  readonly kind: 'go' | 'stopped' | 'failed';
  /** The code of a failure; of one that was stopped, only where work for it has not ended in time. */
  readonly code?: FailureCode;
  readonly message?: string;
  readonly text: string;
  /** Complete calls only. */
  readonly calls: readonly Call[];
  readonly usage: Usage;
  /** The finish of a call that completed. */
  readonly finish?: Finish;
  /** What the calls that the provider itself ran may have done in the world. */
  readonly effect?: Effect;
}

export type PrepareReply =
  | (Go & { readonly compact?: boolean })
  /** `code`: work for it has not ended in time. */
  | { readonly kind: 'stopped'; readonly code?: FailureCode }
  | {
      readonly kind: 'failed';
      readonly code: FailureCode;
      readonly message: string;
    };

/** The history was shortened, or left as it is. */
export interface CompactReply {
  readonly usage: Usage;
  /** It was stopped, and work for it has not ended in time. */
  readonly code?: FailureCode;
}

export type PhaseReply = Go | Outcome;

const notProvided = () => Promise.reject(new Error('This worker was not provided. See src/core/runtime/provide.ts.'));

/** Placeholders, by the names under which `src/core/runtime/provide.ts` provides the real ones. */
export const turnWorkers = {
  /** Builds the request. */
  prepare: fromPromise<PrepareReply, PrepareInput>(notProvided),
  /** Shortens a long history. The request is built again afterwards. */
  compact: fromPromise<CompactReply, PrepareInput>(notProvided),
  /** Streams one response of the model. */
  model: fromPromise<ModelReply, ModelInput>(notProvided),
  /** Resolves when the facts have committed. */
  append: fromPromise<void, readonly Fact[]>(notProvided),
};

export const callWorkers = {
  /** Asks the interceptors. */
  screen: fromPromise<PhaseReply, CallWorkInput>(notProvided),
  /** Asks a speaker for approval. */
  ask: fromPromise<PhaseReply, CallWorkInput>(notProvided),
  /** Waits for the call's exclusive key. */
  acquire: fromPromise<PhaseReply, CallWorkInput>(notProvided),
  /** Resolves when `tool_started` has committed. */
  start: fromPromise<PhaseReply, CallWorkInput>(notProvided),
  /** Runs the tool. */
  work: fromPromise<PhaseReply, CallWorkInput>(notProvided),
};

/** A chart hidden by a contract: the chart that spawns it knows its input, not its states. */
export const turnChild = fromCallback<{ type: string }, TurnInput>(() => {});
export const callChild = fromCallback<{ type: string }, CallInput>(() => {});

/** The input of the link between the session and a turn tree, which is an actor system of its own. */
export type LinkInput = Omit<TurnInput, 'parent' | 'parentId'>;
export const linkChild = fromCallback<{ type: string }, LinkInput>(() => {});

/** Closes the turns that a dead process left open. */
export const recoverWorker = fromPromise<void, Record<never, never>>(notProvided);
