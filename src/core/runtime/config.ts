// The configuration of a runtime: models, tools and agents, the store, the rules of its sessions, and its limits.

import type { OpeningOptions } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { AcknowledgeMode, ModelErrorRule, SpeakerId } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { AcpAgent, OutsideAgents } from '../contracts/outside-agents.ts';
import type { ModelPrice } from '../contracts/price.ts';
import type { Processes } from '../contracts/processes.ts';
import type { Provider } from '../contracts/provider.ts';
import type { FolderKeyOptions, Tool } from '../contracts/tool.ts';
import type { ToolSource } from '../contracts/tool-source.ts';
import type { Observer, SessionSpec } from '../session/session-spec.ts';
import type { Sources } from '../sources/sources.ts';
import type { AcknowledgementSettings } from '../workers/acknowledgement-rules.ts';
import type { CallAttribution, CallTracing, Draft, Interceptor } from '../workers/extensions.ts';
import type { InspectorContract } from '../workers/runtime-inspector.ts';
import { defaultLimits, type Limits } from '../workers/session-limits.ts';

/** An agent that `spawn_agent` can give a task to: inside the runtime, or a process of its own. */
export type AgentSpec = InsideAgentSpec | OutsideAgentSpec;

interface Described {
  /** The purpose of the agent, for the model that delegates. */
  readonly description: string;
}

/** A process that speaks the Agent Client Protocol. Its call always waits for it. */
export interface OutsideAgentSpec extends Described {
  readonly acp: AcpAgent;
}

/** An agent with a turn of the runtime's own. */
export interface InsideAgentSpec extends Described {
  readonly instructions: string;
  /** Names of the runtime's tools that it may call. Default: all. */
  readonly tools?: readonly string[];
  /** Names of the agents that it may delegate to. Default: none. */
  readonly agents?: readonly string[];
  /** The endpoint's name of its model. Default: the provider's. */
  readonly model?: string | undefined;
  /** The provider of its model. Default: the runtime's. */
  readonly provider?: Provider;
  /** Instead of those of the runtime, option by option. */
  readonly modelOptions?: ModelOptions | undefined;
}

/** Observers that are loaded with the first session: a start does not wait for their packages. */
export interface Telemetry {
  readonly observers: readonly Observer[];
  readonly tracing?: CallTracing | undefined;
}

/** The MCP servers of one session. */
export interface SessionServers {
  readonly session: string;
  /** In the form of the configuration: not checked. */
  readonly servers: Readonly<Record<string, unknown>>;
  readonly roots: readonly string[];
}

export interface RuntimeConfig {
  readonly log: Log;
  readonly provider: Provider;
  /** The system message of a session's own turns. */
  readonly instructions?: string | undefined;
  /** The endpoint's name of the model. Default: the provider's. */
  readonly model?: string | undefined;
  /** The endpoint's names of further models that a SAY may ask for, for its turn. Default: none. */
  readonly modelChoices?: readonly string[] | undefined;
  /** For every model call: how much it may reason, how long its response may be. */
  readonly modelOptions?: ModelOptions | undefined;
  /**
   * Who gets the words of a provider whose model call failed, which may have addresses and names of accounts. `shown`, the default: everybody who gets the end of the
   * turn. `withheld`: the store alone, as the fact `model_error`; the ends of the call and the turn have the sentence of the code.
   */
  readonly modelErrors?: ModelErrorRule | undefined;
  /** By the endpoint's name of the model: for the cost of calls whose endpoint does not say it. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  readonly tools?: readonly Tool[];
  /** Tools that come and go while the runtime runs, after `tools`: the result of `connectMcpServers`, for one. */
  readonly toolSources?: readonly ToolSource[];
  /**
   * Calls that a bridge or a program runs itself (OPEN_CALL) and that need the yes of their owner: their names, or the beginnings of names followed by `*`. A tool says by its
   * `approval` what it needs.
   */
  readonly approve?: readonly string[] | undefined;
  readonly agents?: Readonly<Record<string, AgentSpec>>;
  /** Absolute folders that calls may touch. */
  readonly roots?: readonly string[];
  /** Files and folders of the embedder that the built-in tools may not touch although they may lie below a root: a store, keys. */
  readonly protectedPaths?: readonly string[];
  /**
   * The exclusive keys of folders: calls whose folders contain each other run one after the other. By default in each session, and by the
   * folder that each call works in.
   */
  readonly keys?: FolderKeyOptions | undefined;
  /** Returns the rules of a session that is being opened. `options`: those that it was opened with, which count before these rules. Default: a text session in which anyone may stop the bot. */
  session?(id: string, options?: OpeningOptions): Partial<SessionSpec>;
  /** Makes the MCP servers that a session was opened with, in the form of the configuration: `mcpServersOnDemand`, for one. Left out: such a session cannot be opened here. */
  sessionServers?(servers: SessionServers): ToolSource | Promise<ToolSource>;
  /** How stops are acknowledged, in sessions that do not say. Default: `on`. */
  readonly acknowledge?: AcknowledgeMode | undefined;
  /** The model call of an acknowledgement, and the emoji in its place. */
  readonly acknowledgement?: AcknowledgementSettings | undefined;
  /** May change the request before each model call. */
  readonly buildContext?: (draft: Draft) => Promise<readonly Message[]>;
  /** Attributes a call to another speaker than its turn's owner: that speaker then has standing over it. */
  readonly ownerOfCall?: (call: CallAttribution) => SpeakerId;
  /** Called in this order, before each call runs and after it has ended. */
  readonly interceptors?: readonly Interceptor[];
  /**
   * Timeouts by tool, in milliseconds, instead of the tools' own; 0: none. The default of `spawn_agent` is none; those of `shell` and
   * `run_code`, which come from the arguments, can only be made shorter.
   */
  readonly toolTimeouts?: Readonly<Record<string, number>>;
  /**
   * Sessions in which nothing has happened for more than so many days, and nothing runs, are deleted: looked for at the start, and once a day. Those who have
   * joined one leave it (`deleted`). Default: 0, all are kept.
   */
  readonly retentionDays?: number | undefined;
  readonly observers?: readonly Observer[];
  /** Called once, before the first session is opened. `countSessions`: returns how many sessions are awake. */
  readonly loadTelemetry?: ((countSessions: () => number) => Promise<Telemetry>) | undefined;
  /** Gets every actor system before it starts: see src/inspector/inspector.ts. */
  readonly inspector?: InspectorContract | undefined;
  readonly limits?: Partial<Limits>;
  /** Runs the agents that are configured with `acp`, which need it. Default: none. */
  readonly outsideAgents?: OutsideAgents | undefined;
  /**
   * The processes of the system: what dead hosts have left is terminated through it. Default: `noProcesses`, for a runtime that starts no process and whose
   * store no other host uses.
   */
  readonly processes?: Processes | undefined;
  /**
   * Names this host in the store over its restarts: a host that starts under a name takes over at once what an earlier one of that name has held.
   * Give every process a name of its own. Default: a new id; then the sessions of a dead process that cannot be seen from here (it ran in
   * another container) are free when its lease has run out (`limits.leaseMs`).
   */
  readonly host?: string;
  readonly sources?: Sources;
  /** Reports bugs, and calls that could not be stopped. Default: standard error. */
  warn?(message: string, error?: unknown): void;
}

/** Returns how long a shutdown may take, in milliseconds. */
export const shutdownMsOf = ({ limits }: Pick<RuntimeConfig, 'limits'>): number =>
  limits?.shutdownMs ?? defaultLimits.shutdownMs;
