// Responses that depart from the standard, each as a server that people run has sent it: they are understood, or fail by name.
import { describe, expect, test } from 'vitest';
import type { CallInputPiece, ModelEnd } from '../../../src/core/contracts/provider.ts';
import { request } from '../../contract/provider.ts';
import {
  chunk,
  type DialectReply,
  finished,
  fragments,
  startDialectServer,
} from '../../support/strict/dialect-server.ts';
import { hasty, providerAt } from './at-endpoint.ts';

interface Seen {
  readonly end: ModelEnd;
  readonly text: string;
  readonly reasoning: string;
  readonly inputs: readonly CallInputPiece[];
}

async function ask(reply: DialectReply): Promise<Seen> {
  const { url } = await startDialectServer(() => reply);
  const seen = { text: '', reasoning: '', inputs: [] as CallInputPiece[] };
  const end = await providerAt(url, { clock: hasty }).stream(request, {
    signal: new AbortController().signal,
    onText(text) {
      seen.text += text;
    },
    onReasoning(text) {
      seen.reasoning += text;
    },
    onCallInput: (piece) => seen.inputs.push(piece),
  });
  return { end, ...seen };
}

const stop = finished('stop');
const toolCalls = finished('tool_calls');
const fn = (name: string, args?: unknown) => ({ function: { name, arguments: args } });
const whole = (message: object, finish: unknown = 'stop') => ({
  json: { choices: [{ index: 0, message, finish_reason: finish }] },
});

/** What is asserted of a response: its calls as `name arguments`, and fields of its end. */
interface Expected {
  readonly text?: string;
  readonly reasoning?: string;
  readonly finish?: string;
  readonly calls?: readonly string[];
  readonly usage?: object;
  readonly code?: string;
  readonly message?: RegExp;
}

type RowOf = readonly [what: string, reply: DialectReply, expected: Expected];

const texts: readonly RowOf[] = [
  [
    'a content of parts',
    { events: [chunk({ content: [{ type: 'text', text: 'Hel' }, 'lo'] }), stop] },
    { text: 'Hello', finish: 'stop' },
  ],
  [
    'a part in place of a content',
    { events: [chunk({ content: { type: 'text', text: 'Hi' } }), stop] },
    { text: 'Hi' },
  ],
  [
    'a part that cannot be shown',
    { events: [chunk({ content: [{ type: 'image_url', image_url: {} }] }), stop] },
    { text: '[image_url]' },
  ],
  [
    'images beside the content',
    { events: [chunk({ content: 'See: ', images: [{}] }), stop] },
    { text: 'See: [image]' },
  ],
  [
    'a transcript of audio',
    { events: [chunk({ audio: { data: 'x', transcript: 'Said.' } }), stop] },
    { text: 'Said.' },
  ],
  [
    'a message in place of a delta',
    { events: [{ choices: [{ message: { content: 'Whole' }, finish_reason: 'stop' }] }] },
    { text: 'Whole', finish: 'stop' },
  ],
  ['the text of the older API', { events: [{ choices: [{ text: 'Old', finish_reason: 'stop' }] }] }, { text: 'Old' }],
  [
    'an empty content and no text at all',
    { events: [chunk({ role: 'assistant', content: '' }), chunk({ content: null }), stop] },
    { text: '', finish: 'stop' },
  ],
  [
    'choices that are counted from 1',
    { events: [{ choices: [{ index: 1, delta: { content: 'Hi' }, finish_reason: 'stop' }] }] },
    { text: 'Hi' },
  ],
  [
    'a choice whose index is a text',
    { events: [{ choices: [{ index: '0', delta: { content: 'Hi' } }] }, stop] },
    { text: 'Hi' },
  ],
  [
    'a content of nested parts',
    { events: [chunk({ content: { parts: [{ text: 'H' }, { text: 'i' }] } }), stop] },
    { text: 'Hi' },
  ],
  ['a choice without an index', { events: [{ choices: [{ delta: { content: 'Hi' } }] }, stop] }, { text: 'Hi' }],
];

