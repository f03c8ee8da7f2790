// Performs READ: lists the resources and prompts that the MCP servers of a session offer people, or reads one. It logs nothing: a SAY that follows has the content.
import { type ContentPart, textOfContent } from '../../../machines/content.ts';
import type { OfferRequest, OfferSource, ServerOffers } from '../contracts/offers.ts';
import type { SessionBlobs } from '../transcript/session-blobs.ts';
import type { OfferQuery, OfferReply } from './api.ts';

/** The limit of the content of one reply: a SAY has to carry it in a frame. */
const maxChars = 16_384;
/** The limit of the list of one reply, as JSON. */
const maxListChars = 16_384;

export interface ReadParts {
  readonly offers: OfferSource;
  readonly blobs: Pick<SessionBlobs, 'storeContent'>;
}

/** Resolves with a list, if the query names nothing to read. Rejects when the store fails. */
export async function readOffer(
  { server, resource, prompt, ...rest }: OfferQuery,
  parts: ReadParts,
): Promise<OfferReply> {
  if (server !== undefined && (resource !== undefined || prompt !== undefined))
    return readContent({ server, resource, prompt, ...rest }, parts);
  const all = await parts.offers.listOffers();
  const offers = server === undefined ? all : all.filter((one) => one.server === server);
  if (server !== undefined && offers.length === 0) return unknownServer(server, parts);
  return { type: 'read', offers: boundList(offers) };
}

async function readContent(request: OfferRequest, parts: ReadParts): Promise<OfferReply> {
  const content = await parts.offers.readOffer(request);
  if (content === null) return unknownServer(request.server, parts);
  if (!content.ok) return { type: 'not_readable', message: content.message };
  const stored = await parts.blobs.storeContent(content.parts);
  const { length } = textOfContent(stored);
  const name = `${request.server}:${request.resource ?? request.prompt}`;
  if (length > maxChars)
    return {
      type: 'not_readable',
      message: `${name} has ${length} characters; the limit is ${maxChars}. Ask for it in words: the model reads it with a tool.`,
    };
  const head: ContentPart = { type: 'text', text: `[${request.prompt === undefined ? 'resource' : 'prompt'} ${name}]` };
  return { type: 'read', parts: [head, ...stored] };
}

async function unknownServer(server: string, { offers }: ReadParts): Promise<OfferReply> {
  const names = (await offers.listOffers()).map((one) => one.server);
  const known = names.length === 0 ? 'none offers anything' : `there are ${names.join(', ')}`;
  return {
    type: 'not_readable',
    message: `This session has no MCP server ${server} with resources or prompts: ${known}.`,
  };
}

/** Leaves out what is over the limit, from the end of each list. */
function boundList(offers: readonly ServerOffers[]): readonly ServerOffers[] {
  let left = maxListChars;
  const fits = (entry: object) => {
    left -= JSON.stringify(entry).length;
    return left >= 0;
  };
  return offers.map(({ server, resources, prompts }) => ({
    server,
    prompts: prompts.filter(fits),
    resources: resources.filter(fits),
  }));
}
