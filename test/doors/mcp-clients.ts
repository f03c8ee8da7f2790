// Official clients of MCP for the tests of the door: what they ask people, and what they receive.
import { Client, type ClientOptions, type ElicitRequestFormParams } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

export type VersionMode = 'legacy' | 'auto';
type Transport = Parameters<Client['connect']>[0];

/** How a person answers a form; `never`: not at all. */
export type FormAnswers = (form: ElicitRequestFormParams) => object | 'never';

export interface McpTestClient {
  readonly client: Client;
  /** The forms that it has shown. */
  readonly forms: readonly ElicitRequestFormParams[];
  /** The forms that were withdrawn by the server. */
  readonly withdrawn: () => number;
}

export interface ClientChoices {
  readonly mode?: VersionMode;
  /** Who fills in forms. Left out: the client shows none. */
  readonly person?: FormAnswers;
}

/** Connects a client. */
export async function connectMcp(
  transport: Transport,
  { mode = 'legacy', person }: ClientChoices = {},
): Promise<McpTestClient> {
  const options: ClientOptions = {
    versionNegotiation: { mode },
    capabilities: person ? { elicitation: { form: {} } } : {},
  };
  const client = new Client({ name: 'test', version: '1' }, options);
  const forms: ElicitRequestFormParams[] = [];
  let withdrawn = 0;
  if (person)
    client.setRequestHandler('elicitation/create', async ({ params }, ctx) => {
      const form = params as ElicitRequestFormParams;
      forms.push(form);
      const answer = person(form);
      if (answer !== 'never') return answer as { action: 'accept' };
      return new Promise((_, reject) => {
        ctx.mcpReq.signal.addEventListener('abort', () => {
          withdrawn += 1;
          reject(new Error('withdrawn'));
        });
      });
    });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, forms, withdrawn: () => withdrawn };
}

/** The structured content of an answer. */
export interface Answered {
  readonly text: string;
  readonly session: string;
  readonly turn: string | null;
  readonly outcome: string;
  readonly effect: string;
  readonly code?: string;
  readonly calls: readonly {
    readonly node: string;
    readonly name: string;
    readonly outcome: string;
    readonly code?: string;
  }[];
  readonly receipt: Readonly<Record<string, unknown>> | null;
}

export interface AskAgentOptions {
  readonly session?: string;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly message?: string | undefined }) => void;
}

/** Calls an agent. */
export async function askAgent(
  { client }: McpTestClient,
  name: string,
  prompt: string,
  { session, signal, onprogress }: AskAgentOptions = {},
): Promise<Answered> {
  const { structuredContent } = await client.callTool(
    { name, arguments: { prompt, ...(session !== undefined && { session }) } },
    { timeout: 120_000, ...(signal && { signal }), ...(onprogress && { onprogress }) },
  );
  return structuredContent as unknown as Answered;
}

/** Reads a resource of JSON. */
export async function readJson({ client }: McpTestClient, uri: string): Promise<Readonly<Record<string, unknown>>> {
  const { contents } = await client.readResource({ uri });
  const [first] = contents;
  return JSON.parse(first && 'text' in first ? first.text : 'null');
}

/** The last facts of a session, as its resource has them. */
export async function eventsIn(
  client: McpTestClient,
  session: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { events } = await readJson(client, `belay://sessions/${encodeURIComponent(session)}/transcript`);
  return events as Readonly<Record<string, unknown>>[];
}

/** What became of a stop, as a test compares it. */
export interface ReadCancel {
  readonly state: string;
  readonly source: string;
  readonly by: string;
  readonly reason: string | null;
}

/** The cancels of a session, as its resource has them. */
export async function cancelsIn(client: McpTestClient, session: string): Promise<readonly ReadCancel[]> {
  const { cancels } = await readJson(client, `belay://sessions/${encodeURIComponent(session)}/cancels`);
  return cancels as readonly ReadCancel[];
}
