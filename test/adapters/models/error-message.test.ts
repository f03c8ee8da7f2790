// The message, names and status of an error, in the shapes that endpoints use.
import { expect, test } from 'vitest';
import { readError } from '../../../src/adapters/models/error-message.ts';

const openRouter = {
  error: {
    message: 'Provider returned error',
    code: 429,
    metadata: { raw: '{"error":{"message":"Slow down, please.","type":"overloaded"}}', provider_name: 'Example' },
  },
};
const google = [
  { error: { code: 400, message: 'Invalid value at tools[0].', status: 'INVALID_ARGUMENT', details: [] } },
];
const fastApi = {
  detail: [
    { loc: ['body', 'messages', 0], msg: 'Field required', type: 'missing' },
    { loc: ['body', 'model'], msg: 'Wrong', type: 'value_error' },
  ],
};

test.each([
  ['OpenAI', { error: { message: 'No.', type: 'invalid_request_error', code: 'bad', param: null } }, 'No.'],
  ['Anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'Overloaded'],
  ['Ollama', { error: 'model "x" not found, try pulling it first' }, 'model "x" not found, try pulling it first'],
  ['Google', google, 'Invalid value at tools[0].'],
  ['OpenRouter', openRouter, 'Provider returned error Slow down, please.'],
  ['FastAPI', fastApi, 'body.messages.0: Field required body.model: Wrong'],
  ['FastAPI, in words', { detail: 'Not Found' }, 'Not Found'],
  ['vLLM, Mistral', { object: 'error', message: 'Too long.', type: 'BadRequestError', code: 400 }, 'Too long.'],
  [
    'a list',
    { success: false, errors: [{ code: 7003, message: 'No route.' }, { message: 'Check.' }] },
    'No route. Check.',
  ],
  ['MiniMax', { base_resp: { status_code: 1004, status_msg: 'login fail' } }, 'login fail'],
  ['OAuth', { error: 'invalid_token', error_description: 'It has expired.' }, 'It has expired. invalid_token'],
  ['a problem', { title: 'Forbidden', detail: 'Your plan has no such model.' }, 'Your plan has no such model.'],
  ['an unknown object', { failure: 'quota' }, '{"failure":"quota"}'],
  ['a text', 'upstream\n  connect error', 'upstream connect error'],
  [
    'a page',
    '<!DOCTYPE html><html><head><title>502</title><style>a{}</style></head><body><h1>502 Bad Gateway</h1>nginx</body></html>',
    '502 Bad Gateway nginx',
  ],
  ['nothing', '', ''],
  ['null', { error: null }, '{"error":null}'],
])('%s', (_, body, message) => {
  expect(readError(body).message).toBe(message);
  if (typeof body !== 'string') expect(readError(JSON.stringify(body)).message).toBe(message);
});

test('names and status are found where they stand', () => {
  expect(readError(openRouter)).toMatchObject({ status: 429 });
  expect(readError(google)).toMatchObject({ status: 400, names: ['INVALID_ARGUMENT'] });
  expect(readError({ error: { code: 'insufficient_quota', type: 'quota' } })).toMatchObject({
    status: null,
    names: ['insufficient_quota', 'quota'],
  });
  expect(readError({ error: { code: '503' } })).toMatchObject({ status: 503 });
});

test('a body that nests without end is read in no time', () => {
  const deep = `${'{"error":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  expect(readError(deep).message.length).toBeGreaterThan(0);
  const wide = JSON.stringify({ errors: Array.from({ length: 5_000 }, () => ({ detail: [{ msg: 'x' }] })) });
  expect(readError(wide).message).toBe('x');
});
