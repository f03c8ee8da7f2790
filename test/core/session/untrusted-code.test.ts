// Third-party code: whatever it throws or returns fails its own call and nothing else.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { maxOutputChars, type Tool } from '../../../src/core/contracts/tool.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import type { Interceptor, InterceptorVerdict } from '../../../src/core/workers/extensions.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callsOnce, type HarnessOptions, startHarness, toolOf } from '../../support/harness.ts';

/** One turn with a call of `odd` and one of `note`, and the next one. */
async function twoTurns(options: HarnessOptions) {
  const harness = await startHarness({ respond: callsOnce(['note'], ['odd', { a: 'b' }]), ...options });
  const first = await harness.say('words');
  await harness.clock.advance(3_000);
  const second = await harness.say('more words');
  await harness.clock.advance(3_000);
  const resultOf = (name: string) =>
    harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed(name));
  return { harness, ends: [first, second].map((turn) => harness.endOf(turn)?.outcome), resultOf };
}

test.each([
  undefined,
  42,
  { output: 'no kind' },
  { kind: 'ok', output: 'no such kind' },
  { kind: 'completed' },
  { kind: 'completed', output: { an: 'object' } },
  { kind: 'failed', output: 'the tool was called', effect: 'not_started' },
])('a tool that ends with %j has failed, and its session goes on [history.effect] [tool.contract]', async (end) => {
  const { ends, resultOf } = await twoTurns({ tools: [toolOf('odd', async () => end as never)] });
  expect(ends).toEqual(['completed', 'completed']);
  expect(resultOf('odd')).toMatchObject({ outcome: 'failed', effect: 'unknown', code: 'tool_failed' });
  expect(resultOf('odd')?.message).toContain('odd');
});

const circular: { self?: unknown } = {};
circular.self = circular;
const wordless = [
  { name: 'nothing that is a text', thrown: Object.create(null) },
  { name: 'an error whose message is a number', thrown: Object.assign(new Error('x'), { message: 10n }) },
  { name: 'an error whose message goes round', thrown: Object.assign(new Error('x'), { message: circular }) },
  { name: 'an object', thrown: { code: 7 } },
  { name: 'a very long message', thrown: new Error('x'.repeat(1_000_000)) },
];
test.each(wordless)(
  'a call whose tool throws $name has failed with a message [history.effect] [tool.contract]',
  async ({ thrown }) => {
    const { harness, ends, resultOf } = await twoTurns({ tools: [toolOf('odd', async () => Promise.reject(thrown))] });
    expect(ends).toEqual(['completed', 'completed']);
    expect(resultOf('odd')).toMatchObject({ outcome: 'failed', effect: 'unknown', message: expect.any(String) });
    expect(resultOf('odd')?.message?.length).toBeLessThan(3_000);
    expect(harness.recorder.ended).toBeNull();
  },
);

test.each(wordless)('an approval that throws $name fails its call [tool.contract]', async ({ thrown }) => {
  const approval = () => {
    throw thrown;
  };
  const { harness, ends, resultOf } = await twoTurns({ tools: [{ ...toolOf('odd', async () => 'ran'), approval }] });
  expect(ends).toEqual(['completed', 'completed']);
  expect(resultOf('note')).toMatchObject({ outcome: 'completed' });
  expect(resultOf('odd')).toMatchObject({ outcome: 'failed', effect: 'not_started' });
  expect(harness.recorder.of('model_ended')).toHaveLength(harness.provider.requests.length);
});

test('the text of a question or an approval must be a string [ladder.ask] [ladder.call.approving]', async () => {
  const text = circular as unknown as string;
  const asking = toolOf('odd', (_, { ask }) => ask({ text }));
  const choosing = toolOf('odd', (_, { ask }) => ask({ text: '?', choices: [text] }));
  const approved = { ...toolOf('odd', async () => 'ran'), approval: () => ({ text }) };
  for (const tool of [asking, choosing, approved]) {
    const { harness, ends, resultOf } = await twoTurns({ tools: [tool] });
    expect(ends).toEqual(['completed', 'completed']);
    expect(resultOf('odd')).toMatchObject({ outcome: 'failed', message: expect.stringContaining('text') });
    expect(harness.recorder.facts.some(({ type }) => type === 'question_asked' || type === 'approval_requested')).toBe(
      false,
    );
  }
});

