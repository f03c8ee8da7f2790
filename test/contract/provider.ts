// The contract of every provider. The test file of each provider calls this with a harness of its own.
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageCall } from '../../machines/messages.ts';
import type { ModelEnd, ModelRequest, Provider } from '../../src/core/contracts/provider.ts';
import { until } from '../support/until.ts';

/** The response to one request. */
export interface ContractPlay {
  readonly text?: string;
  /** Whole calls. */
  readonly calls?: readonly MessageCall[];
  /** One more call, of which only the beginning arrives before the hang. */
  readonly half?: MessageCall;
  /** `fail`: the endpoint rejects the credentials. */
  readonly ends: 'finish' | 'hang' | 'fail';
}

export interface ProviderHarness {
  readonly provider: Provider;
  /** Every later request gets this response. */
  play(play: ContractPlay): Promise<void>;
  /** Requests that have arrived so far. */
  requestCount(): Promise<number>;
  /** Resolves when the last response hangs, and all of it before the hang has arrived. */
  hanging(): Promise<void>;
  close(): Promise<void>;
}

export const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Please look around.' }],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
};

const callsOf = (...names: string[]): MessageCall[] =>
  names.map((name, i) => ({ callId: `id-${i}`, name, arguments: JSON.stringify({ where: 'everywhere', n: i }) }));

interface Running {
  readonly end: Promise<ModelEnd>;
  readonly controller: AbortController;
  /** The text so far. */
  text(): string;
}

export function runModelCall(provider: Provider, modelRequest: ModelRequest = request): Running {
  const controller = new AbortController();
  let text = '';
  const end = provider.stream(modelRequest, {
    signal: controller.signal,
    onText(piece) {
      text += piece;
    },
  });
  return { end, controller, text: () => text };
}

/** Tests the contract. `open` is called once; what it returns is closed at the end. */
export function describeProvider(name: string, open: () => Promise<ProviderHarness>): void {
  describe(`the provider contract, ${name}`, () => {
    let harness: ProviderHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    testResponses(() => harness);
    testStops(() => harness);
  });
}

function testResponses(harness: () => ProviderHarness): void {
  test('text arrives in order, and the end says how the model finished', async () => {
    await harness().play({ text: 'One, two, three – “four” 🙂 five.', ends: 'finish' });
    const running = runModelCall(harness().provider);
    expect(await running.end).toMatchObject({ kind: 'completed', finish: 'stop', calls: [] });
    expect(running.text()).toBe('One, two, three – “four” 🙂 five.');
  });

  test('parallel calls come whole and in their order [tool.parallel]', async () => {
    const calls = callsOf('look', 'shell', 'look');
    await harness().play({ text: 'Looking.', calls, ends: 'finish' });
    expect(await runModelCall(harness().provider).end).toMatchObject({
      kind: 'completed',
      finish: 'tool_calls',
      calls,
    });
  });

  test('a call that streamed never has a usage of zero [history.usage]', async () => {
    await harness().play({ text: 'Some words.', ends: 'finish' });
    const { usage } = await runModelCall(harness().provider).end;
    expect(usage.input).toBeGreaterThan(0);
    expect(usage.output).toBeGreaterThan(0);
  });

  test('a failure is named, not thrown', async () => {
    await harness().play({ ends: 'fail' });
    expect(await runModelCall(harness().provider).end).toMatchObject({ kind: 'failed', code: 'model_unauthorized' });
  });
}

function testStops(harness: () => ProviderHarness): void {
  test('with a signal that has fired no request is sent [cancel.fence]', async () => {
    await harness().play({ text: 'Never.', ends: 'finish' });
    const before = await harness().requestCount();
    const controller = new AbortController();
    controller.abort();
    const end = await harness().provider.stream(request, { signal: controller.signal, onText: () => expect.fail() });
    expect(end).toEqual({ kind: 'stopped', calls: [], usage: { kind: 'exact', input: 0, output: 0 } });
    expect(await harness().requestCount()).toBe(before);
  });

  test('stopped in the middle it keeps the text so far and brings no more [ladder.turn.generating]', async () => {
    await harness().play({ text: 'The beginning of', ends: 'hang' });
    const running = runModelCall(harness().provider);
    await until(() => running.text() === 'The beginning of');
    running.controller.abort();
    const end = await running.end;
    expect(end).toMatchObject({ kind: 'stopped', calls: [] });
    expect(end.usage.kind).toBe('estimated');
    expect(running.text()).toBe('The beginning of');
  });

  test('stopped while it hands over a piece of text it brings no other', async () => {
    await harness().play({ text: 'One, two, three, four, five.', ends: 'finish' });
    const controller = new AbortController();
    const pieces: string[] = [];
    const onText = (piece: string) => {
      pieces.push(piece);
      controller.abort();
    };
    const end = await harness().provider.stream(request, { signal: controller.signal, onText });
    expect(end).toMatchObject({ kind: 'stopped', calls: [] });
    expect(pieces).toHaveLength(1);
  });

  test('of a stopped call only the whole tool calls are left [ladder.turn.generating]', async () => {
    const [half, ...calls] = callsOf('write_file', 'look', 'shell');
    await harness().play({ text: 'Calling.', calls, ...(half ? { half } : {}), ends: 'hang' });
    const running = runModelCall(harness().provider);
    await harness().hanging();
    running.controller.abort();
    expect(await running.end).toMatchObject({ kind: 'stopped', calls });
  });

  test('no listener stays on the signal, however it ends [cancel.clean]', async () => {
    for (const ends of ['finish', 'hang', 'fail'] as const) {
      await harness().play({ text: 'Words.', ends });
      const running = runModelCall(harness().provider);
      if (ends === 'hang') {
        await until(() => running.text() !== '');
        running.controller.abort();
      }
      await running.end;
      expect(getEventListeners(running.controller.signal, 'abort')).toEqual([]);
    }
  });
}
