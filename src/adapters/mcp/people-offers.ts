// Reads the resources and prompts of a server for people, who name them in what they say.
import type { LoadedPart } from '../../../machines/content.ts';
import type { OfferContent, OfferRequest, ServerOffers } from '../../core/contracts/offers.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { errorText } from '../../core/text/error-text.ts';
import type { McpLimits } from './mcp-limits.ts';
import { resultContent } from './result-text.ts';
import type { ServerReadRequest, ServerReads } from './server-reads.ts';
import { type Redact, redactedJson, redactedPart } from './server-secrets.ts';

export interface PeopleOffersOptions {
  /** The server's name in the configuration. */
  readonly serverName: string;
  readonly server: ServerReads;
  readonly clock: Clock;
  readonly limits: Pick<McpLimits, 'startMs'>;
  readonly redact: Redact;
}

/** Resolves with the lists of a server; null if it does not give them within `limits.startMs`. */
export async function listForPeople(options: PeopleOffersOptions): Promise<ServerOffers | null> {
  const { serverName, server, redact } = options;
  const lists = await within(options, (signal) => server.listOffers(signal)).catch(() => 'stopped' as const);
  return lists === 'stopped' ? null : { server: serverName, ...redactedJson(lists, redact) };
}

/** Resolves with the content, or with why there is none. */
export async function readForPeople(request: OfferRequest, options: PeopleOffersOptions): Promise<OfferContent> {
  const { serverName, server, limits, redact } = options;
  const failed = (why: string): OfferContent => ({
    ok: false,
    message: redact(`The MCP server ${serverName} ${why}.`),
  });
  try {
    const blocks = await within(options, (signal) => server.read(readRequestOf(request), signal));
    if (blocks === 'stopped') return failed(`did not respond within ${limits.startMs} ms`);
    const { output, parts = [{ type: 'text', text: output }] } = resultContent({ content: [...blocks] });
    const head = `[resource ${request.resource}]\n`; // the caller adds a head that also names the server
    const withoutHead = (part: LoadedPart) =>
      part.type === 'text' && part.text.startsWith(head) ? { ...part, text: part.text.slice(head.length) } : part;
    return { ok: true, parts: parts.map((part) => redactedPart(withoutHead(part), redact)) };
  } catch (error) {
    return failed(errorText(error));
  }
}

const readRequestOf = ({ resource, prompt = '', arguments: given = {} }: OfferRequest): ServerReadRequest =>
  resource === undefined
    ? { kind: 'prompt', name: prompt, arguments: { ...given } }
    : { kind: 'resource', uri: resource };

/** Reads with a signal that aborts after `limits.startMs`, and settles as the read does. */
async function within<T>(
  { clock, limits }: PeopleOffersOptions,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const overdue = new AbortController();
  const disarm = clock.after(limits.startMs, () => overdue.abort());
  return await read(overdue.signal).finally(disarm);
}
