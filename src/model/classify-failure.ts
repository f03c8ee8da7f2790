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
  /** Whether the same request may be sent again, if nothing of the response has arrived. */
  readonly isTransient: boolean;
  /** The wait that the endpoint asked for, in milliseconds; null: none. */
  readonly retryAfterMs: number | null;
}

export const maxMessageChars = 500;

/** Creates a failure. Cuts the message to `maxMessageChars`. */
export function createFailure(
  code: FailureCode,
  message: string,
  retry: Partial<Pick<Failure, 'isTransient' | 'retryAfterMs'>> = {},
): Failure {
  return { code, message: message.slice(0, maxMessageChars), isTransient: false, retryAfterMs: null, ...retry };
}

/** Classifies an exception of the client. `clock` converts the date in a `retry-after` header to a delay. */
export function classifyFailure(error: unknown, clock: Clock): Failure {
  const message = messageOf(error);
  const transport = transportCodeOf(error);
  if (transport && timeoutCodes.has(transport)) return createFailure('model_timed_out', message);
  if (error instanceof OpenAI.APIConnectionError)
    return createFailure('model_unreachable', message, { isTransient: true });
  if (error instanceof OpenAI.APIError) {
    const { code, isTransient } = classifyStatus(statusOf(error), error.code ?? error.type);
    return createFailure(code, message, { isTransient, retryAfterMs: retryAfterMs(error.headers, clock) });
  }
  // the connection broke: reading the body then throws a TypeError, whose cause is the socket's error
  if (transport) return createFailure('model_cut_off', message, { isTransient: true });
  return createFailure('model_malformed', message); // not JSON, not a chunk, or over a limit
}

/** Returns the status of an error, 0 if it has none. An error inside a stream (`data: {"error": …}`) may have it in its code. */
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

/** Codes of fetch after 300 s without a byte. A timeout while connecting is not one of them: it is classified as `model_unreachable`. */
const timeoutCodes: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Returns the code of the root cause, which the system or fetch has set; null if the error has no cause. */
function transportCodeOf(error: unknown): string | null {
  const rootCause = rootCauseOf(error);
  const { code } = fieldsOf(rootCause);
  return rootCause !== error && typeof code === 'string' ? code : null;
}

const maxCauses = 8;

/** Returns the last error in the chain of causes, the error itself if it has none. */
function rootCauseOf(error: unknown): unknown {
  let rootCause = error;
  for (let i = 0; i < maxCauses && rootCause instanceof Error && rootCause.cause instanceof Error; i++)
    rootCause = rootCause.cause;
  return rootCause;
}

function messageOf(error: unknown): string {
  const rootCause = rootCauseOf(error);
  const messages = [error, ...(rootCause === error ? [] : [rootCause])].map((each) =>
    each instanceof Error ? each.message || each.name : String(each),
  );
  return messages.filter((message) => message !== '').join(' ');
}
