// The agents of other people, as the core needs them: their configuration, a check of it, and the tool that gives them tasks.
import type { Tool } from './tool.ts';

/** An MCP server that the agent starts. */
export interface AgentStdioServer {
  /** The command of the server; one without a slash is searched in PATH. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of environment variables that are passed on from this process. */
  readonly passEnvironment?: readonly string[] | undefined;
}

/** An MCP server that runs. */
export interface AgentHttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `sse`: the server speaks the older HTTP with server-sent events. Default: `streamable`. */
  readonly transport?: 'streamable' | 'sse' | undefined;
}

/** An agent that runs as a process of its own and speaks the Agent Client Protocol on its stdin and stdout. */
export interface AcpAgent {
  /** The program. Without a slash it is searched in PATH. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** The agent's working folder, absolute; default: the first root. The agent can still read and write outside it. */
  readonly cwd?: string | undefined;
  /** Environment variables of the process, in addition to those that every child process gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of environment variables that are passed on from this process, for example of an API key. */
  readonly passEnvironment?: readonly string[] | undefined;
  /** MCP servers that the agent uses, by their names. It starts and stops them itself. */
  readonly mcpServers?: Readonly<Record<string, AgentStdioServer | AgentHttpServer>> | undefined;
  /**
   * Whether a task goes on in the session of the agent's last task, where the agent can load it. False: each task gets a new session.
   * Default: true.
   */
  readonly keepSession?: boolean | undefined;
  /** Timeout from the start of the process to its open session, in milliseconds. Default: 60 000. */
  readonly startMs?: number | undefined;
  /** Timeout for the response after a `session/cancel`, in milliseconds. Default: 2 000. */
  readonly cancelMs?: number | undefined;
  /** Timeout for the exit of the process after the response to a task, in milliseconds; then it is terminated. Default: 500. */
  readonly exitMs?: number | undefined;
  /** Time from SIGTERM to SIGKILL, in milliseconds. Default: 500. */
  readonly termGraceMs?: number | undefined;
}

/** In milliseconds. */
export interface AgentLimits {
  /** The stop budget of a call of an outside agent: `cancelMs` and `termGraceMs` must fit in it. */
  readonly agentCancelMs: number;
  /** The longest wait of a shutdown: the stop budget must fit in it. */
  readonly shutdownMs: number;
}

export interface AgentContext {
  /** Absolute folders; the first one is the working folder of an agent without one. */
  readonly roots: readonly string[];
  readonly limits: AgentLimits;
}

/** Agents whose configuration is right. */
export interface CheckedAgents {
  /**
   * Creates the tool for calls of `spawn_agent` that name one of `names`.
   * @param defaultName The agent for a call that names none.
   */
  createTool(names: readonly string[], defaultName: string | undefined): Tool;
}

export interface OutsideAgents {
  /**
   * Checks the agents, which have their names in the configuration of the runtime, and fills in the defaults. Starts nothing.
   *
   * @throws RangeError which names the field and the limit
   */
  checkAgents(agents: ReadonlyMap<string, AcpAgent>, context: AgentContext): CheckedAgents;
  /** Forgets what all agents keep for their next task in a session of the runtime. The agents themselves still store it. */
  forgetSession(session: string): void;
}
