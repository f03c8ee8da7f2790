// Requests by the rules of each family of endpoints: at a server that refuses what the strictest endpoint of the family refuses.
import { expect, test } from 'vitest';
import type { Message, MessageCall } from '../../../machines/messages.ts';
import { type FamilyName, families, familyAt } from '../../../src/adapters/models/chat/families.ts';
import type { ModelEnd, ModelRequest, Provider } from '../../../src/core/contracts/provider.ts';
import { request as anyRequest, runModelCall } from '../../contract/provider.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import {
  chunk,
  type DialectReply,
  finished,
  fragments,
  startDialectServer,
} from '../../support/strict/dialect-server.ts';
import { type StrictProfile, strictProfiles } from '../../support/strict/strict-profiles.ts';
import { wireProblems } from '../../support/strict/wire-problems.ts';
import { hasty, providerAt } from './at-endpoint.ts';

const names = Object.keys(families) as FamilyName[]; // the keys of a literal

/** The model of each family whose rules are the strictest. */
const models: Partial<Record<FamilyName, string>> = { openai: 'gpt-5.6', gemini: 'gemini-3-pro', kimi: 'kimi-k2.6' };

test.each([
  ['https://api.openai.com/v1', 'openai'],
  ['https://eu.api.openai.com/v1', 'openai'],
  ['https://my-resource.openai.azure.com/openai/v1', 'openai'],
  ['https://generativelanguage.googleapis.com/v1beta/openai/', 'gemini'],
  ['https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/endpoints/openapi', 'gemini'],
  ['https://api.deepseek.com', 'deepseek'],
  ['https://api.moonshot.cn/v1', 'kimi'],
  ['https://api.mistral.ai/v1', 'mistral'],
  ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'qwen'],
  ['https://api.x.ai/v1', 'xai'],
  ['https://api.groq.com/openai/v1', 'groq'],
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://ollama.com/v1', 'ollama'],
  ['http://localhost:8080/v1', 'llamacpp'],
  ['http://192.168.1.20:8000/v1', 'vllm'],
  ['http://ollama:11434/v1', 'ollama'],
  ['http://127.0.0.1:1234/v1', 'lmstudio'],
  ['http://127.0.0.1:4000/v1', 'unknown'],
  ['https://example.org:8080/v1', 'unknown'],
  ['https://api.openai.com.example.org/v1', 'unknown'],
] as const)('%s is of the family %s [model.any]', (url, family) => {
  expect(familyAt(url)).toBe(family);
});

/** A response with two calls, as the family's thinking models make it. */
const callsOf: Partial<Record<FamilyName, readonly object[]>> = {
  gemini: [
    fragments(
      {
        index: 0,
        id: 'function-call-1',
        function: { name: 'look', arguments: '{"n":1}' },
        extra_content: { google: { thought_signature: 'sig==' } },
      },
      { index: 1, id: 'function-call-2', function: { name: 'look', arguments: '{"n":2}' } },
    ),
  ],
  openrouter: [
    chunk({ reasoning: 'Let ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Let ' }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'me.', signature: 's1' }] }),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'xyz' }] }),
    fragments({ index: 0, id: 'a1', function: { name: 'look', arguments: '{"n":1}' } }),
  ],
  mistral: [
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let ' }] }] }),
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'me.' }] }] }),
    fragments({ index: 0, id: 'D681PevKs', function: { name: 'look', arguments: '{"n":1}' } }),
  ],
};
const plainCalls = [
  chunk({ reasoning_content: 'Let ', reasoning: 'Let ' }),
  chunk({ reasoning_content: 'me look.', reasoning: 'me look.' }),
  fragments({ index: 0, id: 'call_same', function: { name: 'look', arguments: '{"n":1}' } }),
  fragments({ index: 1, id: 'call_same', function: { name: 'look', arguments: '{"n":2}' } }),
];

