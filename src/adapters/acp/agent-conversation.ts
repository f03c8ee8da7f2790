// Gives one task to an outside agent over the Agent Client Protocol: initialize, a session that is loaded or new, one prompt, and its response.

import {
  type ClientConnection,
  type ClientContext,
  client,
  type LoadSessionRequest,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { FailureCode } from '../../../machines/codes.ts';
import { fieldsOf, type UntrustedFields } from '../../core/collections/fields.ts';
import type { Clock, Disarm } from '../../core/sources/sources.ts';
import { errorText } from '../../core/text/error-text.ts';
import { product } from '../../core/text/product.ts';
import { unusableServer } from './agent-mcp-servers.ts';
import { OutputClosed } from './agent-pipes.ts';
import type { PermissionRequests } from './permissions.ts';

export interface Task {
  readonly text: string;
  /** The working folder, an absolute path. */
  readonly cwd: string;
  /** Timeout from the start of the agent to its open session, in milliseconds. */
  readonly startMs: number;
  readonly mcpServers: readonly McpServer[];
  /** The agent's id of the session in which the task goes on, if the agent can load it; null: it gets a new one. */
  readonly keptSession: string | null;
}

/** The session that the agent has opened. */
export interface OpenedSession {
  /** The agent's own id. */
  readonly id: string;
  /** Whether it was opened for this task; false: an earlier one was loaded. */
  readonly isNew: boolean;
  /** Whether a later process of the agent can load it. */
  readonly canBeLoaded: boolean;
}

export interface TaskFailed {
  readonly kind: 'failed';
  readonly code: FailureCode;
  /** The rest of a sentence that starts with the agent's name; null: the end of its process explains it. */
  readonly reason: string | null;
}

/** How the agent ended the task. `stopped`: it reported a cancel, or was cancelled before its prompt. */
export type TaskEnd = TaskFailed | { readonly kind: 'completed' } | { readonly kind: 'stopped' };

/** Called by a conversation. Must not throw. */
export interface ConversationListener {
  /** The session is open, and the task is handed over next, in the same tick. */
  handingOver(session: OpenedSession): void;
  /** `usage`: from the response to the prompt, unchecked. */
  responded(usage: unknown): void;
}

/** The agent may ask for permission, and for nothing else: it uses its own file system and terminal. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

const maxReasonChars = 100;
const maxMessageChars = 1_000;

/** `cancelled`: by the host; a prompt that was not sent by then never is. */
type ConversationState =
  | { readonly phase: 'starting' | 'cancelled' | 'over' }
  | { readonly phase: 'prompted'; readonly sessionId: string };

export interface ConversationOptions {
  readonly stream: Stream;
  readonly permissions: PermissionRequests;
  readonly task: Task;
  readonly listener: ConversationListener;
  readonly clock: Clock;
}

/** The conversation about one task. The constructor starts it. */
export class AgentConversation {
  /** Resolves when the agent has ended the task. Never rejects. */
  readonly ended: Promise<TaskEnd>;
  readonly #connection: ClientConnection;
  readonly #listener: ConversationListener;
  readonly #disarmStart: Disarm;
  #state: ConversationState = { phase: 'starting' };

  constructor({ stream, permissions, task, listener, clock }: ConversationOptions) {
    this.#listener = listener;
    this.#connection = client({ name: 'belay' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => permissions.request(params))
      .connect(stream);
    this.#disarmStart = clock.after(task.startMs, () =>
      this.#connection.close(new Error(`no session within ${task.startMs} ms`)),
    );
    this.ended = this.#run(task);
  }

  /** Sends `session/cancel` if the agent has a prompt, and returns whether it has. Sends no request afterwards. */
  cancel(): boolean {
    const state = this.#state;
    if (state.phase === 'starting') this.#state = { phase: 'cancelled' };
    if (state.phase !== 'prompted') return false;
    this.#state = { phase: 'cancelled' };
    const { agent } = this.#connection;
    agent.notify(methods.agent.session.cancel, { sessionId: state.sessionId }).catch(() => {}); // its input is closed
    return true;
  }

  close(): void {
    this.#connection.close();
  }

  /** It changes while the response is awaited, which the compiler does not see. */
  get #isCancelled(): boolean {
    return this.#state.phase === 'cancelled';
  }

  async #run(task: Task): Promise<TaskEnd> {
    const { agent } = this.#connection;
    let session: OpenedSession;
    try {
      session = await openSession(agent, task);
    } catch (error) {
      this.#state = { phase: 'over' };
      return startFailure(error);
    } finally {
      this.#disarmStart();
    }
    if (this.#isCancelled) return { kind: 'stopped' };
    const { id: sessionId } = session;
    this.#state = { phase: 'prompted', sessionId };
    this.#listener.handingOver(session);
    try {
      const prompt = [{ type: 'text' as const, text: task.text }];
      const response = fieldsOf(await agent.request(methods.agent.session.prompt, { sessionId, prompt }));
      this.#listener.responded(response['usage']);
      // after a cancel it has stopped, whatever its reason: some agents say `end_turn`
      return this.#isCancelled ? { kind: 'stopped' } : endFromStopReason(response['stopReason']);
    } catch (error) {
      return promptFailure(error);
    } finally {
      this.#state = { phase: 'over' };
    }
  }
}

