// Gives one task to an outside agent over the protocol: initialize, a session, one prompt, and its response.
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
  /** An absolute folder. */
  readonly cwd: string;
  /** Milliseconds from the agent's start to its session. */
  readonly startMs: number;
}

export interface TaskFailed {
  readonly kind: 'failed';
  readonly code: FailureCode;
  /** The rest of a sentence that starts with the agent's name; null: the end of its process explains it. */
  readonly reason: string | null;
}
export type TaskEnd = TaskFailed | { readonly kind: 'completed' } | { readonly kind: 'stopped' };

/** The SDK does not check the results of an agent. */
type Unchecked = Readonly<Record<string, unknown>> | null | undefined;

/** The agent may ask for permission, and for nothing else: it uses its own file system and terminal. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

const maxStopReasonChars = 100;
const maxMessageChars = 1_000;

/** Starts with its construction. */
export class Conversation {
  /** How the agent ended the task. Never rejects. */
  readonly ended: Promise<TaskEnd>;
  readonly #connection: ClientConnection;
  readonly #disarmStart: Disarm;
  #state: { readonly phase: 'starting' | 'over' } | { readonly phase: 'prompted'; readonly sessionId: string } = {
    phase: 'starting',
  };

  constructor(stream: Stream, permissions: PermissionRequests, task: Task, clock: Clock) {
    this.#connection = client({ name: 'belay' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => permissions.request(params))
      .connect(stream);
    this.#disarmStart = clock.after(task.startMs, () =>
      this.#connection.close(new Error(`no session within ${task.startMs} ms`)),
    );
    this.ended = this.#run(task);
  }

  /** Sends `session/cancel`; false where the agent has no prompt that it could cancel. No request follows. */
  cancel(): boolean {
    const state = this.#state;
    this.#state = { phase: 'over' };
    if (state.phase !== 'prompted') return false;
    const { agent } = this.#connection;
    agent.notify(methods.agent.session.cancel, { sessionId: state.sessionId }).catch(() => {}); // its input is closed
    return true;
  }

  close(): void {
    this.#connection.close();
  }

  async #run(task: Task): Promise<TaskEnd> {
    const { agent } = this.#connection;
    let hasSession = false;
    try {
      const sessionId = await openSession(agent, task.cwd);
      hasSession = true;
      this.#disarmStart();
      if (this.#state.phase === 'over') return { kind: 'stopped' };
      this.#state = { phase: 'prompted', sessionId };
      const prompt = [{ type: 'text' as const, text: task.text }];
      const response: Unchecked = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
      return endOf(response?.['stopReason']);
    } catch (error) {
      return failureOf(error, hasSession);
    } finally {
      this.#state = { phase: 'over' };
      this.#disarmStart();
    }
  }
}

/** Throws what the agent sends instead of a session. */
async function openSession(agent: ClientContext, cwd: string): Promise<string> {
  const initialized: Unchecked = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities,
    clientInfo: { name: 'belay', version: '0.1.0' },
  });
  const version = initialized?.['protocolVersion'];
  if (version !== PROTOCOL_VERSION) throw new Error('it speaks another version of the protocol');
  const session: Unchecked = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const id = session?.['sessionId'];
  if (typeof id !== 'string') throw new Error('its response names no session');
  return id;
}

const failed = (code: FailureCode, reason: string | null): TaskFailed => ({ kind: 'failed', code, reason });

function endOf(stopReason: unknown): TaskEnd {
  if (stopReason === 'end_turn') return { kind: 'completed' };
  if (stopReason === 'cancelled') return { kind: 'stopped' };
  const reason = typeof stopReason === 'string' ? stopReason.slice(0, maxStopReasonChars) : 'it gave no reason';
  return failed('agent_failed', `did not finish: ${reason}`);
}

/** `error` comes from the agent, from the stream, or from the agent's end. */
function failureOf(error: unknown, hasSession: boolean): TaskFailed {
  const message = errorText(error).slice(0, maxMessageChars);
  if (!hasSession)
    return failed('agent_unavailable', error instanceof OutputClosed ? null : `gave no session: ${message}`);
  if (error instanceof RequestError) return failed('agent_failed', `reported an error: ${message}`);
  return failed('agent_died', error instanceof OutputClosed ? null : `broke off: ${message}`);
}
