// Classifies errors of the client that no endpoint on loopback can cause.
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { classifyFailure, maxMessageChars } from '../../src/model/classify-failure.ts';
import { createVirtualClock } from '../../src/sources/virtual.ts';

const caused = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`because ${code}`), { code }) });
const before = (code: string) => new OpenAI.APIConnectionError({ cause: caused(code) });

test.each([
  [before('ENOTFOUND'), 'model_unreachable', true],
  [
    Object.assign(new OpenAI.APIConnectionTimeoutError(), { cause: caused('UND_ERR_CONNECT_TIMEOUT') }),
    'model_unreachable',
    true,
  ],
  [before('UND_ERR_SOCKET'), 'model_unreachable', true],
  [before('UND_ERR_HEADERS_TIMEOUT'), 'model_timed_out', false],
  [caused('UND_ERR_BODY_TIMEOUT'), 'model_timed_out', false],
  [caused('UND_ERR_SOCKET'), 'model_cut_off', true],
  [new SyntaxError('no JSON'), 'model_malformed', false],
  [new TypeError('choice is null'), 'model_malformed', false],
  ['a text', 'model_malformed', false],
  [new OpenAI.APIError(undefined, { type: 'rate_limit_error' }, undefined, undefined), 'model_rate_limited', true],
  [new OpenAI.APIError(undefined, { type: 'invalid_request_error' }, undefined, undefined), 'model_rejected', false],
] as const)('%s', (error, code, isTransient) => {
  expect(classifyFailure(error, createVirtualClock())).toMatchObject({ code, isTransient });
});

test('the message names the cause and is cut to a limit', () => {
  expect(classifyFailure(before('ENOTFOUND'), createVirtualClock()).message).toBe(
    'Connection error. because ENOTFOUND',
  );
  expect(classifyFailure(new SyntaxError('x'.repeat(9_999)), createVirtualClock()).message).toHaveLength(
    maxMessageChars,
  );
});
