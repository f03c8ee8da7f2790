// Spans: one for each turn, model call, tool call and sub-agent, as children of each other, with no word of a conversation.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createChatProvider } from '../../../src/adapters/models/chat/chat-provider.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { loadTelemetry } from '../../../src/adapters/telemetry/load-telemetry.ts';
import { spanAttributes } from '../../../src/adapters/telemetry/span-attributes.ts';
import { StoreFailed } from '../../../src/core/contracts/log.ts';
import type { RuntimeConfig } from '../../../src/core/runtime/config.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createRuntime } from '../../../src/embed/runtime.ts';
import { matrix } from '../../support/endpoints/matrix.ts';
import { callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { wrapLog } from '../../support/wrap-log.ts';

/** Registers an SDK that keeps the spans in memory. */
function registerSdk() {
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor(exporter);
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  const spans = () => exporter.getFinishedSpans();
  const named = (name: string, i = 0): ReadableSpan => {
    const span = spans().filter((one) => one.name === name)[i];
    if (!span) throw new Error(`There is no span ${name}, but ${spans().map((one) => one.name)}.`);
    return span;
  };
  return { spans, named };
}

const clock = { now: () => 0 };
const loadSpans: RuntimeConfig['loadTelemetry'] = (countSessions) =>
  loadTelemetry({ metrics: null, clock, countSessions });
const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan) => span.spanContext().spanId;

describe('spans follow the live tree [ops.metrics.spans]', () => {
  test('a turn, its model calls, its tools, and an agent below', async () => {
    const { named, spans } = registerSdk();
    const harness = await startHarness({
      loadTelemetry: loadSpans,
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role !== 'user') return textResponse('done');
        return last.content === 'words'
          ? callsResponse(['note'], ['spawn_agent', { agent: 'helper', task: 'x' }])
          : textResponse('ok');
      },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(1_000);
    const root = named('invoke_agent');
    const agent = named('execute_tool spawn_agent');
    const agentTurn = named('invoke_agent helper');
    expect(parentOf(root)).toBeUndefined();
    expect(parentOf(named('execute_tool note'))).toBe(idOf(root));
    expect(parentOf(agent)).toBe(idOf(root));
    expect(parentOf(agentTurn)).toBe(idOf(agent));
    expect(
      spans()
        .filter(({ name }) => name === 'chat script')
        .map(parentOf)
        .toSorted(),
    ).toEqual([idOf(root), idOf(root), idOf(agentTurn)].toSorted());
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(root.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 's',
      'belay.node.id': turn,
      'belay.outcome': 'completed',
    });
    expect(named('chat script').kind).toBe(SpanKind.CLIENT);
    expect(named('chat script').attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'script',
      'gen_ai.response.finish_reasons': ['tool_calls'],
    });
    expect(named('chat script', 1).attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
    expect(named('execute_tool note').attributes).toMatchObject({
      'gen_ai.tool.name': 'note',
      'gen_ai.tool.call.id': 'p0',
      'tool.interrupted': false,
      'belay.effect': 'done',
    });
  });

  test('spans that a tool starts are children of its call', async () => {
    const { named } = registerSdk();
    const tracer = trace.getTracer('the tool');
    const own = toolOf('own', async () => {
      await null;
      tracer.startActiveSpan('query', (span: Span) => span.end());
      return 'done';
    });
    const harness = await startHarness({ loadTelemetry: loadSpans, tools: [own], respond: callsOnce(['own']) });
    await harness.say('words');
    await harness.clock.advance(100);
    expect(parentOf(named('query'))).toBe(idOf(named('execute_tool own')));
  });

  test('a detached agent is a trace of its own, linked to the turn that started it', async () => {
    const { named } = registerSdk();
    const harness = await startHarness({
      loadTelemetry: loadSpans,
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: ({ messages }) =>
        messages.at(-1)?.content === 'words'
          ? callsResponse(['spawn_agent', { agent: 'helper', task: 'x', detached: true }])
          : textResponse('ok'),
    });
    await harness.say('words');
    await harness.clock.advance(1_000);
    const agentTurn = named('invoke_agent helper');
    expect(parentOf(agentTurn)).toBeUndefined();
    expect(agentTurn.links.map((link) => link.context.spanId)).toEqual([idOf(named('invoke_agent'))]);
  });
});