const reasonings: readonly RowOf[] = [
  ...['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'thought'].map(
    (name): RowOf => [
      `reasoning as ${name}`,
      { events: [chunk({ [name]: 'Hm.' }), chunk({ content: 'Yes.' }), stop] },
      { text: 'Yes.', reasoning: 'Hm.', finish: 'stop' },
    ],
  ),
  [
    'reasoning by two names at once',
    { events: [chunk({ reasoning: 'Hm.', reasoning_content: 'Hm.' }), stop] },
    { reasoning: 'Hm.' },
  ],
  ['reasoning as an object', { events: [chunk({ reasoning: { content: 'Hm.' } }), stop] }, { reasoning: 'Hm.' }],
  [
    'reasoning in details alone',
    { events: [chunk({ reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }] }), stop] },
    { reasoning: 'Hm.' },
  ],
  [
    'reasoning as parts of the content',
    {
      events: [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
        chunk({ content: [{ type: 'text', text: 'Yes.' }] }),
        stop,
      ],
    },
    { text: 'Yes.', reasoning: 'Hm.' },
  ],
  [
    'reasoning between tags, cut at every place',
    { events: [...'<think>Hm.</think>\n\nYes.'].map((content) => chunk({ content })).concat(stop) },
    { text: 'Yes.', reasoning: 'Hm.' },
  ],
  [
    'a text that only looks like a tag',
    { events: [chunk({ content: ' <th' }), chunk({ content: 'e> </think>' }), stop] },
    { text: ' <the> </think>', reasoning: '' },
  ],
  [
    'reasoning alone',
    { events: [chunk({ content: '<think>Hm' }), stop] },
    { text: '', reasoning: 'Hm', finish: 'stop' },
  ],
];

