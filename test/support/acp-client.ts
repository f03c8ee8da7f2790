// The official client of the Agent Client Protocol, at the pipes of `belay acp` in a process of its own.
import { Readable, Writable } from 'node:stream';
import {
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { type Child, startChild } from './child.ts';
import { until } from './until.ts';

export interface AcpClient {
  readonly child: Child;
  readonly connection: ClientConnection;
  /** What the agent has sent, in its order; `end` of a request is put between by the tests. */
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[];
  readonly permissions: RequestPermissionRequest[];
  readonly elicitations: CreateElicitationRequest[];
  open(cwd: string, more?: object): Promise<string>;
  /** Says words. Resolves with the response. */
  prompt(sessionId: string, text: string): ReturnType<typeof promptOf>;
  cancel(sessionId: string): Promise<void>;
  /** The texts of the agent's messages so far, as one. */
  text(): string;
  /** The calls with all that updates have changed. */
  calls(): readonly Readonly<Record<string, unknown>>[];
}

export interface AcpClientOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly capabilities?: ClientCapabilities;
  /** Adds further requests that the client handles. */
  readonly extend?: (app: ClientApp) => ClientApp;
  readonly onPermission?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  readonly onElicitation?: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse>;
}

const promptOf = ({ agent }: ClientConnection, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });

const never = () => new Promise<never>(() => {});

/** Starts `belay acp`, and initializes it. The process is killed at the end of the test. */
export async function startAcp(options: AcpClientOptions): Promise<AcpClient> {
  const { args, cwd, capabilities = {}, onPermission = never, onElicitation = never, extend = (app) => app } = options;
  const child = startChild('src/programs/belay.ts', { args: ['acp', ...args], ...(cwd !== undefined && { cwd }) });
  const updates: AcpClient['updates'] = [];
  const permissions: RequestPermissionRequest[] = [];
  const elicitations: CreateElicitationRequest[] = [];
  const { stdin, stdout } = child.process;
  if (!stdin || !stdout) throw new Error('the child has no pipes');
  const app = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      permissions.push(params);
      return onPermission(params);
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      elicitations.push(params);
      return onElicitation(params);
    });
  const connection = extend(app).connect(
    ndJsonStream(
      Writable.toWeb(stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
    ),
  );
  const { agent } = connection;
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  });
  return {
    child,
    connection,
    updates,
    permissions,
    elicitations,
    open: async (folder, more = {}) =>
      (await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [], ...more })).sessionId,
    prompt: (sessionId, text) => promptOf(connection, sessionId, text),
    cancel: (sessionId) => agent.notify(methods.agent.session.cancel, { sessionId }),
    text: () => updates.map(({ update }) => textOf(update)).join(''),
    calls: () => foldCalls(updates.map(({ update }) => update)),
  };
}

const textOf = (update: SessionUpdate): string =>
  update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '';

function foldCalls(updates: readonly SessionUpdate[]): readonly Readonly<Record<string, unknown>>[] {
  const calls = new Map<string, Readonly<Record<string, unknown>>>();
  for (const update of updates)
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
      const { sessionUpdate: _, ...fields } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...fields });
    }
  return [...calls.values()];
}

/** Resolves when the client has been asked for a permission. */
export const untilAsked = ({ permissions }: AcpClient, count = 1): Promise<boolean> =>
  until(() => permissions.length >= count, { what: `${count} requests for permission` });