const realProviders = [
  { family: undefined, provider: undefined },
  { family: 'vllm', provider: 'vllm' },
  { family: 'gemini', provider: 'gcp.gemini' },
] as const;

describe('a model call says where it went [ops.metrics.spans]', () => {
  test.each(realProviders)('family $family: its provider is $provider', async ({ family, provider: expected }) => {
    const { named } = registerSdk();
    const server = createServer((request, response) => {
      request.resume();
      const chunk = {
        id: 'resp-7',
        model: 'asked-2026',
        choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }],
      };
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const options = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'test', model: 'asked', family };
    const provider = createChatProvider({ ...options, clock: systemSources.clock, random: systemSources.random });
    const runtime = await createRuntime({ provider, acknowledge: 'off' });
    onTestFinished(() => runtime.close());
    const session = await runtime.session('s');
    expect(await session.as('ann').say('words').ended).toMatchObject({ outcome: 'completed' });
    const { attributes } = named('chat asked');
    expect(attributes).toMatchObject({
      'gen_ai.conversation.id': 's',
      'gen_ai.request.model': 'asked',
      'gen_ai.response.id': 'resp-7',
      'gen_ai.response.model': 'asked-2026',
      'server.address': '127.0.0.1',
      'server.port': port,
    });
    expect(attributes['gen_ai.provider.name']).toBe(expected);
  });
});

const adapters = [
  { name: 'OpenAI', id: /^resp/, model: 'gpt-6.1-terra-2026-05-01' },
  { name: 'Anthropic', id: /^msg/, model: 'claude' },
  { name: 'Google', id: 'response-1', model: undefined }, // its package does not pass the model on
  { name: 'Mistral', id: 'cmpl', model: 'mistral' },
];

test.each(adapters)(
  'a model call has the id of its response and the model that made it: $name, which is not called by Chat Completions [ops.metrics.spans]',
  async ({ name, id, model }) => {
    const { spans } = registerSdk();
    const row = matrix.find((each) => each.name === name);
    const endpoint = await row?.start();
    if (!row || !endpoint) throw new Error(`There is no row ${name}.`);
    endpoint.play({ text: 'ok' });
    const runtime = await createRuntime({ provider: row.provider(endpoint.url), acknowledge: 'off' });
    onTestFinished(() => runtime.close());
    const session = await runtime.session('s');
    expect(await session.as('ann').say('words').ended).toMatchObject({ outcome: 'completed' });
    const { attributes = {} } = spans().find((span) => span.name.startsWith('chat')) ?? {};
    expect(attributes['gen_ai.response.id']).toEqual(typeof id === 'string' ? id : expect.stringMatching(id));
    expect(attributes['gen_ai.response.model']).toBe(model);
  },
);

test('a name that a model has invented for a tool is `other` [ops.metrics.spans]', async () => {
  const { named, spans } = registerSdk();
  const harness = await startHarness({ loadTelemetry: loadSpans, respond: callsOnce(['made_up_by_a_model']) });
  await harness.say('words');
  await harness.clock.advance(100);
  expect(named('execute_tool other').attributes['gen_ai.tool.name']).toBe('other');
  expect(JSON.stringify(spans().map(({ name, attributes }) => ({ name, attributes })))).not.toContain('made_up');
});

