// The client of AG-UI, in the exact version that `npm run agents` installs, with the few types of it that tests use.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { officialClients } from '../../scripts/install-agents.ts';

export interface AGUIEvent {
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

export interface Interrupt {
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
  readonly pendingInterrupts: readonly Interrupt[];
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
  from(events: readonly AGUIEvent[]): { pipe(operator: unknown): unknown };
  lastValueFrom(events: unknown): Promise<unknown>;
}

const [client] = officialClients.filter(({ name }) => name === 'ag-ui');
const isInstalled = client !== undefined && existsSync(client.path);
if (!isInstalled)
  console.warn(`@ag-ui/client ${client?.version} is not installed, and not tested: npm run agents installs it.`);
/** Whether the tests are left out: where they are required they fail instead. */
export const isLeftOut = !isInstalled && process.env['REAL_AGENTS'] !== 'required';

async function load<Module>(name: string): Promise<Module> {
  if (isLeftOut) return {} as Module;
  const path = client?.path ?? '';
  return import(pathToFileURL(name === '' ? path : createRequire(path).resolve(name)).href);
}
const agui = await load<ClientModule>('');
const { EventSchemas } = await load<SchemaModule>('@ag-ui/core/schemas');
const rx = await load<RxModule>('rxjs');

export interface TestAgent {
  readonly agent: HttpAgent;
  /** The events of all runs, each of which was checked against the schemas of the protocol, without fields that these do not know. */
  readonly events: readonly AGUIEvent[];
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
  const events: AGUIEvent[] = [];
  const onEvent = ({ event }: { readonly event: AGUIEvent }) => {
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
export const verify = (events: readonly AGUIEvent[]): Promise<unknown> =>
  rx.lastValueFrom(rx.from(events).pipe(agui.verifyEvents()));

/** The events of a type. */
export const eventsOf = ({ events }: TestAgent, type: string): readonly AGUIEvent[] =>
  events.filter((event) => event.type === type);

/** The text of the messages of the assistant. */
export const textOf = ({ messages }: HttpAgent): string =>
  messages
    .flatMap(({ role, content, subagentRunId }) => (role === 'assistant' && content && !subagentRunId ? content : []))
    .join('|');
