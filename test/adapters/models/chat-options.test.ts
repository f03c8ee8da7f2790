// The options of a model call in the body of its request, and what an endpoint refuses.
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../machines/messages.ts';
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { ChatProviderOptions } from '../../../src/adapters/models/chat/chat-provider.ts';
import type { FamilyName } from '../../../src/adapters/models/chat/families.ts';
import { request, runModelCall } from '../../contract/provider.ts';
import { chunk, finished, startDialectServer } from '../../support/strict/dialect-server.ts';
import { hasty, providerAt } from './at-endpoint.ts';

const fine = { events: [chunk({ content: 'Fine.' }), finished('stop')] };

interface Sending extends Partial<ChatProviderOptions> {
  readonly session?: string;
}

/** Returns what is sent for the options. */
async function sent(options: ModelOptions, { session = 's1', ...provider }: Sending = {}) {
  const server = await startDialectServer(() => fine);
  const end = await runModelCall(providerAt(server.url, { clock: hasty, ...provider }), {
    ...request,
    options,
    session,
  }).end;
  expect(end.kind).toBe('completed');
  const [received] = server.requests;
  return { body: received?.body ?? {}, headers: received?.headers ?? {} };
}

const bodyAt = async (family: FamilyName, options: ModelOptions, model = 'any') =>
  (await sent(options, { family, model })).body;

describe('options', () => {
  test.each([
    ['unknown', { maxOutputTokens: 9, temperature: 0 }, { max_tokens: 9, temperature: 0 }],
    ['openai', { maxOutputTokens: 9 }, { max_completion_tokens: 9 }],
    ['unknown', { reasoningEffort: 'high' }, { reasoning_effort: 'high' }],
    ['openrouter', { reasoningEffort: 'high' }, { reasoning: { effort: 'high' } }],
    ['deepseek', { reasoningEffort: 'none' }, { thinking: { type: 'disabled' } }],
    ['qwen', { reasoningEffort: 'none' }, { enable_thinking: false }],
    ['qwen', { reasoningEffort: 'low' }, { enable_thinking: true, reasoning_effort: 'low' }],
    [
      'llamacpp',
      { reasoningEffort: 'low' },
      { chat_template_kwargs: { enable_thinking: true, reasoning_effort: 'low' } },
    ],
    ['vllm', { reasoningEffort: 'none' }, { chat_template_kwargs: { enable_thinking: false } }],
    ['unknown', { tools: 'none' }, { tool_choice: 'none', tools: [{ function: { name: 'look' } }] }],
    [
      'openai',
      { cache: 'long' },
      { prompt_cache_retention: '24h', prompt_cache_key: expect.stringMatching(/^\w{32}$/) },
    ],
    ['openrouter', { cache: 'long' }, { cache_control: { type: 'ephemeral', ttl: '1h' } }],
    [
      'unknown',
      { extra: { top_k: 40, stream_options: { include_usage: false } } },
      { top_k: 40, stream_options: { include_usage: false } },
    ],
  ] as const)('of %s: %j', async (family, options, fields) => {
    expect(await bodyAt(family, options)).toMatchObject(fields);
  });

  test.each([
    ['unknown', {}, ['temperature', 'max_tokens', 'reasoning_effort', 'prompt_cache_key', 'tool_choice']],
    ['mistral', {}, ['stream_options']],
    ['openai', { cache: 'off' }, ['prompt_cache_key', 'prompt_cache_retention']],
    ['ollama', { tools: 'none' }, ['tools', 'tool_choice']],
    ['unknown', { extra: { stream_options: null } }, ['stream_options']],
  ] as const)('%s gets for %j nothing of %j', async (family, options, names) => {
    const body = await bodyAt(family, options);
    for (const name of names) expect(body).not.toHaveProperty(name);
  });

  test('the key of the cache is the same for a session, differs between sessions, and does not contain the name', async () => {
    const keyOf = async (session: string) => (await sent({}, { family: 'openai', session })).body['prompt_cache_key'];
    expect(await keyOf('ann@example.org')).toBe(await keyOf('ann@example.org'));
    expect(await keyOf('ann@example.org')).not.toBe(await keyOf('bob@example.org'));
    expect(await keyOf('ann@example.org')).not.toContain('ann');
  });

  test('models that take tools only without reasoning get the effort none, unless another is asked for', async () => {
    expect(await bodyAt('openai', {}, 'gpt-5.6-terra')).toMatchObject({ reasoning_effort: 'none' });
    expect(await bodyAt('openai', { reasoningEffort: 'low' }, 'gpt-5.6')).toMatchObject({ reasoning_effort: 'low' });
    expect(await bodyAt('openai', {}, 'gpt-5.4')).not.toHaveProperty('reasoning_effort');
    const off = await bodyAt('openai', { tools: 'none' }, 'gpt-5.6');
    expect(off).not.toHaveProperty('reasoning_effort');
    expect(off).not.toHaveProperty('tools');
  });

  test('headers are sent', async () => {
    const { headers } = await sent({}, { headers: { 'x-title': 'Belay' } });
    expect(headers).toMatchObject({ 'x-title': 'Belay', authorization: 'Bearer test-key' });
  });

  test('a header may replace the key', async () => {
    const { headers } = await sent({}, { headers: { authorization: 'Basic abc' } });
    expect(headers.authorization).toBe('Basic abc');
  });
});