const throwing: readonly [string, Partial<HarnessOptions>][] = [
  [
    'an approval',
    {
      tools: [
        {
          ...toolOf('odd', async () => 'ran'),
          approval: () => {
            throw new Error('boom');
          },
        },
      ],
    },
  ],
  [
    'a schema with an asynchronous check',
    {
      tools: [
        defineTool({
          name: 'odd',
          description: 'Has an asynchronous check.',
          input: z.object({ a: z.string().refine(async () => true) }),
          access: 'parallel',
          cancel: 'abortable',
          effect: 'none',
          run: async () => 'ran',
        }) as Tool,
      ],
    },
  ],
  [
    '`ownerOfCall`',
    {
      tools: [toolOf('odd', async () => 'ran')],
      ownerOfCall: ({ name, turnOwner }) => {
        if (name === 'odd') throw new Error('boom');
        return turnOwner;
      },
    },
  ],
];
test.each(throwing)(
  '%s that throws fails its call, not the others or the model [tool.contract]',
  async (_, options) => {
    const { harness, ends, resultOf } = await twoTurns(options);
    expect(ends).toEqual(['completed', 'completed']);
    expect(resultOf('note')).toMatchObject({ outcome: 'completed' });
    expect(resultOf('odd')).toMatchObject({ outcome: 'failed', effect: 'not_started', code: 'tool_failed' });
    expect(harness.recorder.of('model_ended').map(({ outcome }) => outcome)).not.toContain('failed');
    expect(harness.recorder.of('model_ended')).toHaveLength(harness.provider.requests.length);
  },
);

const oddTool = toolOf('odd', async () => 'ran');

test.each([
  { do: 'block' },
  { do: 'answer' },
  { do: 'answer', output: 42 },
  { do: 'deny', reason: circular },
  { do: 'change', arguments: circular },
])('a verdict that is not valid (%#) fails its call [tool.before]', async (broken) => {
  const verdict = broken as unknown as InterceptorVerdict;
  const beforeTool: Interceptor['beforeTool'] = async ({ name }) => (name === 'odd' ? verdict : undefined);
  const { ends, resultOf } = await twoTurns({ tools: [oddTool], interceptors: [{ beforeTool }] });
  expect(ends).toEqual(['completed', 'completed']);
  expect(resultOf('odd')).toMatchObject({ outcome: 'failed', effect: 'not_started' });
  expect(resultOf('note')).toMatchObject({ outcome: 'completed' });
});

test('an interceptor may be an instance of a class [tool.before]', async () => {
  class Guard implements Interceptor {
    readonly #denied = ['odd'];
    readonly seen: string[] = [];
    async beforeTool({ name }: { readonly name: string }) {
      return this.#denied.includes(name) ? ({ do: 'deny', reason: 'no' } as const) : undefined;
    }
    afterTool({ name, outcome }: { readonly name: string; readonly outcome: string }) {
      this.seen.push(`${name} ${outcome}`);
    }
  }
  const guard = new Guard();
  await twoTurns({ tools: [oddTool], interceptors: [guard] });
  expect(guard.seen.toSorted()).toEqual(['note completed', 'odd denied']);
});

test('the answer of an interceptor has the limit of a result; its arguments do not contain `_meta` [tool.before]', async () => {
  const seen: unknown[] = [];
  const { resultOf } = await twoTurns({
    tools: [oddTool],
    respond: callsOnce(['note'], ['odd', { a: 'b', _meta: { timeout: 500 } }]),
    interceptors: [
      {
        async beforeTool({ name, arguments: given }) {
          if (name !== 'odd') return undefined;
          seen.push(given);
          return { do: 'answer', output: 'y'.repeat(1_000_000) };
        },
      },
    ],
  });
  expect(seen).toEqual([{ a: 'b' }]);
  expect(resultOf('odd')?.output?.length).toBeLessThanOrEqual(maxOutputChars);
  expect(resultOf('odd')?.omitted).toBeGreaterThan(900_000);
});

test('an interceptor or observer that rejects is reported, and its turn completes [tool.before]', async () => {
  const { harness, ends } = await twoTurns({
    tools: [oddTool],
    interceptors: [{ afterTool: async () => Promise.reject(new Error('after')) }],
    observers: [{ fact: async () => Promise.reject(new Error('fact')) }],
  });
  expect(ends).toEqual(['completed', 'completed']);
  expect(harness.warnings).toContain('An interceptor threw.');
  expect(harness.warnings).toContain('An observer threw.');
});

test('an interceptor is called once for an outcome that recovery gives [tool.before] [store.durable]', async () => {
  const dead = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }], ['note']) });
  await dead.say('words');
  await dead.clock.advance(100);
  const log = createMemoryLog();
  const epoch = await log.claim('other', 0, 'dead');
  const events = await dead.log.read('s', 0);
  await log.append(
    'other',
    epoch,
    0,
    events.map(({ body }) => body),
  );
  const seen: string[] = [];
  const next = await startHarness({
    life: 2,
    log,
    interceptors: [{ afterTool: ({ name, outcome }) => void seen.push(`${name} ${outcome}`) }],
  });
  const session = await bindSession(next.runtime, 'other');
  await session.join(next.alice, createRecorder().listener, null);
  await next.clock.advance(100);
  expect(seen).toEqual(['wait failed']);
});
