// The client of AG-UI, in the exact version that `npm run agents` installs, with the few types of it that tests use.
import { findClient } from './official-client.ts';

export interface RunEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface AGUIMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: string;
  readonly subagentRunId?: string;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface PendingInterrupt {
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly responseSchema?: object;
}

interface RunParameters {
  readonly runId?: string;
  readonly resume?: readonly { readonly interruptId: string; readonly status: string; readonly payload?: unknown }[];
}

interface HttpAgent {
  readonly messages: readonly AGUIMessage[];
  readonly state: { readonly belay?: { readonly turn?: string } };
  readonly pendingInterrupts: readonly PendingInterrupt[];
  readonly isRunning: boolean;
  addMessage(message: AGUIMessage): void;
  runAgent(parameters?: RunParameters, subscriber?: object): Promise<{ readonly newMessages: readonly AGUIMessage[] }>;
  abortRun(): void;
}

interface ClientModule {
  readonly HttpAgent: new (config: object) => HttpAgent;
  verifyEvents(): (events: unknown) => unknown;
}
interface SchemaModule {
  readonly EventSchemas: { parse(event: unknown): object };
}
interface RxModule {
  from(events: readonly RunEvent[]): { pipe(operator: unknown): unknown };
  lastValueFrom(events: unknown): Promise<unknown>;
}

export const client = findClient('ag-ui');
const agui = await client.load<ClientModule>();
const { EventSchemas } = await client.load<SchemaModule>('@ag-ui/core/schemas');
const rx = await client.load<RxModule>('rxjs');

export interface TestAgent {
  readonly agent: HttpAgent;
  /** The events of all runs, each of which was checked against the schemas of the protocol, without fields that these do not know. */
  readonly events: readonly RunEvent[];
  say(text: string, parameters?: RunParameters): Promise<void>;
  run(parameters?: RunParameters): Promise<void>;
}

export function openAgent(
  url: string,
  threadId: string,
  headers: object,
  initialMessages: readonly AGUIMessage[] = [],
): TestAgent {
  const agent = new agui.HttpAgent({ url, threadId, headers, initialMessages });
  const events: RunEvent[] = [];
  const onEvent = ({ event }: { readonly event: RunEvent }) => {
    const known = EventSchemas.parse(event);
    if (JSON.stringify(known).length !== JSON.stringify(event).length)
      throw new Error(`The protocol has no such fields: ${JSON.stringify(event)}`);
    events.push(event);
  };
  const run = async (parameters: RunParameters = {}) => void (await agent.runAgent(parameters, { onEvent }));
  return {
    agent,
    events,
    run,
    say(text, parameters) {
      agent.addMessage({ id: `user-${agent.messages.length}`, role: 'user', content: text });
      return run(parameters);
    },
  };
}

/** Rejects if the order of the events is not one that the verifier accepts. */
export const verify = (events: readonly RunEvent[]): Promise<unknown> =>
  rx.lastValueFrom(rx.from(events).pipe(agui.verifyEvents()));

/** The events of a type. */
export const eventsOf = ({ events }: TestAgent, type: string): readonly RunEvent[] =>
  events.filter((event) => event.type === type);

/** The text of the messages of the assistant. */
export const runTextOf = ({ messages }: HttpAgent): string =>
  messages
    .flatMap(({ role, content, subagentRunId }) => (role === 'assistant' && content && !subagentRunId ? content : []))
    .join('|');
