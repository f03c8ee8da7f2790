// Gives one task to an outside agent over the Agent Client Protocol: initialize, a session, one prompt, and its response.
import {
  type ClientConnection,
  type ClientContext,
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { FailureCode } from '../../machines/codes.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import { errorText } from '../text/error-text.ts';
import { OutputClosed } from './agent-pipes.ts';
import type { PermissionRequests } from './permissions.ts';

export interface Task {
  readonly text: string;
  /** The working folder, an absolute path. */
  readonly cwd: string;
  /** Timeout from the start of the agent to its open session, in milliseconds. */
  readonly startMs: number;
}

export interface TaskFailed {
  readonly kind: 'failed';
  readonly code: FailureCode;
  /** The rest of a sentence that starts with the agent's name; null: the end of its process explains it. */
  readonly reason: string | null;
}

/** How the agent ended the task. `stopped`: it reported a cancel, or was cancelled before its prompt. */
export type TaskEnd = TaskFailed | { readonly kind: 'completed' } | { readonly kind: 'stopped' };

/** A response of the agent: the SDK does not check it against the schema. */
type UncheckedResult = Readonly<Record<string, unknown>> | null | undefined;

/** The agent may ask for permission, and for nothing else: it uses its own file system and terminal. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

const clientInfo = { name: 'belay', version: '0.1.0' };

const maxReasonChars = 100;
const maxMessageChars = 1_000;

/** `cancelled`: by the host; a prompt that was not sent by then never is. */
type ConversationState =
  | { readonly phase: 'starting' | 'cancelled' | 'over' }
  | { readonly phase: 'prompted'; readonly sessionId: string };

/** The conversation about one task. The constructor starts it. */
export class Conversation {
  /** Resolves when the agent has ended the task. Never rejects. */
  readonly ended: Promise<TaskEnd>;
  readonly #connection: ClientConnection;
  readonly #disarmStart: Disarm;
  #state: ConversationState = { phase: 'starting' };

  constructor(stream: Stream, permissions: PermissionRequests, task: Task, clock: Clock) {
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
    let sessionId: string;
    try {
      sessionId = await openSession(agent, task.cwd);
    } catch (error) {
      this.#state = { phase: 'over' };
      return startFailure(error);
    } finally {
      this.#disarmStart();
    }
    if (this.#isCancelled) return { kind: 'stopped' };
    this.#state = { phase: 'prompted', sessionId };
    try {
      const prompt = [{ type: 'text' as const, text: task.text }];
      const response: UncheckedResult = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
      // after a cancel it has stopped, whatever its reason: some agents say `end_turn`
      return this.#isCancelled ? { kind: 'stopped' } : endFromStopReason(response?.['stopReason']);
    } catch (error) {
      return promptFailure(error);
    } finally {
      this.#state = { phase: 'over' };
    }
  }
}

/** Resolves with the id of a new session. Rejects with the agent's error, or if its response does not fit. */
async function openSession(agent: ClientContext, cwd: string): Promise<string> {
  const initialized: UncheckedResult = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities,
    clientInfo,
  });
  const version = initialized?.['protocolVersion'];
  if (version !== PROTOCOL_VERSION)
    throw new Error(
      `it speaks version ${String(version).slice(0, maxReasonChars)} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  const session: UncheckedResult = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const id = session?.['sessionId'];
  if (typeof id !== 'string') throw new Error('its response to session/new has no sessionId');
  return id;
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
