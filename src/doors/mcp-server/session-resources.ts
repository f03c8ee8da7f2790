// The resources of the door: the sessions that the speaker may read, what was said in them, and what was stopped. A call that was cancelled has no answer, so its receipt is read here.
import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { SequencedFact } from '../../../machines/facts.ts';
import { fieldsOf, namesOf } from '../../core/collections/fields.ts';
import { cancelsOf } from '../../core/reports/cancel-report.ts';
import type { SessionDirectory } from '../../core/session/api.ts';
import { factFrame } from '../../gateway/event-frames.ts';
import { sessionName } from '../../gateway/http/common-schemas.ts';
import type { McpRequest } from './mcp-request.ts';

const sessionsUri = 'belay://sessions';
const mimeType = 'application/json';
/** Sessions of the list of resources, and of the list of sessions: the newest. */
const listedResources = 32;
const listedSessions = 100;
/** Facts of a transcript, and those that the cancels are read from: the last ones. */
const transcriptFacts = 1_000;
const cancelFacts = 10_000;
const factsOfPage = 1_000;

const parts = {
  transcript: 'What was said and done in the session: its last 1 000 facts.',
  cancels: 'What was stopped in the session: by whom, and what became of each node.',
} as const;
type Part = keyof typeof parts;
const partNames = namesOf(parts);

const uriOf = (session: string, part: Part) => `${sessionsUri}/${encodeURIComponent(session)}/${part}`;

/** Lists the newest sessions, each with its parts. */
export async function listResources(request: McpRequest): Promise<ListResourcesResult> {
  const { sessions } = await newestSessions(request, listedResources);
  return {
    resources: [
      { uri: sessionsUri, name: 'sessions', description: 'The newest sessions that the speaker may read.', mimeType },
      ...sessions.flatMap(({ session, title }) =>
        partNames.map((part) => ({
          uri: uriOf(session, part),
          name: `${session} ${part}`,
          description: title ?? parts[part],
          mimeType,
        })),
      ),
    ],
  };
}

/** Lists the addresses of the parts of any session. */
export const listTemplates = (): ListResourceTemplatesResult => ({
  resourceTemplates: partNames.map((part) => ({
    uriTemplate: `${sessionsUri}/{session}/${part}`,
    name: part,
    description: parts[part],
    mimeType,
  })),
});

/** Reads one. Rejects with `ResourceNotFoundError` also if the speaker may not read it. */
export async function readResource(request: McpRequest, uri: string): Promise<ReadResourceResult> {
  const content = await contentOf(request, uri);
  return { contents: [{ uri, mimeType, text: JSON.stringify(content) }] };
}

async function contentOf(request: McpRequest, uri: string): Promise<unknown> {
  if (uri === sessionsUri) return newestSessions(request, listedSessions);
  const { session, part } = parseUri(uri);
  const directory = await request.door.services.runtime.directory();
  const most = part === 'cancels' ? cancelFacts : transcriptFacts;
  const facts = await readLastFacts(request, directory, session, most).catch((error) => {
    throw fieldsOf(error)['code'] === 'access_denied' ? new ResourceNotFoundError(uri) : error;
  });
  if (part === 'cancels') return { session, cancels: cancelsOf(facts) };
  return { session, events: facts.map((fact) => factFrame(session, fact)).filter((frame) => frame !== null) };
}

async function newestSessions({ door, sender }: McpRequest, limit: number) {
  const directory = await door.services.runtime.directory();
  return directory.list(sender.caller, { after: null, limit, action: 'read', state: null, order: 'newest' });
}

function parseUri(uri: string): { readonly session: string; readonly part: Part } {
  const [, encoded = '', named] = /^belay:\/\/sessions\/([^/]+)\/([a-z]+)$/.exec(uri) ?? [];
  const part = partNames.find((one) => one === named);
  const session = sessionName.safeParse(decode(encoded));
  if (part === undefined || !session.success) throw new ResourceNotFoundError(uri);
  return { session: session.data, part };
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return ''; // it has a % without two hexadecimal digits of UTF-8
  }
}

/** Resolves with the last facts, at most so many, in order. */
async function readLastFacts(
  { sender: { caller } }: McpRequest,
  directory: SessionDirectory,
  session: string,
  most: number,
): Promise<readonly SequencedFact[]> {
  const pages: (readonly SequencedFact[])[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < most; read += factsOfPage) {
    const page = await directory.readFacts(caller, session, { after: 0, before, limit: factsOfPage });
    pages.unshift(page);
    const first = page[0]?.seq ?? 1;
    if (first <= 1) break;
    before = first;
  }
  return pages.flat();
}