const called: readonly Message[] = [
  { role: 'user', content: 'Look.' },
  {
    role: 'assistant',
    content: '',
    calls: [{ callId: 'call_1', name: 'look', arguments: '{}' }],
    state: { provider: 'p', model: 'm', parts: [{ message: { reasoning_content: 'Hm.' }, calls: [], content: [] }] },
  },
  { role: 'tool', callId: 'call_1', content: 'Nothing.' },
];
const withoutState = called.map((message) =>
  message.role === 'assistant' ? { ...message, state: undefined } : message,
);

describe('an endpoint that refuses a field gets the request once more without it, and later ones too [model.dialects]', () => {
  const refusal = (message: string) => ({ status: 400, json: { error: { message } } });
  const has = (text: string) => (body: unknown) => JSON.stringify(body).includes(text);
  const table = [
    ['Unrecognized request argument supplied: stream_options', has('stream_options'), {}],
    [
      '[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]',
      has('stream_options'),
      {},
    ],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      has('"max_tokens"'),
      { options: { maxOutputTokens: 9 } },
    ],
    ["'messages.1' : property 'reasoning_content' is unsupported", has('reasoning_content'), { messages: called }],
    [
      "Function tools with reasoning_effort are not supported for gpt-7 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      (body: unknown) => !has('"reasoning_effort":"none"')(body),
      {},
    ],
    [
      '{"error":"System role not supported"}',
      has('"system"'),
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    ],
    [
      'The `reasoning_content` in the thinking mode must be passed back to the API.',
      has('tool_calls'),
      { messages: withoutState },
    ],
    [
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
      has('tool_calls'),
      { messages: withoutState },
    ],
    [
      'Function call is missing a thought_signature in functionCall parts.',
      (body: unknown) => !has('skip_thought_signature_validator')(body),
      { messages: withoutState },
    ],
    [
      "Invalid 'content': 'content' field must be a string or an array of objects.",
      has('"content":null'),
      { messages: called },
    ],
    ["Invalid value for 'content': expected a string, got null.", has('"content":null'), { messages: called }],
    ["'content' is a required property - 'messages.1'", has('"content":null'), { messages: called }],
    ['invalid message content type: <nil>', has('"content":null'), { messages: called }],
    ['messages.1.content.str - Input should be a valid string', has('"content":null'), { messages: called }],
    ['text content is empty', has('"content":null'), { messages: called }],
  ] as const;
  test.each(table)('%s', async (message, isRefused, more) => {
    const server = await startDialectServer(({ body }) => (isRefused(body) ? refusal(message) : fine));
    const provider = providerAt(server.url, { clock: hasty });
    const asked = { ...request, ...(more as object) };
    expect(await runModelCall(provider, asked).end).toMatchObject({ kind: 'completed' });
    expect(server.requests).toHaveLength(2);
    expect(await runModelCall(provider, asked).end).toMatchObject({ kind: 'completed' });
    expect(server.requests, 'it is remembered').toHaveLength(3);
  });

  test('a rejection that it cannot mend fails at once, in the words of the endpoint', async () => {
    const server = await startDialectServer(() => refusal('max_tokens is too large: 9000000'));
    const end = await runModelCall(providerAt(server.url), { ...request, options: { maxOutputTokens: 9_000_000 } }).end;
    expect(end).toMatchObject({
      kind: 'failed',
      code: 'model_rejected',
      message: expect.stringContaining('too large'),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('one that refuses always is asked twice, not for ever', async () => {
    const server = await startDialectServer(() => refusal('Unknown parameter: stream_options'));
    const end = await runModelCall(providerAt(server.url), request).end;
    expect(end).toMatchObject({ kind: 'failed', code: 'model_rejected' });
    expect(server.requests).toHaveLength(2);
  });

  test('an effort that was asked for is not given up', async () => {
    const message = "Function tools with reasoning_effort are not supported. Set reasoning_effort to 'none'.";
    const server = await startDialectServer(() => refusal(message));
    const end = await runModelCall(providerAt(server.url), { ...request, options: { reasoningEffort: 'high' } }).end;
    expect(end).toMatchObject({ kind: 'failed', message: expect.stringContaining("to 'none'") });
    expect(server.requests).toHaveLength(1);
  });
});

test('a short key does not blank out the message of an error, and secrets are taken out of it', async () => {
  const reply = { status: 401, json: { error: { message: 'a key is bad: secret-1234, a' } } };
  const server = await startDialectServer(() => reply);
  const end = await runModelCall(providerAt(server.url, { apiKey: 'a', headers: { 'x-key': 'secret-1234' } })).end;
  expect(end).toMatchObject({ kind: 'failed', message: expect.stringContaining('a key is bad: …, a') });
});

test('the secret of a header is taken out of an error that repeats it without its scheme', async () => {
  const reply = { status: 401, json: { error: { message: 'Incorrect key: secret-1234.' } } };
  const server = await startDialectServer(() => reply);
  const headers = { authorization: 'Bearer secret-1234' };
  const end = await runModelCall(providerAt(server.url, { headers })).end;
  expect(end).toMatchObject({ kind: 'failed', message: expect.stringContaining('Incorrect key: ….') });
});
