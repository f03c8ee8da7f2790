// Classifies what a request has thrown, also what no endpoint on loopback can cause.
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { classifyFailure, createFailure, maxMessageChars } from '../../../src/adapters/models/classify-failure.ts';
import { ErrorResponse } from '../../../src/adapters/models/error-response.ts';
import { BrokenBody } from '../../../src/adapters/models/transport/broken-body.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const caused = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`because ${code}`), { code }) });
const before = (code: string) => new OpenAI.APIConnectionError({ cause: caused(code) });
const always = Number.POSITIVE_INFINITY;
const answered = (status: number, body: unknown, headers = {}) => new ErrorResponse(status, new Headers(headers), body);
const inStream = (error: object) => new ErrorResponse(null, new Headers(), { error });

test.each([
  [before('ENOTFOUND'), 'model_unreachable', always],
  [Object.assign(new OpenAI.APIConnectionTimeoutError(), { cause: caused('ETIMEDOUT') }), 'model_unreachable', always],
  [before('ECONNRESET'), 'model_unreachable', always],
  [before('SELF_SIGNED_CERT_IN_CHAIN'), 'model_unreachable', 0],
  [before('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'model_unreachable', 0],
  [before('ERR_REDIRECT_REFUSED'), 'model_rejected', 0],
  [new BrokenBody(new Error('read ECONNRESET')), 'model_cut_off', always],
  [new SyntaxError('no JSON'), 'model_malformed', 0],
  [new TypeError('choice is null'), 'model_malformed', 0],
  ['a text', 'model_malformed', 0],
  [inStream({ type: 'rate_limit_error' }), 'model_rate_limited', always],
  [inStream({ type: 'invalid_request_error' }), 'model_rejected', 0],
  [inStream({ code: 'server_error' }), 'model_unavailable', always],
  [answered(503, '', { 'x-should-retry': 'false' }), 'model_unavailable', 0],
  [answered(409, '', { 'x-should-retry': 'true' }), 'model_rejected', always],
  [answered(503, '', { 'x-should-retry': 'perhaps' }), 'model_unavailable', always],
  [answered(503, '', { 'x-should-retry': 'constructor' }), 'model_unavailable', always],
  [answered(400, { error: { code: 'tool_use_failed', type: 'invalid_request_error' } }), 'model_rejected', 1],
] as const)('%s', (error, code, maxRetries) => {
  expect(classifyFailure(error, createVirtualClock())).toMatchObject({ code, maxRetries });
});

test('the message names the cause and the remedy, and only the first is cut', () => {
  const remedy = 'Check that the endpoint is running, and its address (OPENAI_BASE_URL, model.baseUrl).';
  expect(classifyFailure(before('ENOTFOUND'), createVirtualClock()).message).toBe(
    `Connection error. because ENOTFOUND ${remedy}`,
  );
  const { message } = createFailure('model_rejected', 'x'.repeat(9_999), { remedy: 'Do this.' });
  expect(message).toHaveLength(maxMessageChars);
  expect(message).toMatch(/x… Do this\.$/);
});

test.each([
  [
    '<html><head><title>503</title></head><body><h1>503 Service Unavailable</h1></body></html>',
    '503 Service Unavailable',
  ],
  ['503 upstream connect error', '503 upstream connect error'],
  ['5030 tokens are too many', '503 5030 tokens are too many'],
  ['', '503 Service Unavailable'],
])('the status is said once: %s', (body, message) => {
  expect(classifyFailure(answered(503, body), createVirtualClock()).message).toBe(message);
});
