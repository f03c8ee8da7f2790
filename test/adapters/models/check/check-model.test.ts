// The checks of `belay check-model`, with models and endpoints that do well, badly, or not at all.
import { describe, expect, test } from 'vitest';
import { checkModel, isUsable } from '../../../../src/adapters/models/check/check-model.ts';
import type { CheckResult, ModelCheckName } from '../../../../src/adapters/models/check/check-result.ts';
import { responseTokens } from '../../../../src/adapters/models/check/trial.ts';
import type { ModelEnd, ModelRequest, ModelStream, Provider } from '../../../../src/core/contracts/provider.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import {
  chunk,
  type DialectReply,
  finished,
  fragments,
  type ReceivedRequest,
  startDialectServer,
} from '../../../support/strict/dialect-server.ts';
import { hasty, providerAt } from '../at-endpoint.ts';

const clock = systemSources.clock;
const says = (text: string): DialectReply => ({ events: [chunk({ content: text }), finished('stop')] });
const refuses = (message: string): DialectReply => ({ status: 400, json: { error: { message } } });
const call = (index: number, name: string, args: object) => ({
  index,
  id: `call-${index}`,
  function: { name, arguments: JSON.stringify(args) },
});
const cities = ['Oslo', 'Lima', 'Accra'];

/** What an endpoint does that is not as it should be: a reply by a part of the words of the check. */
type Faults = Readonly<Record<string, DialectReply>>;

const wordsOf = ({ body }: ReceivedRequest): string => JSON.stringify(body['messages']);

/** The replies of a model that does all that is asked of it. */
function goodReply(request: ReceivedRequest): DialectReply {
  const words = wordsOf(request);
  if (words.includes('"role":"tool"')) return says('Done.');
  if (words.includes('Add 1931'))
    return { events: [fragments(call(0, 'add_numbers', { a: 1931, b: 4207 })), finished('tool_calls')] };
  if (words.includes('Read the gauges'))
    return {
      events: [fragments(...cities.map((city, i) => call(i, 'read_gauge', { city }))), finished('tool_calls')],
    };
  if (words.includes('color')) return says(words.includes('data:image/png;base64,') ? 'Red.' : 'I see nothing.');
  if (words.includes('A bat'))
    return { events: [chunk({ reasoning_content: 'x + x + 1' }), chunk({ content: '0.05' }), finished('stop')] };
  return says('Ready.');
}

async function check(faults: Faults = {}, options = {}) {
  const server = await startDialectServer((request) => {
    const words = wordsOf(request);
    const fault = Object.keys(faults).find((part) => words.includes(part));
    return (fault === undefined ? undefined : faults[fault]) ?? goodReply(request);
  });
  const provider = providerAt(server.url, { clock: hasty });
  const results = await checkModel({ provider, clock, options });
  const found = Object.fromEntries(results.map((result) => [result.check, result])) as Record<
    ModelCheckName,
    CheckResult
  >; // one for each name
  return { server, results, found };
}

const states = (results: readonly CheckResult[]) => results.map(({ check: name, state }) => `${name} ${state}`);

