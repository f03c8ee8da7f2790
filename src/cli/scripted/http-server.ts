// The door of the scripted endpoint: HTTP on loopback in front of the generator. It does what the generator cannot: it notices
// when a client has closed the stream and ends the generator's, refuses messages that do not pair, and keeps a journal for tests.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../sources/sources.ts';
import { eventsOf, stopPoint } from './events.ts';
import type { Generator } from './generate.ts';
import { refusalOf } from './pairing.ts';
import { type Answer, fits, type RawBody, type Reply, type Rule, type WireRequest } from './reply.ts';
import { createJournal, type JournalEntry, maxJournalEntries } from './request-log.ts';

export const maxRequestBytes = 16 * 1_048_576;
/** From the last chunk to the cut: a client that finds its connection broken throws away what it has not read yet. */
export const cutAfterMs = 100;

export interface FrontOptions {
  readonly clock: Clock;
  readonly generator: Generator;
  /** Answers while there is no script. */
  readonly tour: (request: WireRequest) => Answer;
  /** Opens the doors for tests: the script and the journal. */
  readonly control: boolean;
}

/** Listens on a free port of 127.0.0.1; resolves with the base address for a client. */
export async function startFront({ clock, generator, tour, control }: FrontOptions): Promise<string> {
  const journal = createJournal(control ? maxJournalEntries : 0);
  const held = new Set<() => void>();
  let script: readonly Rule[] | null = null;
  let used: number[] = [];

  const decide = (request: WireRequest, entry: JournalEntry): Reply => {
    if (!script) return tour(request);
    const rule = script.findIndex(
      ({ when, times }, i) => (used[i] ?? 0) < (times ?? Number.POSITIVE_INFINITY) && fits(when ?? {}, request),
    );
    const chosen = script[rule];
    if (!chosen) return { status: 400, code: 'no_rule', message: 'No rule of the script fits this request.' };
    used[rule] = (used[rule] ?? 0) + 1;
    entry.rule = rule;
    return chosen.reply;
  };

  const complete = async (request: WireRequest, entry: JournalEntry, outgoing: Outgoing): Promise<void> => {
    const refused = refusalOf(request.messages);
    if (refused) return outgoing.refuse(refused.message, refused.param);
    const reply = decide(request, entry);
    if ('silent' in reply) return;
    const hang = async (): Promise<void> => {
      entry.hanging = true;
      await new Promise<void>((resolve) => {
        held.add(resolve);
        outgoing.closed.addEventListener('abort', () => resolve(), { once: true });
        if (outgoing.closed.aborted) resolve();
      });
      entry.hanging = false;
    };
    if ('raw' in reply) return sendRaw(reply, outgoing, hang);
    const upstream = await generator.generate(request, reply, outgoing.closed);
    const retryAfter =
      'status' in reply && reply.retryAfter !== undefined ? { 'retry-after': String(reply.retryAfter) } : {};
    outgoing.begin(upstream.statusCode ?? 502, {
      'content-type': upstream.headers['content-type'] ?? 'application/json',
      ...retryAfter,
    });
    const end = 'status' in reply ? 'finish' : (reply.end ?? (reply.half ? 'hang' : 'finish'));
    const stops = 'status' in reply || end === 'finish' ? () => false : stopPoint(reply);
    let stopped = false;
    for await (const event of eventsOf(upstream)) {
      if (!stopped && stops(event)) {
        stopped = true;
        if (end === 'cut') return outgoing.cut();
        await hang();
      }
      outgoing.write(event);
    }
    outgoing.end();
  };

  const server = http.createServer((incoming, response) => {
    const route = `${incoming.method} ${incoming.url}`;
    const json = (value: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const answer = async (): Promise<void> => {
      const text = await bodyOf(incoming);
      if (route === 'POST /v1/chat/completions') {
        const at = clock.now();
        const request = parseRequest(text);
        const entry = journal.arrived({
          at,
          model: request?.model ?? null,
          messages: request?.messages ?? [],
          tools: (request?.tools ?? []).map((tool) => tool.function.name),
        });
        const outgoing = openOutgoing(response, entry, clock);
        if (request) return complete(request, entry, outgoing);
        return outgoing.refuse('We could not parse the JSON body of your request.', 'body');
      }
      if (control && route === 'GET /__journal') return json(journal.entries);
      if (control && route === 'POST /__script') {
        script = (JSON.parse(text) as { rules: readonly Rule[] }).rules;
        used = [];
        return json({});
      }
      if (control && route === 'POST /__release') {
        for (const release of held) release();
        held.clear();
        return json({});
      }
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { message: `Unknown request URL: ${route}`, type: 'invalid_request_error' } }),
      );
    };
    answer().catch(() => response.destroy()); // the client has gone, or its body is too large
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** A response under way, and its line in the journal. */
interface Outgoing {
  /** Aborts when the connection has closed before the response was finished. */
  readonly closed: AbortSignal;
  begin(status: number, headers: http.OutgoingHttpHeaders): void;
  write(text: string): void;
  end(): void;
  cut(): void;
  refuse(message: string, param: string): void;
}

function openOutgoing(response: http.ServerResponse, entry: JournalEntry, clock: Clock): Outgoing {
  const closed = new AbortController();
  let how: 'closed_by_client' | 'cut' = 'closed_by_client';
  response.on('error', () => {}); // the client has gone while something was being written
  const ended = () => {
    entry.ended = { at: clock.now(), how: response.writableFinished ? 'finished' : how };
    if (!response.writableFinished) closed.abort();
  };
  if (response.closed)
    ended(); // while its body was read
  else response.on('close', ended);
  const outgoing: Outgoing = {
    closed: closed.signal,
    begin(status, headers) {
      entry.status = status;
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    write(text) {
      entry.sentBytes += Buffer.byteLength(text);
      response.write(text);
    },
    end() {
      response.end();
    },
    cut() {
      clock.after(cutAfterMs, () => {
        how = 'cut';
        response.destroy();
      });
    },
    refuse(message, param) {
      outgoing.begin(400, { 'content-type': 'application/json' });
      outgoing.write(JSON.stringify({ error: { message, type: 'invalid_request_error', param, code: null } }));
      outgoing.end();
    },
  };
  return outgoing;
}

async function sendRaw(reply: RawBody, outgoing: Outgoing, hang: () => Promise<void>): Promise<void> {
  outgoing.begin(reply.rawStatus ?? 200, { 'content-type': reply.contentType ?? 'text/event-stream' });
  if (reply.raw !== '') outgoing.write(reply.raw);
  if (reply.end === 'hang') await hang();
  if (reply.end === 'cut') outgoing.cut();
  else outgoing.end();
}

async function bodyOf(incoming: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxRequestBytes) throw new Error(`the body is over ${maxRequestBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function parseRequest(text: string): WireRequest | null {
  try {
    const body = JSON.parse(text) as Partial<WireRequest> | null;
    return Array.isArray(body?.messages) ? (body as WireRequest) : null;
  } catch {
    return null;
  }
}