/** Plays an endpoint that refuses as the family's profile says, and calls tools for two rounds. */
const strictServer = (family: FamilyName) =>
  startDialectServer(({ body }): DialectReply => {
    const problems = wireProblems(body, strictProfiles[family]);
    if (problems.length > 0) return { status: 400, json: { error: { message: problems.join('; ') } } };
    const rounds = JSON.stringify(body['messages']).split('"role":"assistant"').length - 1;
    if (rounds >= 2) return { events: [chunk({ content: 'Done.' }), finished('stop')] };
    return { events: [...(callsOf[family] ?? plainCalls), finished('tool_calls')] };
  });

/** The messages that a response adds to a conversation, as the runtime renders them. */
function messagesAfter(end: ModelEnd, provider: Provider, round: number, text = ''): readonly Message[] {
  if (end.kind !== 'completed') throw new Error(JSON.stringify(end));
  const calls = end.calls.map(
    (call, i): MessageCall => ({ ...call, callId: `call_${round}_${i}`, givenId: call.callId }),
  );
  const state = end.state && { state: { provider: provider.name, model: provider.model ?? '', parts: end.state } };
  const results = calls.map(({ callId }): Message => ({ role: 'tool', callId, content: 'Nothing.' }));
  return [{ role: 'assistant', content: text, calls, ...state }, ...results];
}

const withoutState = (message: Message): Message => {
  if (message.role !== 'assistant') return message;
  const { state: _, ...rest } = message;
  return rest;
};

const start: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Look around.' },
];
const requestOf = (messages: readonly Message[]): ModelRequest => ({ ...anyRequest, messages, session: 's1' });

/** Has a conversation of three rounds. Returns its messages, and the bodies that the endpoint has taken. */
async function converse(family: FamilyName) {
  const server = await strictServer(family);
  const provider = providerAt(server.url, { family, model: models[family] ?? 'any', clock: hasty });
  let messages = start;
  for (let round = 0; round < 2; round++)
    messages = [...messages, ...messagesAfter(await runModelCall(provider, requestOf(messages)).end, provider, round)];
  const last = await runModelCall(provider, requestOf(messages)).end;
  return { server, provider, messages, last };
}

test.each(names)(
  '%s takes three rounds with thinking and parallel calls [model.any] [model.strict]',
  async (family) => {
    const { last, server } = await converse(family);
    expect(last).toMatchObject({ kind: 'completed', finish: 'stop' });
    expect(server.requests).toHaveLength(3);
  },
);

test.each(names)('%s takes calls whose state was dropped [model.strict] [model.state]', async (family) => {
  const { provider, messages } = await converse(family);
  const dropped = [...messages.map(withoutState), { role: 'assistant', content: 'Done.', calls: [] } as const];
  const next = await runModelCall(provider, requestOf([...dropped, { role: 'user', content: 'And now?' }])).end;
  expect(next).toMatchObject({ kind: 'completed' });
});

const assistants = (body: unknown) =>
  (body as { messages: Record<string, unknown>[] }).messages.filter(({ role }) => role === 'assistant');

test('what came with a response goes back with it, as it came [model.state]', async () => {
  const bodyOf = async (family: FamilyName) => assistants((await converse(family)).server.requests.at(-1)?.body)[0];
  expect(await bodyOf('deepseek')).toMatchObject({ reasoning_content: 'Let me look.' });
  expect(await bodyOf('vllm')).toMatchObject({ reasoning: 'Let me look.' });
  expect(await bodyOf('gemini')).toMatchObject({
    tool_calls: [
      { id: 'function-call-1', extra_content: { google: { thought_signature: 'sig==' } } },
      { id: 'function-call-2' },
    ],
  });
  expect(await bodyOf('openrouter')).toMatchObject({
    reasoning_details: [
      { type: 'reasoning.text', index: 0, text: 'Let me.', signature: 's1' },
      { type: 'reasoning.encrypted', index: 1, data: 'xyz' },
    ],
  });
  expect(await bodyOf('mistral')).toMatchObject({
    content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me.' }] }],
    tool_calls: [{ id: 'D681PevKs' }],
  });
});

const claude = { type: 'reasoning.text', format: 'anthropic-claude-v1' };
const thought = (...details: readonly object[]) => chunk({ reasoning_details: details });

