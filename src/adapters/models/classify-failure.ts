// Classifies what a request has thrown: a failure code, a message with a remedy, and how often the same request may be sent again.
import { STATUS_CODES } from 'node:http';
import type { FailureCode } from '../../../machines/codes.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Clock } from '../../core/sources/sources.ts';
import { truncate } from '../../core/text/bound-text.ts';
import { type ErrorContent, readError } from './error-message.ts';
import { ErrorResponse } from './error-response.ts';
import { retryAfterMs } from './retry.ts';
import { BrokenBody } from './transport/broken-body.ts';

export interface Failure {
  readonly code: FailureCode;
  /** What happened, in the endpoint's words where it has any, and what to do; at most `maxMessageChars`. */
  readonly message: string;
  /** How often the same request may be sent again, if nothing of the response has arrived. */
  readonly maxRetries: number;
  /** The wait that the endpoint asked for, in milliseconds; null: none. */
  readonly retryAfterMs: number | null;
}

export const maxMessageChars = 2_000;

/** Creates a failure. Cuts the message to `maxMessageChars`, but not the remedy after it. */
export function createFailure(
  code: FailureCode,
  message: string,
  retry: Partial<Pick<Failure, 'maxRetries' | 'retryAfterMs'>> & { readonly remedy?: string } = {},
): Failure {
  const { remedy = '', ...rest } = retry;
  const end = remedy === '' ? '' : ` ${remedy}`;
  const text = truncate(message, maxMessageChars - end.length - 1) + end;
  return { code, message: text, maxRetries: 0, retryAfterMs: null, ...rest };
}

/** Classifies an exception of a client, or of the reading of a response. `clock` converts the date in a `retry-after` header to a delay. */
export function classifyFailure(error: unknown, clock: Clock): Failure {
  const rootCause = rootCauseOf(error);
  if (rootCause instanceof ErrorResponse) return classifyResponse(rootCause, clock);
  if (error instanceof BrokenBody) return createFailure('model_cut_off', error.message, { maxRetries: unlimited });
  if (isFailedFetch(error)) return classifyConnection(messageOf(error), fieldsOf(rootCause)['code']);
  return createFailure('model_malformed', messageOf(error)); // not JSON, not a chunk, or over a limit
}

/** Whether the error, or one of its causes, is what `fetch` rejects with: no response has come. */
function isFailedFetch(error: unknown): boolean {
  let cause = error;
  for (let i = 0; i < maxCauses && cause instanceof Error; i++, cause = cause.cause)
    if (cause instanceof TypeError && cause.message === 'fetch failed') return true;
  return false;
}

function classifyConnection(message: string, code: unknown): Failure {
  if (code === 'ERR_REDIRECT_REFUSED') return createFailure('model_rejected', message);
  if (certificateCodes.test(String(code)))
    return createFailure('model_unreachable', message, { remedy: certificateRemedy });
  const remedy = 'Check that the endpoint is running, and its address (OPENAI_BASE_URL, model.baseUrl).';
  return createFailure('model_unreachable', message, { maxRetries: unlimited, remedy });
}

const certificateCodes = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;
const certificateRemedy = 'Name the file of its certificate authority in NODE_EXTRA_CA_CERTS.';

function classifyResponse({ status, headers, body }: ErrorResponse, clock: Clock): Failure {
  const content = readError(body);
  const number = status ?? content.status ?? 0; // an error inside a stream may have a status of its own
  const { code, maxRetries, remedy = '' } = classifyStatus(number, content.names);
  const asked = askedRetries.get(headers?.get('x-should-retry') ?? '');
  const retry = { maxRetries: asked ?? maxRetries, retryAfterMs: retryAfterMs(headers, clock), remedy };
  return createFailure(code, responseMessage(status, content), retry);
}

function responseMessage(status: number | null, { message }: ErrorContent): string {
  if (status === null) return message || 'The endpoint sent an error without a message.';
  if (message.startsWith(`${status} `)) return message; // a page of a proxy: its title has the number
  return `${status} ${message || (STATUS_CODES[status] ?? 'without a message')}`;
}

/** No limit of its own: the provider's counts. */
const unlimited = Number.POSITIVE_INFINITY;

/** What OpenAI and those that follow it say in `x-should-retry`: it counts more than the status. */
const askedRetries: ReadonlyMap<string, number> = new Map([
  ['true', unlimited],
  ['false', 0],
]);

interface Verdict extends Pick<Failure, 'code' | 'maxRetries'> {
  readonly remedy?: string;
}

function classifyStatus(status: number, names: readonly string[]): Verdict {
  if (status === 401 || status === 403) return unauthorized;
  if (names.includes('insufficient_quota')) return { code: 'model_rate_limited', maxRetries: 0 };
  if (status === 429 || names.some((name) => /rate_limit/.test(name)))
    return { code: 'model_rate_limited', maxRetries: unlimited };
  if (status === 408 || status >= 500) return { code: 'model_unavailable', maxRetries: unlimited };
  if (status === 404) return { code: 'model_rejected', maxRetries: 0, remedy: notFoundRemedy };
  // Groq: the model has written a call that is none, which it mostly does not do twice
  if (names.includes('tool_use_failed')) return { code: 'model_rejected', maxRetries: 1 };
  if (status >= 300 || names.includes('invalid_request_error')) return { code: 'model_rejected', maxRetries: 0 };
  return { code: 'model_unavailable', maxRetries: unlimited }; // an error inside a stream, without a status
}

const unauthorized: Verdict = {
  code: 'model_unauthorized',
  maxRetries: 0,
  remedy: 'Check the key (OPENAI_API_KEY, model.apiKey), and that it may use this model.',
};
const notFoundRemedy =
  "Check the model's name (BELAY_MODEL, model.name) and the endpoint's address (OPENAI_BASE_URL, model.baseUrl), which mostly ends with /v1.";

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
