// A gateway with a runtime, a scripted model and the tokens of three people, and a client of its HTTP door that is nothing but sockets.
import { request as httpRequest } from 'node:http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createScriptedProvider, type Script } from '../../../src/adapters/models/scripted.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { createRuntime, type EmbeddedRuntime, type RuntimeOptions } from '../../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../../src/gateway/auth/token-file.ts';
import type { Gateway, GatewayOptions } from '../../../src/gateway/gateway.ts';
import type { ListenOptions } from '../../../src/gateway/http/listen.ts';
import { startGateway } from '../../support/gateway.ts';
import { watch } from '../../support/watch-tool.ts';

export const tokens = {
  'a-token-of-ann-0001': { speaker: 'ann' },
  'a-token-of-bob-0001': { speaker: 'bob', sessions: ['room*'] },
  'a-token-of-eve-0001': { speaker: 'eve' },
  'a-token-of-the-bridge': { speaker: 'bridge', roles: ['bridge' as const], sessions: ['room*'] },
};
export const ann = 'a-token-of-ann-0001';
export const bob = 'a-token-of-bob-0001';
export const eve = 'a-token-of-eve-0001';
export const bridge = 'a-token-of-the-bridge';

const says = (text: string): Script => ({ steps: [{ text }] });
export const calls = (...names: string[]): Script => ({
  steps: names.map((name, n) => ({ call: { callId: `p${n}`, name, arguments: '{}' } })),
});

/** Asks for an approval before it runs. */
const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  timeoutMs: 0,
  approval: () => ({ text: 'Deploy it?' }),
  run: async () => 'deployed',
});

export interface AskOptions {
  readonly method?: string;
  /** The token that is shown; null: none. Default: ann's. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they want
  readonly body: any;
  readonly bytes: Buffer;
}

interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they want
  readonly data: any;
}

/** An answer that may be an endless stream. */
export interface Streaming {
  readonly status: number;
  readonly events: StreamEvent[];
  readonly comments: string[];
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Cuts the connection. */
  drop(): void;
  pause(): void;
  resume(): void;
}

const headersOf = ({ token = ann, headers = {}, body }: AskOptions): Record<string, string> => ({
  ...(token !== null && { authorization: `Bearer ${token}` }),
  ...(body !== undefined && !(body instanceof Uint8Array) && { 'content-type': 'application/json' }),
  ...headers,
});

const bodyOf = ({ body }: AskOptions): string | Uint8Array | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

const methodOf = ({ method, body }: AskOptions): string => method ?? (body === undefined ? 'GET' : 'POST');

/** Sends a request, and resolves with the whole response. */
async function ask(base: string, path: string, options: AskOptions = {}): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const request = httpRequest(`${base}${path}`, { method: methodOf(options), headers: headersOf(options) });
  request.on('error', reject);
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      const isJson = /[/+]json/.test(headers.get('content-type') ?? '');
      const body = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
      resolve({ status: response.statusCode ?? 0, headers, body, bytes });
    });
  });
  request.end(bodyOf(options));
  return promise;
}

/** Sends a request, and resolves with its response as soon as that begins. */
async function stream(base: string, path: string, options: AskOptions = {}): Promise<Streaming> {
  const headers = { accept: 'text/event-stream', ...headersOf(options) };
  const { promise, resolve, reject } = Promise.withResolvers<Streaming>();
  const request = httpRequest(`${base}${path}`, { method: methodOf(options), headers, agent: false });
  onTestFinished(() => void request.destroy());
  request.on('error', reject);
  request.on('response', (response) => {
    const events: StreamEvent[] = [];
    const comments: string[] = [];
    const ended = Promise.withResolvers<void>();
    let isOver = false;
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      rest += text;
      for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
        const lines = rest.slice(0, at).split('\n');
        rest = rest.slice(at + 2);
        const fields = Object.fromEntries(
          lines.map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
        );
        if (fields['data'] === undefined) comments.push(lines.join('\n'));
        else
          events.push({
            event: fields['event'] ?? '',
            ...(fields['id'] && { id: fields['id'] }),
            data: JSON.parse(fields['data']),
          });
      }
    });
    response.on('error', () => {});
    response.on('close', () => {
      isOver = true;
      ended.resolve();
    });
    resolve({
      status: response.statusCode ?? 0,
      events,
      comments,
      ended: ended.promise,
      hasEnded: () => isOver,
      drop: () => void request.destroy(),
      pause: () => void response.pause(),
      resume: () => void response.resume(),
    });
  });
  request.end(bodyOf(options));
  return promise;
}

export interface HttpDoor {
  readonly base: string;
  readonly url: string;
  readonly runtime: EmbeddedRuntime;
  readonly gateway: Gateway;
  /** The reported bugs. */
  readonly reports: unknown[];
  ask(path: string, options?: AskOptions): Promise<Reply>;
  stream(path: string, options?: AskOptions): Promise<Streaming>;
}

/** Starts a gateway whose model answers by what was said: `watch` starts a tool that runs until it is stopped, `hang` never ends. */
export async function httpOf(
  at: Partial<ListenOptions> = {},
  options: Partial<Omit<GatewayOptions, 'runtime'>> & { readonly own?: Partial<RuntimeOptions> } = {},
): Promise<HttpDoor> {
  const { own, ...gateway } = options;
  const provider = createScriptedProvider({ clock: systemSources.clock, respond: respondTo });
  const runtime = await createRuntime({ provider, tools: [watch, deploy], ...own });
  onTestFinished(() => runtime.close());
  const authenticator = createTokenAuthenticator(tokens);
  const limits = { framesPerSecond: 10_000, frameBurst: 10_000, ...gateway.limits }; // tests ask until something is so
  const started = await startGateway({ runtime, authenticator, ...gateway, limits }, at);
  const { url, gateway: running, listening, reports } = started;
  const base = `http://${new URL(listening.url).host}`;
  return {
    base,
    url,
    runtime,
    gateway: running,
    reports,
    ask: (path, asked) => ask(base, path, asked),
    stream: (path, asked) => stream(base, path, asked),
  };
}

function respondTo({
  messages,
}: {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}): Script {
  const last = messages.at(-1);
  if (last?.role === 'tool') return says('It is done.');
  const said = String(last?.content);
  if (said.endsWith('hang')) return { steps: [{ text: 'I am ' }, { text: 'thinking' }, { hang: true }] };
  if (said.startsWith('call ')) return calls(...said.slice('call '.length).split(' '));
  return { steps: [{ text: 'It is ' }, { text: 'noon.' }] };
}