/** The pieces of details, and the details that go back. */
test.each([
  [
    'a signature alone',
    [
      { ...claude, index: 0, text: 'Let me.' },
      { ...claude, index: 0, signature: 's1' },
    ],
    [{ ...claude, index: 0, text: 'Let me.', signature: 's1' }],
  ],
  [
    'a signature that is null with each text, and comes without index',
    [
      { ...claude, index: 0, text: 'Let ', signature: null },
      { ...claude, index: 0, text: 'me.', signature: null },
      { ...claude, text: '', signature: 's1' },
    ],
    [{ ...claude, index: 0, text: 'Let me.', signature: 's1' }],
  ],
  [
    'signatures after the pieces of other blocks',
    [
      { ...claude, index: 0, text: 'One.' },
      { ...claude, index: 1, text: 'Two.' },
      { ...claude, index: 0, signature: 's1' },
      { ...claude, index: 1, signature: 's2' },
    ],
    [
      { ...claude, index: 0, text: 'One.', signature: 's1' },
      { ...claude, index: 1, text: 'Two.', signature: 's2' },
    ],
  ],
  [
    'two blocks of one index',
    [
      { ...claude, index: 0, text: 'One.' },
      { ...claude, index: 0, signature: 's1' },
      { ...claude, index: 0, text: 'Two.' },
      { ...claude, index: 0, signature: 's2' },
    ],
    [
      { ...claude, index: 0, text: 'One.', signature: 's1' },
      { ...claude, index: 0, text: 'Two.', signature: 's2' },
    ],
  ],
  [
    'a block whose text is not shown',
    [{ ...claude, index: 0, signature: 's1' }],
    [{ ...claude, index: 0, signature: 's1' }],
  ],
  [
    'a block that was cut off before its signature',
    [
      { ...claude, index: 0, text: 'One.' },
      { ...claude, index: 0, signature: 's1' },
      { ...claude, index: 1, text: 'Tw' },
    ],
    [{ ...claude, index: 0, text: 'One.', signature: 's1' }],
  ],
  [
    'a summary before what is encrypted',
    [
      { type: 'reasoning.summary', index: 0, summary: 'Let ' },
      { type: 'reasoning.summary', index: 0, summary: 'me.' },
      { type: 'reasoning.encrypted', index: 0, data: 'x' },
    ],
    [
      { type: 'reasoning.summary', index: 0, summary: 'Let me.' },
      { type: 'reasoning.encrypted', index: 0, data: 'x' },
    ],
  ],
])('the details of a response go back whole: %s [model.state]', async (_, pieces, details) => {
  const call = fragments({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } });
  const events = [...pieces.map((piece) => thought(piece)), chunk({ content: 'Well.' }), call, finished('tool_calls')];
  const server = await startDialectServer(() => ({ events }));
  for (const family of ['openrouter', 'unknown'] as const) {
    const provider = providerAt(server.url, { family, model: 'anthropic/claude-sonnet-4.6', clock: hasty });
    const { end } = runModelCall(provider, requestOf(start));
    await runModelCall(provider, requestOf([...start, ...messagesAfter(await end, provider, 0, 'Well.')])).end;
    expect(assistants(server.requests.at(-1)?.body)[0]?.['reasoning_details'], family).toEqual(details);
  }
});

test('what has no signature at all goes back in no form [model.state]', async () => {
  const cut = chunk({ reasoning: 'Let', reasoning_details: [{ ...claude, index: 0, text: 'Let' }] });
  const server = await startDialectServer(() => ({ events: [cut, chunk({ content: 'We' }), finished('length')] }));
  const provider = providerAt(server.url, { family: 'openrouter', model: 'anthropic/claude-opus-4.6', clock: hasty });
  expect(await runModelCall(provider, requestOf(start)).end).not.toHaveProperty('state');
});

test('the fields of the last piece of a part of reasoning go back with it [model.state]', async () => {
  const events = [
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me.' }] }] }),
    chunk({ content: [{ type: 'thinking', closed: true }] }),
    fragments({ index: 0, id: 'D681PevKs', function: { name: 'look', arguments: '{}' } }),
    finished('tool_calls'),
  ];
  const server = await startDialectServer(() => ({ events }));
  const provider = providerAt(server.url, { family: 'mistral', model: 'magistral-medium-latest', clock: hasty });
  const { end } = runModelCall(provider, requestOf(start));
  await runModelCall(provider, requestOf([...start, ...messagesAfter(await end, provider, 0)])).end;
  expect(assistants(server.requests.at(-1)?.body)[0]).toMatchObject({
    content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me.' }], closed: true }],
  });
});

