// The Responses provider: its contract, what it reports while it streams, and what it does when a model refuses a field.
import { describe, expect, test } from 'vitest';
import { createResponsesProvider } from '../../../src/adapters/models/responses/responses-provider.ts';
import { isStrictSchema } from '../../../src/adapters/models/responses/strict-schema.ts';
import type { ProviderCall } from '../../../src/core/contracts/provider.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { describeProvider, request, runModelCall } from '../../contract/provider.ts';
import { openContractHarness } from '../../support/endpoints/contract-harness.ts';
import { openAIResponses } from '../../support/endpoints/openai-responses.ts';
import { type Play, startStandIn } from '../../support/endpoints/stand-in.ts';
import { hasty } from './at-endpoint.ts';

const { random } = systemSources;
const provider = (baseUrl: string) =>
  createResponsesProvider({ baseUrl, apiKey: 'test-key', model: 'gpt-6.1-terra', clock: hasty, random });

describeProvider('responses', () => openContractHarness(openAIResponses(), provider));

/** Has one response, and records what is reported meanwhile. */
async function streamed(play: Play, asked = request) {
  const endpoint = await startStandIn(openAIResponses());
  endpoint.play(play);
  const reported = { text: '', reasoning: '', input: '', calls: [] as ProviderCall[] };
  const end = await provider(endpoint.url).stream(asked, {
    signal: new AbortController().signal,
    onText(text) {
      reported.text += text;
    },
    onReasoning(text) {
      reported.reasoning += text;
    },
    onCallInput({ text }) {
      reported.input += text;
    },
    onProviderCall: (call) => void reported.calls.push(call),
  });
  return { end, endpoint, reported };
}

describe('a response', () => {
  test('reports reasoning, arguments and calls of the endpoint as they come, and keeps them for the next request', async () => {
    const { end, reported } = await streamed({
      reasoning: 'Hm, search first.',
      hosted: true,
      text: 'I look.',
      calls: [['look', { where: 'here' }]],
    });
    expect(reported).toMatchObject({ reasoning: 'Hm, search first.', text: 'I look.', input: '{"where":"here"}' });
    expect(reported.calls).toMatchObject([
      { name: 'web_search', state: 'running', effect: 'none' },
      { name: 'web_search', state: 'completed', effect: 'none' },
    ]);
    expect(end).toMatchObject({
      finish: 'tool_calls',
      usage: { kind: 'exact', input: 100, output: 20, cachedInput: 60, reasoning: 5 },
      state: [
        { type: 'reasoning' },
        { type: 'web_search_call' },
        { type: 'message', phase: 'commentary', from: 0, to: 7 },
        { type: 'function_call', position: 0 },
      ],
    });
  });

  test.each([
    ['length', 'length'],
    ['filter', 'content_filter'],
    ['refusal', 'refusal'],
  ] as const)('that ends by %s says so [model.ends]', async (ends, finish) => {
    const { end, reported } = await streamed({ text: 'No, I', ends });
    expect(end).toMatchObject({ kind: 'completed', finish });
    expect(reported.text).toBe('No, I');
  });

  test('that fails after it has started is a failure, and is not asked for again', async () => {
    const { end, endpoint } = await streamed({ text: 'Well', ends: 'error' });
    expect(end).toMatchObject({ kind: 'failed', code: 'model_unavailable', message: 'The server had an error.' });
    expect(endpoint.requests).toHaveLength(1);
  });

  test('that fails before anything of it has come is asked for again', async () => {
    const { end, endpoint } = await streamed({ ends: 'error' });
    expect(end).toMatchObject({ kind: 'failed', code: 'model_unavailable' });
    expect(endpoint.requests).toHaveLength(3);
  });
});

describe('a request', () => {
  test('has its options, a key of its session, and never a stored response', async () => {
    const options = {
      reasoningEffort: 'low',
      maxOutputTokens: 500,
      tools: 'none',
      extra: { store: true, top_p: 0.5 },
    } as const;
    const { endpoint } = await streamed({ text: 'Fine.' }, { ...request, options, session: 's' });
    expect(endpoint.last?.refusal).toBeNull();
    expect(endpoint.last?.body).toMatchObject({
      store: false,
      stream: true,
      max_output_tokens: 500,
      tool_choice: 'none',
      top_p: 0.5,
      reasoning: { effort: 'low', summary: 'auto' },
      prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test('has an image that a speaker has shown, and one of a tool', async () => {
    const image = { type: 'image', blob: 'b'.repeat(64), mediaType: 'image/png', bytes: 3 } as const;
    const endpoint = await startStandIn(openAIResponses());
    await provider(endpoint.url).stream(
      { ...request, messages: [{ role: 'user', content: '[image]', parts: [{ type: 'text', text: 'See:' }, image] }] },
      { signal: new AbortController().signal, onText() {}, readBlob: async () => new Uint8Array([1, 2, 3]) },
    );
    expect(endpoint.last?.body.input[0].content).toEqual([
      { type: 'input_text', text: 'See:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AQID', detail: 'auto' },
    ]);
  });

  test('to a model without reasoning is sent again without what it refuses, which is remembered', async () => {
    const endpoint = await startStandIn(openAIResponses({ reasons: false }));
    const one = provider(endpoint.url);
    for (let i = 0; i < 2; i++) expect(await runModelCall(one).end).toMatchObject({ kind: 'completed' });
    expect(endpoint.requests.map(({ refusal }) => refusal === null)).toEqual([false, false, true, true]);
  });

  test('is sent again also where another in flight was refused for the same field', async () => {
    const endpoint = await startStandIn(openAIResponses({ reasons: false }));
    const one = provider(endpoint.url);
    const ends = await Promise.all([runModelCall(one).end, runModelCall(one).end, runModelCall(one).end]);
    expect(ends.map(({ kind }) => kind)).toEqual(['completed', 'completed', 'completed']);
  });
});

test.each([
  [{ type: 'object', properties: {}, required: [], additionalProperties: false }, true],
  [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }, true],
  [{ type: 'object', properties: { a: { type: 'string' } }, required: [], additionalProperties: false }, false],
  [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, false],
  [
    {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
      required: ['a'],
      additionalProperties: false,
    },
    false,
  ],
  [
    {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'object' } } },
      required: ['a'],
      additionalProperties: false,
    },
    false,
  ],
])('%j is a strict schema: %s', (schema, isStrict) => {
  expect(isStrictSchema(schema)).toBe(isStrict);
});
