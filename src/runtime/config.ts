// The configuration of a runtime: models, tools and agents, the store, the rules of its sessions, and its limits.

import type { Message } from '../../machines/messages.ts';
import type { SpeakerId } from '../../machines/vocabulary.ts';
import type { AcpAgent } from '../acp/agent-config.ts';
import type { Provider } from '../model/provider.ts';
import type { Observer, SessionSpec } from '../session/session-spec.ts';
import type { Sources } from '../sources/sources.ts';
import type { Tool } from '../tools/tool.ts';
import type { Log } from '../transcript/log.ts';
import type { CallAttribution, Draft, Interceptor } from '../workers/extensions.ts';
import type { Inspector } from '../workers/services.ts';
import type { Limits } from '../workers/session-limits.ts';

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
