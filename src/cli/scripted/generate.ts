// Generates the chunks of an answer as a provider would, with aimock.
// A fixture of aimock has one pace and one way to end, so each request gets a fixture of its own, found by its context header.
// aimock does not notice that its client has gone, and writes on until the text is over.
import http from 'node:http';
import { createServer, type Fixture, type FixtureResponse } from '@copilotkit/aimock';
import type { Answer, HttpError, ScriptedCall, WireRequest } from './reply.ts';

const defaultChunkChars = 16;

export interface Generator {
  /** The generator's response to the request. `signal` ends it; then the promise or the response's iteration rejects. */
  generate(request: WireRequest, reply: Answer | HttpError, signal: AbortSignal): Promise<http.IncomingMessage>;
}

/** Starts aimock on a free port of 127.0.0.1. */
export async function startGenerator(): Promise<Generator> {
  const fixtures: Fixture[] = [];
  const aimock = await createServer(fixtures, { port: 0, host: '127.0.0.1', strict: true, journalMaxEntries: 1 });
  let count = 0;
  return {
    generate(request, reply, signal) {
      const context = `reply-${count++}`;
      const fixture = fixtureFor(context, reply);
      fixtures.push(fixture);
      const body = JSON.stringify(
        'usage' in reply && reply.usage === 'none' ? { ...request, stream_options: undefined } : request,
      );
      return new Promise((resolve, reject) => {
        const upstream = http.request(
          `${aimock.url}/v1/chat/completions`,
          {
            method: 'POST',
            agent: false,
            signal,
            headers: { 'content-type': 'application/json', 'x-aimock-context': context },
          },
          resolve,
        );
        upstream.on('error', reject);
        upstream.on('close', () => {
          fixtures.splice(fixtures.indexOf(fixture), 1);
          aimock.journal.clear(); // its counts of matches would keep every fixture
        });
        upstream.end(body);
      });
    },
  };
}

function fixtureFor(context: string, reply: Answer | HttpError): Fixture {
  if ('status' in reply) return { match: { context }, response: errorResponse(reply) };
  const { firstMs, chunksPerSecond, chunkChars = defaultChunkChars } = reply.pace ?? {};
  return {
    match: { context },
    response: response(reply),
    chunkSize: chunkChars,
    streamingProfile: {
      ttft: firstMs ?? 0,
      ...(chunksPerSecond === undefined ? {} : { tps: chunksPerSecond, jitter: 0.3 }),
    },
  };
}

function response(answer: Answer): FixtureResponse {
  const calls = answer.half ? [...(answer.calls ?? []), answer.half] : (answer.calls ?? []);
  const overrides = {
    ...(answer.finishReason === undefined ? {} : { finishReason: answer.finishReason }),
    ...(typeof answer.usage === 'object'
      ? { usage: { prompt_tokens: answer.usage.input, completion_tokens: answer.usage.output } }
      : {}),
  };
  if (calls.length === 0) return { content: answer.text ?? '', ...overrides };
  return {
    blocks: [
      ...(answer.text ? [{ type: 'text' as const, text: answer.text }] : []),
      ...calls.map((call) => ({ type: 'toolCall' as const, ...wireCall(call) })),
    ],
    ...overrides,
  };
}

function wireCall(call: ScriptedCall): { name: string; arguments: string; id?: string } {
  return {
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    ...(call.id === undefined ? {} : { id: call.id }),
  };
}

function errorResponse(error: HttpError): FixtureResponse {
  return {
    status: error.status,
    error: {
      message: error.message ?? `The script answers with ${error.status}.`,
      type: errorTypes[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'server_error'),
      ...(error.code === undefined ? {} : { code: error.code }),
    },
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
  };
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};
