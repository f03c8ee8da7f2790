// Reads what a server offers beside its tools: its resources and its prompts.

import type { Client, ContentBlock, RequestOptions } from '@modelcontextprotocol/client';
import type { ServerOffers } from '../../core/contracts/offers.ts';

export type ServerReadRequest =
  | { readonly kind: 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'prompt'; readonly name: string; readonly arguments: Record<string, string> };

/** What a server offers people. */
export type OfferLists = Pick<ServerOffers, 'resources' | 'prompts'>;

export interface ServerReads {
  /** Resolves with the lists, or when the signal fires. Rejects with an `McpFailure`. */
  listOffers(signal: AbortSignal): Promise<OfferLists | 'stopped'>;
  /** Resolves with what was read, or when the signal fires. Rejects with an `McpFailure`. */
  read(request: ServerReadRequest, signal: AbortSignal): Promise<readonly ContentBlock[] | 'stopped'>;
}

/** Entries of a list that are shown. */
const maxEntries = 500;

/** Sends the request. Rejects with what the SDK throws. */
export async function readFrom(
  client: Client,
  request: ServerReadRequest,
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

/** Sends the requests for the lists. Rejects with what the SDK throws. */
export async function listOffersOf(client: Client, options: RequestOptions): Promise<OfferLists> {
  const { resources: hasResources, prompts: hasPrompts } = client.getServerCapabilities() ?? {};
  const { resources } = hasResources ? await client.listResources(undefined, options) : { resources: [] };
  const { prompts } = hasPrompts ? await client.listPrompts(undefined, options) : { prompts: [] };
  return {
    resources: resources.slice(0, maxEntries).map(({ uri, title, name }) => ({ uri, name: title ?? name })),
    prompts: prompts.slice(0, maxEntries).map(({ name, arguments: given = [] }) => ({
      name,
      arguments: given.map((one) => ({ name: one.name, required: one.required === true })),
    })),
  };
}
