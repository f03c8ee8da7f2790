// What lies beside the machines of one session, and how a worker finds it: by the actor system that it runs in.
import type { AnyActorRef } from 'xstate';
import type { Plan } from '../../machines/cancel.ts';
import type { AnswerCode, RefusalCode } from '../../machines/codes.ts';
import type { LinkInput } from '../../machines/contracts.ts';
import type { Fact } from '../../machines/facts.ts';
import type { Message } from '../../machines/messages.ts';
import type { AnswerEvent, SayEvent, SessionCancelEvent, SessionEvent } from '../../machines/session.ts';
import type { Standing } from '../../machines/standing.ts';
import type { ToolDeclaration } from '../../machines/tool-declaration.ts';
import type { Effect, NodeId, OutcomeKind, Policy, Speaker, SpeakerId } from '../../machines/vocabulary.ts';
import type { Budgets } from '../live/budgets.ts';
import type { Shields } from '../live/shields.ts';
import type { Rivals } from '../live/superseding-calls.ts';
import type { Outlet } from '../live/text-stream.ts';
import type { Tree } from '../live/tree.ts';
import type { Provider } from '../model/provider.ts';
import type { Sources } from '../sources/sources.ts';
import type { KeyService } from '../tools/keys.ts';
import type { Tool, ToolContext, TurnStatus } from '../tools/tool.ts';
import type { History } from '../transcript/history.ts';
import type { Limits } from './session-limits.ts';

/** Who answers in a turn: the session's own model and tools, or an agent's. */
export interface Offer {
  readonly instructions: string;
  readonly provider: Provider;
  /** The endpoint's name of the model; the provider's default where it is left out. */
  readonly model?: string;
  /** What the model is told that it can call. */
  readonly declarations: readonly ToolDeclaration[];
  tool(name: string): Tool | undefined;
  /** Agents that it may hand a task to, by name, with what each is for. */
  readonly agents: ReadonlyMap<string, string>;
  /** Those of them that work outside, by the tool `spawn_agent`. */
  readonly outside: ReadonlySet<string>;
}

/** What a context builder is told of the request that it may change. */
export interface Draft {
  readonly session: string;
  readonly turn: NodeId;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
}

/** What a call's owner is judged by, where the embedder attributes calls to somebody else than the turn's owner. */
export interface CallAttribution {
  readonly session: string;
  readonly turn: NodeId;
  readonly turnOwner: SpeakerId;
  readonly name: string;
  readonly arguments: string;
}

/** Sees every call before it runs, and how it ended. */
export interface Interceptor {
  /** May allow (also by giving nothing), change, answer or deny a call. Is stopped by the signal; what it says after that counts for nothing. */
  beforeTool?(call: InterceptedCall, signal: AbortSignal): Promise<InterceptorVerdict | undefined>;
  /** Every outcome once, after its commit; `continues` is none. */
  afterTool?(call: InterceptedOutcome): void;
}

/** What an interceptor sees of a call. */
export interface InterceptedCall {
  readonly session: string;
  readonly turn: NodeId;
  readonly call: NodeId;
  readonly speaker: SpeakerId;
  readonly name: string;
  /** The parsed arguments, as the interceptors before have left them. */
  readonly arguments: unknown;
}

export type InterceptorVerdict =
  | { readonly do: 'allow' }
  /** It runs with these arguments. The model goes on seeing its own. */
  | { readonly do: 'change'; readonly arguments: unknown }
  /** It does not run: this is its result. */
  | { readonly do: 'answer'; readonly output: string }
  | { readonly do: 'deny'; readonly reason: string };

export interface InterceptedOutcome {
  readonly session: string;
  readonly call: NodeId;
  readonly name: string;
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
}

type CancelAgent = (agent: NodeId, by: SpeakerId, reason: string) => ReturnType<ToolContext['cancelAgent']>;

