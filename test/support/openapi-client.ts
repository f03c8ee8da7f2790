// A client generated from an OpenAPI document at run time, which knows nothing else; and a check that the document has each reply that it gets.
import type { AxiosResponse } from 'axios';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';

/** Parameters by name, and a body, as the document has them. */
export interface CallOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly responseType?: 'arraybuffer' | 'stream' | 'text';
}

export interface GeneratedClient {
  /** Calls an operation by its id. Rejects if the document has neither the operation nor the status, type and code of its reply. */
  call(operation: string, options?: CallOptions): Promise<AxiosResponse>;
  /** The operations that were called. */
  readonly called: ReadonlySet<string>;
}

interface DescribedReply {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}

interface Described {
  readonly responses?: Readonly<Record<string, DescribedReply>>;
}

/** Reads the document from a gateway, and makes the client. */
export async function generateClient(base: string, token: string): Promise<GeneratedClient> {
  const definition = (await (await fetch(`${base}/api/openapi.json`)).json()) as Document; // the test of the document validates it
  const api = new OpenAPIClientAxios({ definition });
  const client = await api.init();
  client.defaults.baseURL = base;
  client.defaults.headers.common['authorization'] = `Bearer ${token}`;
  client.defaults.validateStatus = () => true;
  const called = new Set<string>();
  return {
    called,
    async call(operation, { params = {}, body, headers = {}, responseType } = {}) {
      const send = client[operation];
      if (!send) throw new Error(`the document has no operation ${operation}`);
      called.add(operation);
      const response = await send(params, body, { headers, ...(responseType && { responseType }) });
      assertDescribed(api.getOperation(operation) as Described, operation, response); // references are resolved
      return response;
    },
  };
}

function assertDescribed(
  { responses = {} }: Described,
  operation: string,
  { status, headers, data }: AxiosResponse,
): void {
  const reply = responses[String(status)];
  if (!reply) throw new Error(`${operation}: the document has no status ${status}: ${JSON.stringify(data)}`);
  const type = String(headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  if (type === '' && !reply.content) return;
  const described = Object.keys(reply.content ?? {});
  const isImage = described.includes('application/octet-stream') && type.startsWith('image/');
  if (!described.includes(type) && !isImage) throw new Error(`${operation}: the document has no ${type} for ${status}`);
  if (type !== 'application/problem+json') return;
  if (!JSON.stringify(reply.content?.[type]).includes(`"${data.code}"`))
    throw new Error(`${operation}: the document has no code ${data.code} for ${status}`);
}