const calls: readonly RowOf[] = [
  [
    'arguments as an object',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', { where: 'here' }) }), toolCalls] },
    { calls: ['look {"where":"here"}'], finish: 'tool_calls' },
  ],
  [
    'arguments as an object, twice',
    {
      events: [
        fragments({ index: 0, id: 'a', ...fn('look', { x: 1 }) }),
        fragments({ index: 0, id: 'a', ...fn('look', { x: 1 }) }),
        stop,
      ],
    },
    { calls: ['look {"x":1}'] },
  ],
  [
    'arguments encoded twice',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', '"{\\"x\\":1}"') }), toolCalls] },
    { calls: ['look {"x":1}'] },
  ],
  [
    'arguments that are null, or left out',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', null) }, { index: 1, id: 'b', ...fn('shell') }), stop] },
    { calls: ['look ', 'shell '], finish: 'tool_calls' },
  ],
  [
    'arguments as a list',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', [1]) }), stop] },
    { calls: ['look [1]'] },
  ],
  [
    'arguments called parameters',
    { events: [fragments({ index: 0, function: { name: 'look', parameters: { x: 1 } } }), stop] },
    { calls: ['look {"x":1}'] },
  ],
  [
    'a name and arguments beside each other',
    { events: [fragments({ index: 0, name: 'look', arguments: '{"x":1}' }), stop] },
    { calls: ['look {"x":1}'] },
  ],
  [
    'empty arguments that the real ones replace',
    {
      events: [
        fragments({ index: 0, id: 'a', ...fn('look', '{}') }),
        fragments({ index: 0, ...fn('', '{"x":1}') }),
        stop,
      ],
    },
    { calls: ['look {"x":1}'] },
  ],
  [
    'a call that is repeated whole in the last chunk',
    {
      events: [
        fragments({ index: 0, id: 'a', ...fn('look', '{"x"') }),
        fragments({ index: 0, ...fn('', ':1}') }),
        {
          choices: [
            { delta: { tool_calls: [{ index: 0, id: 'a', ...fn('look', '{"x":1}') }] }, finish_reason: 'stop' },
          ],
        },
      ],
    },
    { calls: ['look {"x":1}'] },
  ],
  [
    'the call of the API before there were several',
    {
      events: [
        chunk({ function_call: { name: 'look', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
        finished('function_call'),
      ],
    },
    { calls: ['look {"x":1}'], finish: 'tool_calls' },
  ],
  [
    'calls without index and id',
    { events: [fragments(fn('look', '{"x":1}'), fn('look', '{"x":2}')), fragments(fn('shell', '{}')), stop] },
    { calls: ['look {"x":1}', 'look {"x":2}', 'shell {}'] },
  ],
  [
    'calls with the index 0 and without id',
    {
      events: [
        fragments({ index: 0, ...fn('look', '{"x":1}') }),
        fragments({ index: 0, ...fn('look', '{"x":2}') }),
        fragments({ index: 0, ...fn('shell', '') }),
        fragments({ index: 0, ...fn('', '{"y":3}') }),
        stop,
      ],
    },
    { calls: ['look {"x":1}', 'look {"x":2}', 'shell {"y":3}'] },
  ],
  [
    'fragments without index that are mixed, with their ids',
    {
      events: [
        fragments({ id: 'a', ...fn('look', '{"x"') }),
        fragments({ id: 'b', ...fn('shell', '{"y"') }),
        fragments({ id: 'a', ...fn('', ':1}') }),
        fragments({ id: 'b', ...fn('', ':2}') }),
        stop,
      ],
    },
    { calls: ['look {"x":1}', 'shell {"y":2}'] },
  ],
  [
    'ids and indexes of other types',
    {
      events: [
        fragments({ index: '0', id: 7, ...fn('look', '{}') }),
        fragments({ index: '1', id: 8, ...fn('look', '{}') }),
        stop,
      ],
    },
    { calls: ['look {}', 'look {}'] },
  ],
  [
    'an id that is new with every fragment',
    {
      events: [
        fragments({ index: 0, id: 'a', ...fn('look', '{"x"') }),
        fragments({ index: 0, id: 'b', ...fn('', ':1}') }),
        fragments({ index: 1, id: 'c', ...fn('look', '{') }),
        fragments({ index: 1, id: 'd', ...fn('look', '"y":2}') }),
        stop,
      ],
    },
    { calls: ['look {"x":1}', 'look {"y":2}'] },
  ],
  [
    'a single call in place of a list',
    { events: [chunk({ tool_calls: { id: 'a', ...fn('look', '{}') } }), stop] },
    { calls: ['look {}'] },
  ],
  [
    'a call without a name',
    { events: [fragments({ index: 0, id: 'a', function: { arguments: '{"x":1}' } }), stop] },
    { calls: [' {"x":1}'], finish: 'tool_calls' },
  ],
  [
    'a call that finishes with stop',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', '{}') }), stop] },
    { finish: 'tool_calls' },
  ],
  [
    'tool_calls without a call',
    { events: [chunk({ content: 'Hi' }), toolCalls] },
    { text: 'Hi', calls: [], finish: 'stop' },
  ],
  [
    'a call that the output limit has cut',
    {
      events: [
        fragments({ index: 0, id: 'a', ...fn('look', '{"x":1}') }),
        fragments({ index: 1, id: 'b', ...fn('shell', '{"command":"rm') }),
        finished('length'),
      ],
    },
    { calls: ['look {"x":1}'], finish: 'length' },
  ],
  [
    'a call before the output limit',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', '{}') }), finished('length')] },
    { calls: ['look {}'], finish: 'length' },
  ],
];

const ends: readonly RowOf[] = [
  ['[DONE] without a finish reason', { events: [chunk({ content: 'Hi' })] }, { text: 'Hi', finish: 'stop' }],
  [
    '[DONE] without a finish reason after a call',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', '{"x":1}') })] },
    { calls: ['look {"x":1}'], finish: 'tool_calls' },
  ],
  [
    '[DONE] in the middle of a call',
    { events: [fragments({ index: 0, id: 'a', ...fn('look', '{"x":') })] },
    { code: 'model_cut_off' },
  ],
  [
    'an end without [DONE] and reason',
    { events: [chunk({ content: 'Hi' })], isDone: false },
    { text: 'Hi', code: 'model_cut_off' },
  ],
  [
    'the reason "null" with each chunk',
    { events: [chunk({ content: 'Hi' }, { finish_reason: 'null' }), stop] },
    { finish: 'stop' },
  ],
  ['a second finish reason', { events: [finished('length'), stop] }, { finish: 'length' }],
  ['reasons in capitals', { events: [chunk({ content: 'Hi' }), finished('MAX_TOKENS')] }, { finish: 'length' }],
  ['the filter of Google', { events: [finished('SAFETY')] }, { finish: 'content_filter' }],
  ['the filter of Zhipu', { events: [finished('sensitive')] }, { finish: 'content_filter' }],
  [
    'a reason that nobody knows',
    { events: [chunk({ content: 'Hi' }), finished('eos')] },
    { text: 'Hi', finish: 'stop' },
  ],
  ['a refusal', { events: [chunk({ refusal: 'I will not.' }), stop] }, { text: 'I will not.', finish: 'refusal' }],
  [
    'a refusal as a part',
    { events: [chunk({ content: [{ type: 'refusal', refusal: 'No.' }] }), stop] },
    { text: 'No.', finish: 'refusal' },
  ],
  [
    'the reason error',
    { events: [chunk({ content: 'Hi' }), finished('error')] },
    { code: 'model_unavailable', message: /"error"/ },
  ],
  ['a server that ran short', { events: [finished('insufficient_system_resource')] }, { code: 'model_unavailable' }],
  ['a call that Google could not read', { events: [finished('MALFORMED_FUNCTION_CALL')] }, { code: 'model_malformed' }],
];

const errors: readonly RowOf[] = [
  [
    'an error with empty choices',
    { events: [{ choices: [], error: { code: 502, message: 'Upstream is down' } }] },
    { code: 'model_unavailable', message: /Upstream is down/ },
  ],
  [
    'an error in a choice',
    { events: [chunk({ content: 'Hi' }), chunk({}, { error: { message: 'Lost', code: 400 } })] },
    { text: 'Hi', code: 'model_rejected', message: /Lost/ },
  ],
  [
    'an error without the field',
    { events: [{ object: 'error', message: 'No slot is free', code: 503 }] },
    { code: 'model_unavailable', message: /No slot is free/ },
  ],
  [
    'an error of DashScope',
    { events: [{ code: 'InvalidParameter', message: 'Bad range of input', request_id: 'r' }] },
    { message: /Bad range of input/ },
  ],
  [
    'an error of MiniMax',
    { events: [{ choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }] },
    { message: /insufficient balance/ },
  ],
  [
    'a list of errors',
    { json: { success: false, errors: [{ code: 10_000, message: 'Authentication error' }] } },
    { message: /Authentication error/ },
  ],
  ['a JSON without choices', { json: { hello: 'world' } }, { code: 'model_malformed' }],
  ['JSON whose choices are none', { json: { choices: [] } }, { code: 'model_malformed' }],
];

const plain: readonly RowOf[] = [
  ['a text', whole({ content: 'Hi', reasoning_content: 'Hm.' }), { text: 'Hi', reasoning: 'Hm.', finish: 'stop' }],
  [
    'calls without index',
    whole(
      {
        content: null,
        tool_calls: [
          { id: 'a', ...fn('look', '{}') },
          { id: 'b', ...fn('look', { x: 1 }) },
        ],
      },
      'tool_calls',
    ),
    { calls: ['look {}', 'look {"x":1}'], finish: 'tool_calls' },
  ],
  ['no finish reason', whole({ content: 'Hi' }, null), { text: 'Hi', finish: 'stop' }],
  ['a list of chunks', { json: [chunk({ content: 'Hi' }), stop] }, { text: 'Hi', finish: 'stop' }],
  ['the call of the older API', whole({ function_call: fn('look', '{}').function }), { calls: ['look {}'] }],
];

const exact = (input: number, output: number, more: object = {}) => ({ kind: 'exact', input, output, ...more });
const usageOf = (usage: object) => ({ events: [chunk({ content: 'Hi' }), finished('stop', { usage })] });

const usages: readonly RowOf[] = [
  [
    'of OpenAI, with details',
    usageOf({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }),
    { usage: exact(10, 5, { cachedInput: 8, reasoning: 3 }) },
  ],
  [
    'of DeepSeek',
    usageOf({ prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 7, prompt_cache_miss_tokens: 3 }),
    { usage: exact(10, 5, { cachedInput: 7 }) },
  ],
  [
    'of Moonshot, in the choice',
    {
      events: [
        chunk({ content: 'Hi' }),
        chunk({}, { finish_reason: 'stop', usage: { prompt_tokens: 4, completion_tokens: 2, cached_tokens: 1 } }),
      ],
    },
    { usage: exact(4, 2, { cachedInput: 1 }) },
  ],
  [
    'of Groq',
    {
      events: [
        chunk({ content: 'Hi' }),
        finished('stop', { x_groq: { usage: { prompt_tokens: 4, completion_tokens: 2 } } }),
      ],
    },
    { usage: exact(4, 2) },
  ],
  [
    'of OpenRouter, with its cost',
    usageOf({
      prompt_tokens: 10,
      completion_tokens: 5,
      cost: 0.0025,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 9 },
    }),
    { usage: exact(10, 5, { cachedInput: 0, cacheWrite: 9, cost: 0.0025 }) },
  ],
  [
    'of xAI, whose output leaves out reasoning',
    usageOf({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
      cost_in_usd_ticks: 25_000_000,
    }),
    { usage: exact(10, 25, { reasoning: 20, cost: 0.0025 }) },
  ],
  [
    'of Google, which counts thoughts in the total alone',
    usageOf({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 22 }),
    { usage: exact(10, 12, { reasoning: 7 }) },
  ],
  [
    'of llama.cpp, in its timings',
    { events: [chunk({ content: 'Hi' }), finished('stop', { timings: { prompt_n: 4, cache_n: 6, predicted_n: 2 } })] },
    { usage: exact(10, 2, { cachedInput: 6 }) },
  ],
  [
    'by the names of other APIs',
    usageOf({ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 }),
    { usage: exact(10, 5, { cachedInput: 2, cacheWrite: 3 }) },
  ],
  ['of zeros', usageOf({ prompt_tokens: 0, completion_tokens: 0 }), { usage: { kind: 'estimated' } }],
  [
    'that is null',
    { events: [chunk({ content: 'Hi' }, {}), finished('stop', { usage: null })] },
    { usage: { kind: 'estimated' } },
  ],
];

describe.each([
  ['text', texts],
  ['reasoning', reasonings],
  ['calls', calls],
  ['the end', ends],
  ['errors in a response', errors],
  ['a JSON answer to a stream', plain],
  ['usage', usages],
] as const)('%s', (_, rows) => {
  test.each(rows)('%s [model.dialects]', async (_what, reply, expected) => {
    const { end, text, reasoning } = await ask(reply);
    const { calls: madeCalls, code, message, finish, usage, ...pieces } = expected;
    expect({ text, reasoning }).toMatchObject(pieces);
    expect(end.kind).toBe(code || message ? 'failed' : 'completed');
    if (end.kind === 'failed') {
      expect(end.code).toBe(code ?? end.code);
      expect(end.message).toMatch(message ?? /./);
    } else {
      if (madeCalls) expect(end.calls.map((call) => `${call.name} ${call.arguments}`)).toEqual(madeCalls);
      if (end.kind === 'completed' && finish) expect(end.finish).toBe(finish);
      if (usage) expect(end.usage).toMatchObject(usage);
    }
  });
});

test('the pieces of arguments are passed on as they come [model.dialects]', async () => {
  const { inputs } = await ask({
    events: [
      fragments({ index: 0, id: 'a', ...fn('look', '') }),
      fragments({ index: 0, ...fn('', '{"x"') }),
      fragments({ index: 1, id: 'b', ...fn('shell', { y: 2 }) }),
      fragments({ index: 0, ...fn('', ':1}') }),
      toolCalls,
    ],
  });
  expect(inputs).toEqual([
    { position: 0, name: 'look', text: '' },
    { position: 0, name: 'look', text: '{"x"' },
    { position: 1, name: 'shell', text: '{"y":2}' },
    { position: 0, name: 'look', text: ':1}' },
  ]);
});