describe('how a span ends [ops.metrics.spans]', () => {
  test('cancelled is no error: the call says that it was interrupted, and why', async () => {
    const { named } = registerSdk();
    const harness = await startHarness({ loadTelemetry: loadSpans, respond: callsOnce(['wait', { ms: 9_000 }]) });
    const turn = await harness.say('words');
    await harness.clock.advance(100);
    await harness.cancel({ target: turn, reason: 'a secret reason' });
    await harness.clock.advance(1_000);
    const call = named('execute_tool wait');
    expect(call.attributes).toMatchObject({
      'tool.interrupted': true,
      'tool.interrupt_reason': 'client',
      'belay.outcome': 'cancelled',
    });
    expect(call.status.code).toBe(SpanStatusCode.UNSET);
    expect(named('invoke_agent').status.code).toBe(SpanStatusCode.UNSET);
    expect(named('invoke_agent').attributes).toMatchObject({ 'belay.stopped_by': 'client' });
    expect(call.endTime[0] * 1_000 + call.endTime[1] / 1e6).toBe(
      harness.recorder.facts.find(({ type }) => type === 'tool_result')?.at,
    );
  });

  test('a failure has its code, a timeout and abandoned work their outcome', async () => {
    const { named } = registerSdk();
    const harness = await startHarness({
      loadTelemetry: loadSpans,
      toolTimeouts: { wait: 300 },
      respond: (_, n) =>
        n === 0
          ? callsResponse(['wait', { ms: 9_000 }], ['ignores_signal', { ms: 9_000 }], ['no_such_tool'])
          : { steps: [{ fail: 'model_unavailable', message: 'a secret message' }] },
    });
    const turn = await harness.say('words');
    await harness.clock.advance(500);
    const ignoring = harness.callNamed('ignores_signal');
    await harness.cancel({ target: ignoring });
    await harness.clock.advance(10_000);
    expect(harness.endOf(turn)?.outcome).toBe('failed');
    const errors = [
      'execute_tool wait',
      'execute_tool ignores_signal',
      'execute_tool other',
      'invoke_agent',
      'chat script',
    ];
    const at = (name: string) => named(name, name === 'chat script' ? 1 : 0);
    expect(errors.map((name) => at(name).attributes['error.type'])).toEqual([
      'timed_out',
      'abandoned',
      'unknown_tool',
      'model_unavailable',
      'model_unavailable',
    ]);
    expect(errors.map((name) => at(name).status.code)).toEqual(errors.map(() => SpanStatusCode.ERROR));
  });

  test('a session whose store fails leaves no span open', async () => {
    const { spans, named } = registerSdk();
    const store = createMemoryLog();
    let fails = false;
    const log = wrapLog(store, {
      append: (...args) => (fails ? Promise.reject(new StoreFailed('disk full')) : store.append(...args)),
    });
    const harness = await startHarness({ log, loadTelemetry: loadSpans, respond: () => ({ steps: [{ hang: true }] }) });
    await harness.say('words');
    await harness.clock.advance(100);
    fails = true;
    void harness.session.say(harness.alice, { text: 'more' });
    await harness.clock.advance(10_000);
    expect(
      spans()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['chat script', 'invoke_agent']);
    expect(named('invoke_agent').attributes['error.type']).toBe('session_ended');
  });
});

test('no span has a word of a conversation, an argument, an output or a reason [ops.metrics.spans]', async () => {
  const { spans } = registerSdk();
  const secret = 'xyzzy-secret';
  const harness = await startHarness({
    loadTelemetry: loadSpans,
    tools: [
      toolOf('echo', async (input) => ({
        kind: 'failed',
        output: `${secret} ${JSON.stringify(input)}`,
        message: secret,
      })),
    ],
    respond: (_, n) =>
      n === 0 ? callsResponse(['echo', { secret }], ['wait', { ms: 9_000, secret }]) : textResponse(secret),
  });
  const turn = await harness.say(secret);
  await harness.clock.advance(100);
  await harness.cancel({ target: turn, reason: secret });
  await harness.say(secret);
  await harness.clock.advance(5_000);
  expect(spans().length).toBeGreaterThan(4);
  const shown = spans().map(({ name, attributes, events, links, status }) => ({
    name,
    attributes,
    events,
    links,
    status,
  }));
  expect(JSON.stringify(shown)).not.toContain(secret);
  const known: readonly string[] = Object.values(spanAttributes);
  expect(
    spans()
      .flatMap(({ attributes }) => Object.keys(attributes))
      .filter((name) => !known.includes(name)),
  ).toEqual([]);
});

describe('without an SDK [ops.metrics.spans]', () => {
  test('nothing is traced, and a call runs as without tracing', async () => {
    const telemetry = await loadTelemetry({ metrics: null, clock, countSessions: () => 0 });
    expect(telemetry).toEqual({ observers: [] });
  });

  test('tracing: false traces nothing with one, too', async () => {
    registerSdk();
    const telemetry = await loadTelemetry({ metrics: null, tracing: false, clock, countSessions: () => 0 });
    expect(telemetry).toEqual({ observers: [] });
  });
});
