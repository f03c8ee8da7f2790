// Classifies the errors of the openai client: a failure code, and whether the same request may be sent again.
import OpenAI from 'openai';
import type { FailureCode } from '../../machines/codes.ts';
import { fieldsOf } from '../collections/untrusted-fields.ts';
import type { Clock } from '../sources/sources.ts';
import { retryAfterMs } from './retry.ts';

export interface Failure {
  readonly code: FailureCode;
  /** One sentence; at most `maxMessageChars`. */
  readonly message: string;
  /** The request may succeed when it is sent again, provided that nothing of the response has arrived. */
  readonly isTransient: boolean;
  /** The wait that the endpoint asked for. */
  readonly retryAfterMs: number | null;
}

export const maxMessageChars = 500;

/** A failure, its message cut to `maxMessageChars`. */
export function createFailure(
  code: FailureCode,
  message: string,
  isTransient = false,
  afterMs: number | null = null,
): Failure {
  return { code, message: message.slice(0, maxMessageChars), isTransient, retryAfterMs: afterMs };
}

/** Classifies what the client threw; `clock` tells how far away a `retry-after` date is. */
export function classifyFailure(error: unknown, clock: Clock): Failure {
  const message = messageOf(error);
  const transport = transportCodeOf(error);
  if (transport && timeoutCodes.has(transport)) return createFailure('model_timed_out', message);
  if (error instanceof OpenAI.APIConnectionError) return createFailure('model_unreachable', message, true);
  if (error instanceof OpenAI.APIError) {
    const { code, isTransient } = classifyStatus(statusOf(error), error.code ?? error.type);
    return createFailure(code, message, isTransient, retryAfterMs(error.headers, clock));
  }
  // fetch ends a body whose connection broke with a TypeError that has the socket's error as its cause
  if (transport) return createFailure('model_cut_off', message, true);
  return createFailure('model_malformed', message); // no JSON, no chunk, over a limit
}

/** An error in the middle of a stream (`data: {"error": …}`) may have the status in its code. */
function statusOf(error: InstanceType<typeof OpenAI.APIError>): number {
  return error.status ?? (Number(error.code) || 0);
}

function classifyStatus(status: number, name: unknown): { readonly code: FailureCode; readonly isTransient: boolean } {
  if (status === 401 || status === 403) return { code: 'model_unauthorized', isTransient: false };
  if (name === 'insufficient_quota') return { code: 'model_rate_limited', isTransient: false };
  if (status === 429 || /rate_limit/.test(String(name))) return { code: 'model_rate_limited', isTransient: true };
  if (status === 408 || status >= 500) return { code: 'model_unavailable', isTransient: true };
  if (status >= 400 || name === 'invalid_request_error') return { code: 'model_rejected', isTransient: false };
  return { code: 'model_unavailable', isTransient: true }; // an error inside a stream, without a status
}

/** fetch gives up after 300 s between bytes. A timeout of the connect is not among these: it is no silence of the endpoint. */
const timeoutCodes: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** The system's or fetch's code at the bottom of the chain of causes. */
function transportCodeOf(error: unknown): string | null {
  const bottom = rootCauseOf(error);
  const { code } = fieldsOf(bottom);
  return bottom !== error && typeof code === 'string' ? code : null;
}

const maxCauses = 8;

/** The last cause of the error: that of the system or of fetch. */
function rootCauseOf(error: unknown): unknown {
  let bottom = error;
  for (let i = 0; i < maxCauses && bottom instanceof Error && bottom.cause instanceof Error; i++) bottom = bottom.cause;
  return bottom;
}

function messageOf(error: unknown): string {
  const bottom = rootCauseOf(error);
  const messages = [error, ...(bottom === error ? [] : [bottom])].map((each) =>
    each instanceof Error ? each.message || each.name : String(each),
  );
  return messages.filter((message) => message !== '').join(' ');
}