/** Resolves with the session for a task. Rejects with the agent's error, or if a response does not fit. */
async function openSession(agent: ClientContext, task: Task): Promise<OpenedSession> {
  const capabilities = await initialize(agent);
  const unusable = unusableServer(task.mcpServers, capabilities['mcpCapabilities']);
  if (unusable !== null) throw new Error(unusable);
  const { cwd, keptSession } = task;
  const mcpServers = [...task.mcpServers];
  const canBeLoaded = capabilities['loadSession'] === true;
  if (keptSession !== null && canBeLoaded && (await isLoaded(agent, { sessionId: keptSession, cwd, mcpServers })))
    return { id: keptSession, isNew: false, canBeLoaded };
  const session = fieldsOf(await agent.request(methods.agent.session.new, { cwd, mcpServers }));
  const id = session['sessionId'];
  if (typeof id !== 'string') throw new Error('its response to session/new has no sessionId');
  return { id, isNew: true, canBeLoaded };
}

/** Resolves with the capabilities of the agent, unchecked. */
async function initialize(agent: ClientContext): Promise<UntrustedFields> {
  const request = { protocolVersion: PROTOCOL_VERSION, clientCapabilities, clientInfo: product };
  const response = fieldsOf(await agent.request(methods.agent.initialize, request));
  const version = response['protocolVersion'];
  if (version !== PROTOCOL_VERSION)
    throw new Error(
      `it speaks version ${String(version).slice(0, maxReasonChars)} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  return fieldsOf(response['agentCapabilities']);
}

/** Resolves with whether the agent has loaded the session. It may refuse to: it has lost it, or its last process was killed while it wrote it. */
async function isLoaded(agent: ClientContext, request: LoadSessionRequest): Promise<boolean> {
  try {
    await agent.request(methods.agent.session.load, request);
    return true;
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

const failed = (code: FailureCode, reason: string | null): TaskFailed => ({ kind: 'failed', code, reason });

function endFromStopReason(stopReason: unknown): TaskEnd {
  if (stopReason === 'end_turn') return { kind: 'completed' };
  if (stopReason === 'cancelled') return { kind: 'stopped' };
  const reason = typeof stopReason === 'string' ? stopReason.slice(0, maxReasonChars) : 'it gave no reason';
  return failed('agent_failed', `did not finish: ${reason}`);
}

/** The agent has opened no session. `error` comes from the agent, from the stream, or from the timeout. */
const startFailure = (error: unknown): TaskFailed =>
  failed('agent_unavailable', error instanceof OutputClosed ? null : `gave no session: ${messageOf(error)}`);

/** The prompt has no response. `error` comes from the agent or from the stream. */
function promptFailure(error: unknown): TaskFailed {
  if (error instanceof RequestError) return failed('agent_failed', `reported an error: ${messageOf(error)}`);
  return failed('agent_died', error instanceof OutputClosed ? null : `broke off: ${messageOf(error)}`);
}

const messageOf = (error: unknown): string => errorText(error).slice(0, maxMessageChars);
