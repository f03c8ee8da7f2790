// What a machine needs from the world: the calls of a model, and the workers that `src/workers/` provides under these names.
import { type AnyActorRef, fromCallback, fromPromise } from 'xstate';
import type { FailureCode } from './codes.ts';
import type { Fact, ToolCall } from './facts.ts';
import type { NodeId, Outcome, SpeakerId, Usage } from './vocabulary.ts';

/** Phases of a tool-call that only some calls pass. */
export type Need = 'screening' | 'approving' | 'queued';

/** A call that a model made, as the machines carry it. */
export interface Call {
  readonly id: NodeId;
  readonly kind: ToolCall['kind'];
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly owner: SpeakerId;
  /** Which model call of the turn asked. */
  readonly index: number;
  readonly needs: readonly Need[];
  /** Known before it runs that it cannot: it fails, `not_started`. */
  readonly problem?: { readonly kind?: 'failed' | 'denied'; readonly code: FailureCode; readonly message: string };
  /** Milliseconds that it may run, where its arguments say so; 0: for ever. */
  readonly timeoutMs?: number;
  /** Of a sub-agent. */
  readonly agent?: AgentTask;
}

export interface AgentTask {
  /** The agent's name in the configuration. */
  readonly name: string;
  readonly task: string;
  /** The id of the turn that it will be. */
  readonly turn: NodeId;
  readonly detached: boolean;
}

/** Of the call that starts a detached agent: it has its result at once. */
export const detachedOutcome = ({ agent }: Pick<Call, 'agent'>): Outcome => ({
  kind: 'completed',
  effect: 'done',
  output: `Started in the background as ${agent?.turn}. Its result is not awaited.`,
});

/** A turn and where it stands. */
export interface TurnInput {
  readonly id: NodeId;
  readonly owner: SpeakerId;
  /** The sub-agent that it belongs to; null for a root turn. */
  readonly parentId: NodeId | null;
  /** Who hears its OUTCOME. */
  readonly parent: AnyActorRef;
  /** How many sub-agents lie above it. */
  readonly depth: number;
  /** Words or task. */
  readonly text: string;
  /** Whose instructions, tools and model it has; null: the session's. */
  readonly agent: string | null;
}

export interface CallInput {
  readonly call: Call;
  readonly parentId: NodeId;
  readonly parent: AnyActorRef;
  readonly depth: number;
}

/** What a worker is told: the node that it works for is the one whose signal it obeys. */
export interface NodeInput {
  readonly id: NodeId;
}

export interface PrepareInput extends NodeInput {
  readonly agent: string | null;
  /** Whether a long history may be shortened first: once in a turn. */
  readonly mayCompact: boolean;
}

export interface ModelInput extends NodeInput {
  readonly index: number;
  readonly agent: string | null;
  readonly owner: SpeakerId;
  readonly depth: number;
}

export interface CallWorkInput extends NodeInput {
  readonly call: Call;
  readonly turn: NodeId;
  readonly depth: number;
}

/** To the next phase. */
export interface Go {
  readonly kind: 'go';
  /** The call as an interceptor has changed it: what is called, never whose it is. */
  readonly call?: Call;
}

/** A model call is over: `go` with calls to the next round, without to the turn's end. */
export interface ModelReply {
  readonly kind: 'go' | 'stopped' | 'failed';
  readonly code?: FailureCode;
  readonly message?: string;
  readonly text: string;
  /** Whole calls only. */
  readonly calls: readonly Call[];
  readonly usage: Usage;
}

export type PrepareReply =
  | (Go & { readonly compact?: boolean })
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'failed';
      readonly code: FailureCode;
      readonly message: string;
    };
/** The history has been shortened, or was left as it is. */
export interface CompactReply {
  readonly usage: Usage;
}

export type PhaseReply = Go | Outcome;

const provided = () => Promise.reject(new Error('this worker has not been provided: see src/runtime/provide.ts'));

/** Placeholders, by the names under which `src/runtime/provide.ts` provides the real ones. */
export const turnWorkers = {
  /** Builds the request. */
  prepare: fromPromise<PrepareReply, PrepareInput>(provided),
  /** Shortens a long history, and lets the request be built again. */
  compact: fromPromise<CompactReply, PrepareInput>(provided),
  /** Streams one answer of the model. */
  model: fromPromise<ModelReply, ModelInput>(provided),
  /** Resolves when the facts have committed. */
  append: fromPromise<void, readonly Fact[]>(provided),
};

export const callWorkers = {
  /** Asks the interceptors. */
  screen: fromPromise<PhaseReply, CallWorkInput>(provided),
  /** Asks somebody for a yes. */
  ask: fromPromise<PhaseReply, CallWorkInput>(provided),
  /** Waits for the call's exclusive key. */
  acquire: fromPromise<PhaseReply, CallWorkInput>(provided),
  /** Resolves when `tool_started` has committed. */
  start: fromPromise<PhaseReply, CallWorkInput>(provided),
  /** Runs the tool. */
  work: fromPromise<PhaseReply, CallWorkInput>(provided),
};

/** A chart behind a contract: whoever spawns it knows its input, not its states. */
export const turnChild = fromCallback<{ type: string }, TurnInput>(() => {});
export const callChild = fromCallback<{ type: string }, CallInput>(() => {});

/** Between the session and a turn tree, which is an actor system of its own. */
export type LinkInput = Omit<TurnInput, 'parent' | 'parentId'>;
export const linkChild = fromCallback<{ type: string }, LinkInput>(() => {});

/** Closes what a dead process left open. */
export const recoverWorker = fromPromise<void, Record<never, never>>(provided);
