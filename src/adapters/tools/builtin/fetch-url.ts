// Tool `fetch_url`: a text from the web, over redirects, each of which is checked like the first address.
import { z } from 'zod';
import type { Tool, ToolEnd } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { failedEnd, stoppedEnd, ToolRefusal } from '../../../core/tools/refusal.ts';
import type { AddressPolicy } from '../address-policy.ts';
import { type Resolve, systemResolve } from '../checked-lookup.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { type HttpResponse, httpGet } from './http-get.ts';

export interface FetchOptions {
  readonly limits: BuiltinLimits;
  readonly addresses: AddressPolicy;
  /** Looks host names up; as the system does by default. */
  readonly resolve?: Resolve | undefined;
}

const textual = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b|application\/(javascript|ecmascript|x-ndjson|yaml)\b)/i;

/** Decodes the body. Throws a `ToolRefusal` if it is no text. */
function textOf({ headers, body }: HttpResponse): string {
  const type = headers['content-type'] ?? 'text/plain';
  if (!textual.test(type)) throw new ToolRefusal('tool_failed', `The response is ${type}, not a text.`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new ToolRefusal('tool_failed', `The response is encoded as ${encoding}, which was not accepted.`);
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString('utf8'); // an unknown charset
  }
}

/** Parses a URL, or the target of a redirect. Throws a `ToolRefusal` if it is no http or https URL. */
function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw new ToolRefusal('tool_failed', `${text} is no URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolRefusal('tool_failed', `Only http and https URLs are fetched, not ${url.protocol}//.`);
  }
  return url;
}

/** The call's timeout, which fires its signal, limits all redirects together. */
async function get(first: string, signal: AbortSignal, options: FetchOptions): Promise<ToolEnd> {
  const { limits, addresses, resolve = systemResolve } = options;
  let url = parseUrl(first);
  for (let hops = 0; hops <= limits.redirects; hops++) {
    const response = await httpGet(url, { signal, addresses, resolve, maxBytes: limits.fetchBytes });
    if (response.isRedirect) {
      url = parseUrl(response.headers.location ?? '', url);
      continue;
    }
    const output = `HTTP ${response.status} ${url.href}\n\n${textOf(response)}`;
    if (response.status < 400) return { kind: 'completed', output };
    return { kind: 'failed', code: 'tool_failed', message: `HTTP ${response.status}`, output };
  }
  throw new ToolRefusal('tool_failed', `${first} redirects more than ${limits.redirects} times.`);
}

/** Makes the tool `fetch_url`. */
export function fetchUrlTool(options: FetchOptions): Tool {
  const { fetchBytes } = options.limits;
  return defineTool({
    name: 'fetch_url',
    description: `Gets a text by HTTP (GET), at most ${fetchBytes} bytes. Private and local addresses are refused unless the configuration allows them.`,
    input: z.object({ url: z.string().min(1).max(8_192).describe('An http or https URL.') }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    timeoutMs: 60_000,
    async run({ url }, { signal }) {
      if (signal.aborted) return stoppedEnd;
      try {
        return await get(url, signal, options);
      } catch (error) {
        return signal.aborted ? stoppedEnd : failedEnd(error, url);
      }
    },
  });
}
