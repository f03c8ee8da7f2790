// The conversations that every family of endpoints must bear: after each of them the endpoint accepts the next request.
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Log } from '../../../src/core/contracts/log.ts';
import type { Provider } from '../../../src/core/contracts/provider.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { createRuntime, type EmbeddedRuntime } from '../../../src/embed/runtime.ts';
import { until } from '../until.ts';
import type { Play, StandIn } from './stand-in.ts';

export interface Family {
  readonly name: string;
  /** Starts an endpoint; the provider's is made for its address. */
  start(): Promise<StandIn>;
  provider(url: string): Provider;
  /** Whether the arguments of a call come in pieces; those that come whole cannot be cut off. */
  readonly streamsArguments?: boolean;
}

const look = defineTool({
  name: 'look',
  description: 'Looks somewhere.',
  input: z.object({ where: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: async ({ where }) => `Nothing at ${where}.`,
});

/** A tool with alternatives at the top of its schema, as some MCP servers declare them. */
const choose = defineTool({
  name: 'choose',
  description: 'Chooses by a name or by a number.',
  input: {
    type: 'object',
    anyOf: [
      { properties: { name: { type: 'string' }, kind: { type: 'string' } }, required: ['name', 'kind'] },
      { properties: { number: { type: 'integer' }, kind: { type: 'string' } }, required: ['number', 'kind'] },
    ],
  },
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: async () => 'Chosen.',
});

/** A tool whose schema has a name: it stands among its definitions, and its top only names it. */
const measure = defineTool({
  name: 'measure',
  description: 'Measures a place.',
  input: z.object({ place: z.string() }).meta({ id: 'Place' }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: async () => 'Measured.',
});

interface Conversation {
  readonly endpoint: StandIn;
  readonly runtime: EmbeddedRuntime;
  readonly log: Log;
  /** Says words, and resolves with the outcome of the turn. */
  say(words: string): Promise<string>;
  /** Says words, and stops the turn when the endpoint hangs. */
  sayAndStop(words: string): Promise<string>;
}

async function converse(family: Family, endpoint: StandIn, log: Log): Promise<Conversation> {
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider: family.provider(endpoint.url),
    tools: [look, choose, measure],
    log,
    host: 'host', // a second runtime of this name takes the sessions of the first, as after a crash
    warn: () => {},
  });
  onTestFinished(() => runtime.close({ force: true }));
  const session = await runtime.session('s');
  const ann = session.as('ann');
  return {
    endpoint,
    runtime,
    log,
    say: async (words) => (await ann.say(words).ended).outcome,
    async sayAndStop(words) {
      const turn = ann.say(words);
      await until(() => endpoint.last?.isHanging, { what: `the response to “${words}” to hang` });
      const count = endpoint.requests.length;
      await turn.cancel().settled;
      await until(() => endpoint.last?.ended === 'closed_by_client', { what: 'the socket to close' });
      expect(endpoint.requests).toHaveLength(count);
      return (await turn.ended).outcome;
    },
  };
}

async function begin(family: Family): Promise<Conversation> {
  return await converse(family, await family.start(), createMemoryLog());
}

/** Expects that one more turn is accepted, and that nothing was refused so far. */
async function expectAccepted({ endpoint, say }: Conversation): Promise<void> {
  endpoint.play({ text: 'Fine.' });
  expect(await say('Go on.')).toBe('completed');
  expect(endpoint.refusals()).toEqual([]);
}

const call = (where: string): NonNullable<Play['calls']> => [['look', { where }]];
const here = call('here');

/** Tests the conversations with an endpoint. */
export function describeConversations(family: Family): void {
  describe(`a conversation with ${family.name}`, () => {
    testWhole(family);
    testCut(family);
    testCrash(family);
  });
}

function testWhole(family: Family): void {
  test('text [model.any]', async () => {
    const conversation = await begin(family);
    conversation.endpoint.play({ text: 'Hello.' });
    expect(await conversation.say('Hi.')).toBe('completed');
    await expectAccepted(conversation);
  });

  test('tools over three rounds, and one more turn with tools [model.any]', async () => {
    const conversation = await begin(family);
    const { endpoint, say } = conversation;
    endpoint.play({ text: 'First.', calls: here }, { calls: call('there') }, { calls: call('') }, { text: 'Done.' });
    expect(await say('Look around.')).toBe('completed');
    endpoint.play({ calls: here }, { text: 'Again.' });
    expect(await say('Once more.')).toBe('completed');
    expect(endpoint.requests).toHaveLength(6);
    const [, second, third] = endpoint.requests.map(({ body }) => JSON.stringify(body));
    expect(second).toContain('Nothing at here.'); // the tool ran with the arguments of the call
    expect(third).toContain('Nothing at there.');
    await expectAccepted(conversation);
  });

  test('parallel calls [model.any] [tool.parallel]', async () => {
    const conversation = await begin(family);
    const { endpoint, say } = conversation;
    const calls: Play['calls'] = ['a', 'b', 'c'].map((where) => ['look', { where }]);
    endpoint.play({ text: 'All at once.', calls }, { calls }, { text: 'Done.' });
    expect(await say('Look around.')).toBe('completed');
    expect(endpoint.requests).toHaveLength(3);
    await expectAccepted(conversation);
  });

  test('thinking, with and without calls [model.any] [model.state]', async () => {
    const conversation = await begin(family);
    const { endpoint, say } = conversation;
    endpoint.play(
      {
        reasoning: 'I must look.',
        text: 'I look.',
        calls: [
          ['look', { where: 'a' }],
          ['look', { where: 'b' }],
        ],
      },
      { reasoning: 'Nothing there. Elsewhere?', calls: here },
      { reasoning: 'Nothing at all.', text: 'There is nothing.' },
    );
    expect(await say('Look around.')).toBe('completed');
    endpoint.play({ reasoning: 'Again?', calls: here }, { reasoning: 'Well.', text: 'Still nothing.' });
    expect(await say('Once more.')).toBe('completed');
    expect(endpoint.requests).toHaveLength(5);
    await expectAccepted(conversation);
  });

  test('a response that reached its longest length, or was filtered [model.any]', async () => {
    const conversation = await begin(family);
    const { endpoint, say } = conversation;
    for (const ends of ['length', 'filter'] as const) {
      endpoint.play({ reasoning: 'Long.', text: 'And so on', ends });
      await say('Tell me all.');
    }
    await expectAccepted(conversation);
  });
}

function testCut(family: Family): void {
  test('a stop before the first token [model.any] [cancel.fence]', async () => {
    const conversation = await begin(family);
    conversation.endpoint.play({ hang: 'start' });
    expect(await conversation.sayAndStop('Hi.')).toBe('cancelled');
    await expectAccepted(conversation);
  });

  test('a stop in the middle of text [model.any]', async () => {
    const conversation = await begin(family);
    conversation.endpoint.play({ text: 'The beginning of a long answer', hang: 'text' });
    expect(await conversation.sayAndStop('Hi.')).toBe('cancelled');
    await expectAccepted(conversation);
  });

  test('a stop in the middle of reasoning, after a round with calls [model.any] [model.state]', async () => {
    const conversation = await begin(family);
    conversation.endpoint.play(
      { reasoning: 'I must look.', calls: here },
      { reasoning: 'Nothing there, so', hang: 'reasoning' },
    );
    expect(await conversation.sayAndStop('Look around.')).toBe('cancelled');
    await expectAccepted(conversation);
  });

  test.runIf(family.streamsArguments !== false)(
    'a stop in the middle of arguments, after a whole call [model.any] [ladder.turn.generating]',
    async () => {
      const conversation = await begin(family);
      const calls = [...here, ...call('there')];
      conversation.endpoint.play({ reasoning: 'I must look.', text: 'I look.', calls, hang: 'arguments' });
      expect(await conversation.sayAndStop('Look around.')).toBe('cancelled');
      await expectAccepted(conversation);
    },
  );
}

function testCrash(family: Family): void {
  test('a crash in the middle of a response, and a resume [model.any] [model.state]', async () => {
    const first = await begin(family);
    const { endpoint, log } = first;
    endpoint.play({ reasoning: 'I must look.', calls: here }, { reasoning: 'So.', text: 'Nothing.' });
    expect(await first.say('Look around.')).toBe('completed');
    endpoint.play({ reasoning: 'Once more.', calls: here }, { reasoning: 'And now', text: 'The', hang: 'text' });
    (await first.runtime.session('s')).as('ann').say('Again.');
    await until(() => endpoint.last?.isHanging, { what: 'the response to hang' });
    const second = await converse(family, endpoint, log);
    await expectAccepted(second);
    endpoint.play({ reasoning: 'A last time.', calls: here }, { text: 'Nothing.' });
    expect(await second.say('And again.')).toBe('completed');
    expect(endpoint.refusals()).toEqual([]);
  });
}
