// Reads what a server offers beside its tools: its resources and its prompts.
import type { Client, ContentBlock, RequestOptions } from '@modelcontextprotocol/client';

export type ReadRequest =
  | { readonly kind: 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'prompt'; readonly name: string; readonly arguments: Record<string, string> };

export interface ServerReads {
  /** Resolves with what was read, or when the signal fires. Rejects with an `McpFailure`. */
  read(request: ReadRequest, signal: AbortSignal): Promise<readonly ContentBlock[] | 'stopped'>;
}

/** Entries of a list that are shown. */
const maxEntries = 500;

/** Sends the request. Rejects with what the SDK throws. */
export async function readFrom(
  client: Client,
  request: ReadRequest,
  options: RequestOptions,
): Promise<readonly ContentBlock[]> {
  switch (request.kind) {
    case 'resources':
      return (await listResources(client, options)).map(block);
    case 'resource': {
      const { contents } = await client.request({ method: 'resources/read', params: { uri: request.uri } }, options);
      return contents.map((resource) => ({ type: 'resource', resource }));
    }
    case 'prompts': {
      const { prompts } = await client.listPrompts(undefined, options);
      return prompts.slice(0, maxEntries).map(({ name, description, arguments: args = [] }) => {
        const fields = args.map((one) => `${one.name}${one.required ? '' : '?'}`).join(', ');
        return block(entry(`${name}(${fields})`, description));
      });
    }
    case 'prompt': {
      const { name, arguments: args } = request;
      const { messages } = await client.request({ method: 'prompts/get', params: { name, arguments: args } }, options);
      return messages.flatMap(({ role, content }) => [block(`${role}:`), content]);
    }
  }
}

async function listResources(client: Client, options: RequestOptions): Promise<readonly string[]> {
  const { resources } = await client.listResources(undefined, options);
  const { resourceTemplates } = await client
    .listResourceTemplates(undefined, options)
    .catch(() => ({ resourceTemplates: [] })); // many servers have none
  return [
    ...resources.map(({ uri, title, name, description }) => entry(uri, description ?? title ?? name)),
    ...resourceTemplates.map(({ uriTemplate, title, name, description }) =>
      entry(uriTemplate, description ?? title ?? name),
    ),
  ].slice(0, maxEntries);
}

const entry = (name: string, about: string | undefined) => (about === undefined ? name : `${name}: ${about}`);

const block = (text: string): ContentBlock => ({ type: 'text', text });