test('a first call that Gemini itself has not signed gets its placeholder [model.state]', async () => {
  const unsigned = [
    chunk({ extra_content: { google: { thought_signature: 'of the text' } }, content: 'Well.' }),
    fragments({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }),
    finished('tool_calls'),
  ];
  const server = await startDialectServer(() => ({ events: unsigned }));
  const provider = providerAt(server.url, { family: 'gemini', model: 'gemini-3-pro', clock: hasty });
  const { end } = runModelCall(provider, requestOf(start));
  await runModelCall(provider, requestOf([...start, ...messagesAfter(await end, provider, 0, 'Well.')])).end;
  expect(wireProblems(server.requests[1]?.body ?? {}, strictProfiles.gemini)).toEqual([]);
  expect(assistants(server.requests[1]?.body)[0]).toMatchObject({
    extra_content: { google: { thought_signature: 'of the text' } },
  });
});

test('calls without their reasoning are put into words where an endpoint would refuse them [model.state]', async () => {
  const { provider, messages, server } = await converse('deepseek');
  await runModelCall(provider, requestOf(messages.map(withoutState))).end;
  expect(server.requests.at(-1)?.body['messages']).toMatchObject([
    { role: 'system' },
    {
      role: 'user',
      content: expect.stringMatching(/Look around.*you called the tool look with \{"n":1\}.*Nothing\./s),
    },
  ]);
});

test('two endpoints never have the same name, and one has the same each time [model.state]', () => {
  const nameAt = (url: string) => providerAt(url).name;
  const urls = ['http://a.test/v1', 'http://b.test/v1', 'http://a.test:81/v1', 'http://a.test/v2'];
  expect(new Set(urls.map(nameAt)).size).toBe(urls.length);
  expect(nameAt('http://a.test/v1/')).toBe(nameAt('http://a.test/v1'));
});

test.each([
  ['http://user:secret@a.test/v1', { apiKey: 'k' }],
  ['http://a.test/v1', { apiKey: '' }],
])('%s with %j is refused when the provider is made', (url, options) => {
  expect(() => providerAt(url, options)).toThrow(RangeError);
});

test('the messages of every test are judged by the rules of each family, too [history.paired]', () => {
  const problems = pairingProblems([]);
  expect(problems).toEqual(expect.arrayContaining(names.map((name) => `${name}: no message comes from a user`)));
});

const withWords = names.filter((name) => 'emptyContentWords' in strictProfiles[name]);

test.each(withWords)(
  'an endpoint of no known family that refuses a content in the words of %s gets another one [model.dialects]',
  async (family) => {
    const { emptyContent, emptyContentWords } = { ...strictProfiles[family] } as StrictProfile;
    const profile = { ...strictProfiles.unknown, emptyContent, emptyContentWords } as StrictProfile;
    const server = await startDialectServer(({ body }): DialectReply => {
      const [problem] = wireProblems(body, profile);
      if (problem) return { status: 400, json: { error: { message: problem.replace(/^message \d+ /, '') } } };
      return { events: [chunk({ content: 'Done.' }), finished('stop')] };
    });
    // as a server that takes an empty text alone has been met before one that takes none
    const provider = providerAt(server.url, {
      family: emptyContent.includes('text') ? 'unknown' : 'qwen',
      clock: hasty,
    });
    const calls = [{ callId: 'call_1', name: 'look', arguments: '{}' }];
    const messages = [
      ...start,
      { role: 'assistant', content: '', calls } as const,
      { role: 'tool', callId: 'call_1', content: 'Nothing.' } as const,
    ];
    expect(await runModelCall(provider, requestOf(messages)).end).toMatchObject({ kind: 'completed' });
    expect(server.requests).toHaveLength(2);
  },
);