describe('checkModel', () => {
  test('a response that comes whole cannot be stopped: that is said, with what to do', async () => {
    const { results, found } = await check();
    expect(states(results).slice(0, 5)).toEqual([
      'text works',
      'tool works',
      'parallel works',
      'image works',
      'reasoning works',
    ]);
    expect(found.parallel.detail).toContain('3 calls');
    expect(['works', 'fails']).toContain(found.cancel.state); // the client may read its end before the stop
  });

  test('tools that are refused, with the remedy', async () => {
    const { found, results } = await check({
      'Add 1931': refuses('"auto" tool choice requires --enable-auto-tool-choice'),
    });
    expect(found.tool).toMatchObject({
      state: 'fails',
      detail: expect.stringContaining('requires --enable-auto-tool-choice'),
      remedy: expect.stringContaining('--jinja'),
    });
    expect(isUsable(results)).toBe(false);
  });

  test('a tool that is written in words instead of called', async () => {
    const { found } = await check({ 'Add 1931': says('<tool_call>add_numbers(1931, 4207)</tool_call>') });
    expect(found.tool).toMatchObject({ state: 'fails', detail: expect.stringContaining('did not call the tool') });
  });

  test('arguments that are not those of the tool', async () => {
    const wrong = { events: [fragments(call(0, 'add_numbers', {})), finished('tool_calls')] };
    expect((await check({ 'Add 1931': wrong })).found.tool).toMatchObject({ state: 'fails' });
  });

  test('a result that is refused: the family is named', async () => {
    const { found } = await check({ '"role":"tool"': refuses('Unexpected role') });
    expect(found.tool).toMatchObject({ state: 'fails', remedy: expect.stringContaining('model.family') });
    expect(found.parallel).toMatchObject({ state: 'fails', remedy: expect.stringContaining('model.family') });
  });

  test('one call at a time, pictures that are not seen, reasoning that is not shown: partly', async () => {
    const { found, results } = await check({
      'Read the gauges': { events: [fragments(call(0, 'read_gauge', { city: 'Oslo' })), finished('tool_calls')] },
      color: says('Blue, perhaps.'),
      'A bat': says('0.05'),
    });
    expect(found.parallel).toMatchObject({
      state: 'partly',
      detail: expect.stringContaining('one call in a response'),
    });
    expect(found.image).toMatchObject({ state: 'partly', detail: expect.stringContaining('Blue, perhaps.') });
    expect(found.reasoning.state).toBe('partly');
    expect(results).toHaveLength(6);
  });

  test('a model that does not answer is asked nothing more', async () => {
    const { results, server } = await check({ ready: { status: 401, json: { error: { message: 'Bad key' } } } });
    expect(states(results)).toEqual([
      'text fails',
      ...['tool', 'parallel', 'image', 'reasoning', 'cancel'].map((name) => `${name} not_tried`),
    ]);
    expect(results[0]).toMatchObject({
      detail: expect.stringContaining('Bad key'),
      remedy: expect.stringContaining('Check the key'),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('each request is bounded, and has the configured options', async () => {
    const { server } = await check({}, { temperature: 0.3, extra: { seed: 7 } });
    expect(server.requests.length).toBeLessThan(12);
    for (const { body } of server.requests)
      expect(body).toMatchObject({ max_tokens: responseTokens, temperature: 0.3, seed: 7 });
    const few = await check({}, { maxOutputTokens: 100 });
    expect(few.server.requests[0]?.body).toMatchObject({ max_tokens: 100 });
  });
});

/** A provider that answers like a good model, and `cancel` as the test says. */
const providerOf = (long: (stream: ModelStream) => Promise<ModelEnd>): Provider => ({
  name: 'test',
  stream(request: ModelRequest, stream: ModelStream) {
    if (request.messages.at(-1)?.content.startsWith('Write the numbers')) return long(stream);
    stream.onText('Ready.');
    return Promise.resolve({ kind: 'completed', finish: 'stop', calls: [], usage });
  },
});
const usage = { kind: 'exact', input: 10, output: 5 } as const;
const stoppedEnd: ModelEnd = { kind: 'stopped', calls: [], usage };

describe('the check of cancel', () => {
  const cancelOf = async (long: (stream: ModelStream) => Promise<ModelEnd>) => {
    const results = await checkModel({
      provider: providerOf(long),
      clock,
      options: {},
      price: { input: 1e6, output: 0 },
    });
    return { ...results.at(-1), cost: results[0]?.usage.cost };
  };

  test('a stream that ends at once works, and prices count', async () => {
    const result = await cancelOf(async (stream) => {
      stream.onText('one');
      return stoppedEnd;
    });
    expect(result).toMatchObject({ check: 'cancel', state: 'works', requests: 2, cost: 10 });
  });

  test('a stream that ends late fails', async () => {
    const result = await cancelOf(async (stream) => {
      stream.onText('one');
      await new Promise((resolve) => clock.after(400, () => resolve(null)));
      return stoppedEnd;
    });
    expect(result).toMatchObject({ state: 'fails', detail: expect.stringMatching(/ended \d+ ms after the stop/) });
  });

  test('text after the stop fails', async () => {
    const result = await cancelOf(async (stream) => {
      stream.onText('one');
      stream.onText('two');
      return stoppedEnd;
    });
    expect(result).toMatchObject({ state: 'fails', detail: 'More of the response was shown after the stop.' });
  });

  test('a response that has no pieces fails', async () => {
    const result = await cancelOf(async () => ({ kind: 'completed', finish: 'empty', calls: [], usage }));
    expect(result).toMatchObject({ state: 'fails', detail: expect.stringContaining('as a whole') });
  });
});
