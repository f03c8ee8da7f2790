// Metrics and spans of a turn that is stopped: an OpenTelemetry SDK with an exporter, and what Prometheus would scrape. Needs no key, sends nothing.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics, createRuntime, defineTool, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { z } from 'zod';

// the SDK, before the first session. In a service: `BatchSpanProcessor` with an exporter of `@opentelemetry/exporter-trace-otlp-http`,
// or `node --import @opentelemetry/auto-instrumentations-node/register`
const exporter = new InMemorySpanExporter();
const sdk = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(sdk);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()); // spans of a tool become children of its call

const started = Promise.withResolvers<void>();
const search = defineTool({
  name: 'search',
  description: 'Searches the archive.',
  input: z.object({ words: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  async run(_, { signal }) {
    return trace.getTracer('archive').startActiveSpan('archive.query', async (span) => {
      started.resolve();
      await sleep(60_000, undefined, { signal }).catch(() => {}); // a query of a minute, which somebody stops
      span.end();
      return { kind: 'stopped', output: '' } as const;
    });
  },
});
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: () => ({ steps: [{ call: { callId: 'c1', name: 'search', arguments: '{"words":"a private matter"}' } }] }),
});

const metrics = await createMetrics();
const runtime = await createRuntime({ acknowledge: 'off', provider, tools: [search], metrics }); // the script has no words for a stop
const ann = (await runtime.session('archive')).as('ann');
const turn = ann.say('Search for a private matter.');
await started.promise;
const receipt = await turn.cancel({ reason: 'never mind' }).settled;
await runtime.close();
assert.ok(receipt);
console.log(`settled: ${receipt.nodes.length} nodes`);

// -- the spans: a tree, without a word of the conversation

const spans = exporter.getFinishedSpans();
const root = spans.find(({ name }) => name === 'invoke_agent');
const call = spans.find(({ name }) => name === 'execute_tool search');
const query = spans.find(({ name }) => name === 'archive.query');
for (const { name, attributes } of spans) console.log(name, attributes);
assert.equal(call?.parentSpanContext?.spanId, root?.spanContext().spanId);
assert.equal(query?.parentSpanContext?.spanId, call?.spanContext().spanId);
assert.equal(call?.attributes['tool.interrupted'], true);
assert.equal(call?.attributes['tool.interrupt_reason'], 'client');
assert.ok(!JSON.stringify(spans.map(({ attributes }) => attributes)).includes('private'));

// -- the metrics: answer `GET /metrics` with this text

const text = await metrics.text();
console.log(
  text
    .split('\n')
    .filter((line) => /^(belay_cancels|tool_interrupts)/.test(line))
    .join('\n'),
);
assert.match(text, /^tool_interrupts_total\{tool="search",reason="client"\} 1$/m);
assert.match(text, /^belay_cancels_total\{source="client",outcome="accepted"\} 1$/m);
await sdk.shutdown();
