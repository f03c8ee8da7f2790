// What a runtime is made of: the answering parts, the store, the rules of its sessions, and its bounds.
import type { Recorded } from '../../machines/facts.ts';
import type { Standing } from '../../machines/standing.ts';
import type { NodeId, NodeKind, OutcomeKind, Policy, SessionKind, SpeakerId } from '../../machines/vocabulary.ts';
import type { Limits } from '../actors/limits.ts';
import type { CallAttribution, Draft, Inspector, Interceptor } from '../actors/plane.ts';
import type { Message, Provider } from '../model/provider.ts';
import type { Sources } from '../sources/sources.ts';
import type { AcpAgent } from '../tools/acp/agent.ts';
import type { Tool } from '../tools/tool.ts';
import type { Log } from '../transcript/log.ts';

/** Who may be given a task by `spawn_agent`: one of the runtime's own, or one that works outside. */
export type AgentSpec = InsideAgentSpec | OutsideAgentSpec;

interface Described {
  /** For the model that delegates: what this agent is for. */
  readonly description: string;
}

/** A process of its own that speaks the Agent Client Protocol. It is always waited for. */
export interface OutsideAgentSpec extends Described {
  readonly acp: AcpAgent;
}

export interface InsideAgentSpec extends Described {
  readonly instructions: string;
  /** Names of the runtime's tools that it has; all of them where this is left out. */
  readonly tools?: readonly string[];
  /** Names of the agents that it may delegate to; none where this is left out. */
  readonly agents?: readonly string[];
  /** The endpoint's name of its model; the provider's default where this is left out. */
  readonly model?: string;
  /** The runtime's provider where this is left out. */
  readonly provider?: Provider;
}

/** How a session is run; asked once, when it is opened. */
export interface SessionSpec {
  readonly kind: SessionKind;
  readonly policy: Policy;
  /**
   * A rule of your own of who may stop what; `policy` is then what it is handed, and what clients are told. Pure and fast: it is asked for each
   * live node, in the tick of the decision. What it throws is told to `warn` and refuses (`not_allowed`).
   */
  readonly standing?: Standing;
  /** Whether a turn is cancelled when the last connection of its owner is lost. */
  readonly onDisconnect: 'cancel' | 'continue';
  /** False: a cancel is answered with `pending`, and takes effect when the turn has ended or `limits.shieldMs` are over. */
  readonly interruptible: boolean;
}

/** Hears of every node on every path, once when it starts and once when it has ended; both after their commit. */
export interface Observer {
  started?(node: {
    readonly session: string;
    readonly node: NodeId;
    readonly kind: NodeKind;
    readonly owner: SpeakerId;
  }): void;
  ended?(node: {
    readonly session: string;
    readonly node: NodeId;
    readonly kind: NodeKind;
    /** `cancelled` and `failed` are told apart; see docs/cancellation.md. */
    readonly outcome: OutcomeKind;
  }): void;
  /** Every fact of every session, after its commit. */
  fact?(session: string, seq: number, fact: Recorded): void;
}

export interface RuntimeConfig {
  readonly log: Log;
  readonly provider: Provider;
  /** The system message of a session's own turns. */
  readonly instructions?: string;
  /** The endpoint's name of the model; the provider's default where it is left out. */
  readonly model?: string;
  readonly tools?: readonly Tool[];
  readonly agents?: Readonly<Record<string, AgentSpec>>;
  /** Absolute folders that calls may touch. */
  readonly roots?: readonly string[];
  /** Of a session that is opened for the first time in this process; a text session in which anyone may stop the bot, by default. */
  session?(id: string): Partial<SessionSpec>;
  /** May change the request before each model call. */
  readonly buildContext?: (draft: Draft) => Promise<readonly Message[]>;
  /** Attributes a call to somebody else than its turn's owner: who then has standing over it. */
  readonly ownerOfCall?: (call: CallAttribution) => SpeakerId;
  /** See every call before it runs, and how it ended; asked in this order. */
  readonly interceptors?: readonly Interceptor[];
  /** Timeouts by tool, in milliseconds, instead of the tools' own; 0: none. `spawn_agent` has none of its own; those of `shell` and `run_code`, which the arguments give, can only be made shorter. */
  readonly toolTimeouts?: Readonly<Record<string, number>>;
  readonly observers?: readonly Observer[];
  /** Is shown every actor system as it starts: one of src/inspector/inspector.ts. */
  readonly inspector?: Inspector;
  readonly limits?: Partial<Limits>;
  /** How this host names itself in the store. */
  readonly host?: string;
  readonly sources?: Sources;
  /** Hears of bugs and of what could not be stopped; by default it goes to standard error. */
  warn?(message: string, error?: unknown): void;
}

export const defaultSession: SessionSpec = {
  kind: 'text',
  policy: 'anyone',
  onDisconnect: 'continue',
  interruptible: true,
};