export interface Plane {
  readonly session: string;
  readonly policy: Policy;
  /** The embedder's own rule of who may stop what. */
  readonly standing?: Standing;
  readonly sources: Sources;
  readonly limits: Limits;
  readonly tree: Tree;
  readonly budgets: Budgets;
  readonly outlet: Outlet;
  readonly history: History;
  readonly shields: Shields;
  /** Asked before a call runs, in this order. */
  readonly interceptors: readonly Interceptor[];
  readonly rivals: Rivals;
  /** Exclusive keys of the whole host. */
  readonly keys: KeyService;
  /** Absolute folders that calls may touch. */
  readonly roots: readonly string[];
  /** Requests that have been prepared and not sent yet. */
  readonly drafts: Map<NodeId, readonly Message[]>;
  /** `agent` null: the session's own. */
  offer(agent: string | null): Offer;
  readonly buildContext?: (draft: Draft) => Promise<readonly Message[]>;
  readonly ownerOfCall?: (call: CallAttribution) => SpeakerId;
  /** To the journal: numbered in the order of the calls; resolves with the commit, and never when the session ends before. */
  append(facts: readonly Fact[]): Promise<void>;
  /** To the session's machine, on a fresh stack. */
  deliver(event: SessionEvent): void;
  /** Gives a detached agent its place under the session, on a fresh stack. */
  spawn(turn: LinkInput): void;
  /** A CANCEL with cause `deadline`: void if the node has settled or is being stopped by then, or what it was armed for is over. */
  expire(node: NodeId, reason: string, isArmed?: () => boolean): void;
  /** A call's time is over: told as `tool_timeout`, then as `expire`. */
  timeOut(node: NodeId, ms: number): void;
  /** How long any call of this tool may run, in milliseconds; 0: for ever, or as long as its arguments ask for. */
  timeoutOf(tool: Pick<Tool, 'name' | 'timeoutMs'>): number;
  /** A CANCEL with cause `superseded`: void if either has settled or is being stopped by then. */
  supersede(earlier: NodeId, heir: NodeId, by: Speaker): void;
  /** Of a detached agent, by a model that works for the same speaker. */
  cancelAgent: CancelAgent;
  statusOf(turn: NodeId): TurnStatus;
  /** Different speakers in the session now, `also` counted in. */
  participants(also: SpeakerId): number;
  readonly actions: SessionActions;
  readonly inspector?: Inspector;
  /** A bug: told, not thrown. */
  warn(message: string, error: unknown): void;
}

/** Is shown the root of each actor system of a session before it starts. */
export interface Inspector {
  /** `parent`: the link that a turn tree hangs on; null for the session's own machine. */
  attach(root: AnyActorRef, from: { readonly session: string; readonly parent: AnyActorRef | null }): void;
}

type ActorSystem = AnyActorRef['system'];

/** What the session's machine does to the world: see machines/session.ts. */
export interface SessionActions {
  recover(): Promise<void>;
  accept(plan: Plan, event: SessionCancelEvent): void;
  refuse(plan: Plan, event: SessionCancelEvent): void;
  opened(event: SayEvent): void;
  refuseSay(event: SayEvent, code: RefusalCode): void;
  answer(event: AnswerEvent): void;
  refuseAnswer(event: AnswerEvent, code: AnswerCode): void;
  unwind(node: NodeId): void;
}

const planes = new WeakMap<ActorSystem, Plane>();

/** Every actor system of a session (its own, and one for each turn tree) is tied to the session's plane before it starts. */
export function tie(root: AnyActorRef, plane: Plane, parent: AnyActorRef | null = null): void {
  planes.set(root.system, plane);
  try {
    plane.inspector?.attach(root, { session: plane.session, parent });
  } catch (error) {
    plane.warn('the inspector threw', error);
  }
}

export function planeOf(system: ActorSystem): Plane {
  const plane = planes.get(system);
  if (!plane) throw new Error('this actor system is tied to no session');
  return plane;
}
