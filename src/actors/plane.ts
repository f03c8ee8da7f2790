// What lies beside the machines of one session, and how a worker finds it: by the actor system that it runs in.
import type { AnyActorRef } from 'xstate';
import type { Plan } from '../../machines/cancel.ts';
import type { RefusalCode } from '../../machines/codes.ts';
import type { LinkInput } from '../../machines/contracts.ts';
import type { Fact } from '../../machines/facts.ts';
import type { SayEvent, SessionCancelEvent, SessionEvent } from '../../machines/session.ts';
import type { NodeId, Policy, SpeakerId } from '../../machines/vocabulary.ts';
import type { Budgets } from '../live/budgets.ts';
import type { Outlet } from '../live/outlet.ts';
import type { Tree } from '../live/tree.ts';
import type { Message, Provider, ToolDeclaration } from '../model/provider.ts';
import type { Sources } from '../sources/sources.ts';
import type { Schedule } from '../tools/schedule.ts';
import type { Tool } from '../tools/tool.ts';
import type { History } from '../transcript/history.ts';
import type { Limits } from './limits.ts';

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

export interface Plane {
  readonly session: string;
  readonly policy: Policy;
  readonly sources: Sources;
  readonly limits: Limits;
  readonly tree: Tree;
  readonly budgets: Budgets;
  readonly outlet: Outlet;
  readonly history: History;
  /** Exclusive keys of the whole host. */
  readonly keys: Schedule;
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
  /** A deadline of a node is over: a CANCEL of it with cause `deadline`, void if it has settled or is being stopped. */
  expire(node: NodeId, reason: string): void;
  readonly actions: SessionActions;
  /** A bug: told, not thrown. */
  warn(message: string, error: unknown): void;
}

type ActorSystem = AnyActorRef['system'];

/** What the session's machine does to the world: see machines/session.ts. */
export interface SessionActions {
  recover(): Promise<void>;
  accept(plan: Plan, event: SessionCancelEvent): void;
  refuse(plan: Plan, event: SessionCancelEvent): void;
  opened(event: SayEvent): void;
  refuseSay(event: SayEvent, code: RefusalCode): void;
  unwind(node: NodeId): void;
}

const planes = new WeakMap<ActorSystem, Plane>();

/** Every actor system of a session (its own, and one for each turn tree) is tied to the session's plane before it starts. */
export function tie(system: ActorSystem, plane: Plane): void {
  planes.set(system, plane);
}

export function planeOf(system: ActorSystem): Plane {
  const plane = planes.get(system);
  if (!plane) throw new Error('this actor system is tied to no session');
  return plane;
}
