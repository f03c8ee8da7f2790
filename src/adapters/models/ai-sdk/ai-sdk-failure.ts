// Classifies what a model of the AI SDK has thrown. Errors are recognized by their fields: their packages may not be installed.
import { fieldsOf } from '../../../core/collections/fields.ts';
import type { Clock } from '../../../core/sources/sources.ts';
import { errorText } from '../../../core/text/error-text.ts';
import { classifyFailure, createFailure, type Failure } from '../classify-failure.ts';
import { ErrorResponse } from '../error-response.ts';
import { BrokenBody } from '../transport/broken-body.ts';

/** Names of errors that come before a request is sent, because of what it contains. */
const invalidRequests = /UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel|NoSuchProvider/;

/** Classifies an error. `hasStarted`: something of the response has arrived. */
export function classifyAiSdkFailure(error: unknown, hasStarted: boolean, clock: Clock): Failure {
  const { name, statusCode, responseHeaders, responseBody, data } = fieldsOf(error);
  if (/LoadAPIKey|LoadSetting/.test(String(name))) return createFailure('model_unauthorized', errorText(error));
  if (invalidRequests.test(String(name))) return createFailure('model_rejected', errorText(error));
  const body = responseBody ?? data;
  if (typeof statusCode === 'number')
    return classifyFailure(new ErrorResponse(statusCode, headersOf(responseHeaders), body ?? errorText(error)), clock);
  if (body !== undefined) return classifyFailure(new ErrorResponse(null, headersOf(responseHeaders), body), clock);
  if (!isNetworkError(error)) return classifyFailure(error, clock);
  const cause = error instanceof Error ? error : undefined;
  return classifyFailure(hasStarted ? new BrokenBody(cause) : new TypeError('fetch failed', { cause }), clock);
}

function headersOf(headers: unknown): Headers {
  const fields = Object.entries(fieldsOf(headers)).filter(([, value]) => typeof value === 'string');
  return new Headers(fields.map(([name, value]) => [name, String(value)]));
}

const maxCauses = 8;

/** Whether the error, or one of its causes, has a code of the network. */
function isNetworkError(error: unknown): boolean {
  let cause = error;
  for (let i = 0; i < maxCauses && cause instanceof Error; i++, cause = cause.cause) {
    if (/^(E[A-Z]{3,}|UND_ERR_|CERT_|DEPTH_|SELF_|UNABLE_)/.test(String(fieldsOf(cause)['code']))) return true;
    if (cause.message === 'fetch failed' || cause.message === 'terminated') return true;
  }
  return false;
}
