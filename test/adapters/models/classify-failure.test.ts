// Classifies what a request has thrown, also what no endpoint on loopback can cause.
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { classifyFailure, createFailure, maxMessageChars } from '../../../src/adapters/models/classify-failure.ts';
import { ErrorResponse } from '../../../src/adapters/models/error-response.ts';
import { BrokenBody } from '../../../src/adapters/models/transport/read-body.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

const caused = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`because ${code}`), { code }) });
const before = (code: string) => new OpenAI.APIConnectionError({ cause: caused(code) });
const inStream = (error: object) => new ErrorResponse(null, new Headers(), { error });

test.each([
  [before('ENOTFOUND'), 'model_unreachable', true],
  [Object.assign(new OpenAI.APIConnectionTimeoutError(), { cause: caused('ETIMEDOUT') }), 'model_unreachable', true],
  [before('ECONNRESET'), 'model_unreachable', true],
  [before('SELF_SIGNED_CERT_IN_CHAIN'), 'model_unreachable', false],
  [before('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'model_unreachable', false],
  [before('ERR_REDIRECT_REFUSED'), 'model_rejected', false],
  [new BrokenBody(new Error('read ECONNRESET')), 'model_cut_off', true],
  [new SyntaxError('no JSON'), 'model_malformed', false],
  [new TypeError('choice is null'), 'model_malformed', false],
  ['a text', 'model_malformed', false],
  [inStream({ type: 'rate_limit_error' }), 'model_rate_limited', true],
  [inStream({ type: 'invalid_request_error' }), 'model_rejected', false],
  [inStream({ code: 'server_error' }), 'model_unavailable', true],
] as const)('%s', (error, code, isTransient) => {
  expect(classifyFailure(error, createVirtualClock())).toMatchObject({ code, isTransient });
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
