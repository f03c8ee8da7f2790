// One task for an outside agent, over the protocol: the greeting, a session, one prompt, and how it was answered.
import {
  type ClientContext,
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { FailureCode } from '../../machines/codes.ts';
import type { Clock } from '../sources/sources.ts';
import { OutputClosed } from './agent-pipes.ts';
import type { Permissions } from './permissions.ts';

export interface Task {
  readonly text: string;
  /** Absolute. */
  readonly cwd: string;
  /** How long the agent may take from its start to its session. */
  readonly startMs: number;
}

export interface Failed {
  readonly kind: 'failed';
  readonly code: FailureCode;
  /** What follows the agent's name in a sentence; null: how its process ended says it. */
  readonly why: string | null;
}
export type Answer = Failed | { readonly kind: 'completed' } | { readonly kind: 'stopped' };

export interface Conversation {
  /** Never rejects. */
  readonly answer: Promise<Answer>;
  /** Tells the agent to stop; false where there is nothing yet that it could stop. From here on nothing is asked of it. */
  cancel(): boolean;
  /** Hangs up. */
  close(): void;
}

/** The SDK hands on what the agent has answered, whatever it is. */
type Loose = Readonly<Record<string, unknown>> | null | undefined;

/** What the agent is offered of this side: permission, and nothing else. It has its own hands. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

const failed = (code: FailureCode, why: string | null): Failed => ({ kind: 'failed', code, why });

function answered(stopReason: unknown): Answer {
  if (stopReason === 'end_turn') return { kind: 'completed' };
  if (stopReason === 'cancelled') return { kind: 'stopped' };
  const reason = typeof stopReason === 'string' ? stopReason.slice(0, 100) : 'it gave no reason';
  return failed('agent_failed', `did not finish: ${reason}`);
}

/** What was thrown instead of an answer: by the agent, by the wire, or by its end. */
function broken(error: unknown, isAtWork: boolean): Failed {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
  if (!isAtWork)
    return failed('agent_unavailable', error instanceof OutputClosed ? null : `gave no session: ${message}`);
  if (error instanceof RequestError) return failed('agent_failed', `reported an error: ${message}`);
  return failed('agent_died', error instanceof OutputClosed ? null : `broke off: ${message}`);
}

export function converse(stream: Stream, permissions: Permissions, task: Task, clock: Clock): Conversation {
  const connection = client({ name: 'belay' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => permissions.ask(params))
    .connect(stream);
  const { agent } = connection;
  let phase: 'starting' | 'prompted' | 'over' = 'starting';
  let sessionId: string | null = null;
  const disarm = clock.after(task.startMs, () => connection.close(new Error(`no session within ${task.startMs} ms`)));

  async function talk(): Promise<Answer> {
    sessionId = await open(agent, task.cwd);
    disarm();
    if (phase === 'over') return { kind: 'stopped' };
    phase = 'prompted';
    const prompt = [{ type: 'text' as const, text: task.text }];
    const answer: Loose = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
    return answered(answer?.['stopReason']);
  }

  return {
    answer: talk()
      .catch((error: unknown) => broken(error, sessionId !== null))
      .finally(() => {
        phase = 'over';
        disarm();
      }),
    cancel() {
      const mayObey = phase === 'prompted' && sessionId !== null;
      if (mayObey) agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {}); // it has hung up
      phase = 'over';
      return mayObey;
    },
    close: () => connection.close(),
  };
}

/** Throws what the agent answers instead of a session. */
async function open(agent: ClientContext, cwd: string): Promise<string> {
  const greeting: Loose = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities,
    clientInfo: { name: 'belay', version: '0.1.0' },
  });
  const version = greeting?.['protocolVersion'];
  if (version !== PROTOCOL_VERSION) throw new Error('it speaks another version of the protocol');
  const session: Loose = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const id = session?.['sessionId'];
  if (typeof id !== 'string') throw new Error('its answer names none');
  return id;
}
