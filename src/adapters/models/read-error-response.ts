// Reads the response of an endpoint that has refused a request.
import { ErrorResponse } from './error-response.ts';
import { responseLimits } from './response-limits.ts';
import type { NodeResponse } from './transport/http-fetch.ts';
import { readTextUpTo } from './transport/read-body.ts';

/** Resolves with the error that a response of another status than 2xx is, with the beginning of its body. */
export async function readErrorResponse(response: Response | NodeResponse): Promise<ErrorResponse> {
  const body = await readTextUpTo(response, responseLimits.maxErrorBytes);
  return new ErrorResponse(response.status, response.headers, body);
}
