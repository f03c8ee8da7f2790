// Metrics: bounded labels, registries, what a crash and a failed store leave, and what they never show.
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { BoundedLabels } from '../../../src/adapters/telemetry/bounded-labels.ts';
import { loadTelemetry } from '../../../src/adapters/telemetry/load-telemetry.ts';
import { metricTable } from '../../../src/adapters/telemetry/metric-table.ts';
import { createRuntimeMetrics } from '../../../src/adapters/telemetry/metrics.ts';
import type { Metrics, MetricsOptions } from '../../../src/adapters/telemetry/metrics-contract.ts';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import type { RuntimeConfig } from '../../../src/core/runtime/config.ts';
import { createRuntime } from '../../../src/embed/runtime.ts';
import { callsOnce, callsResponse, startHarness, textResponse, toolOf } from '../../support/harness.ts';
import { parseSeries, seriesCounts } from '../../support/prometheus.ts';

const clock = { now: () => 0, after: () => () => {} };
const newMetrics = (options: MetricsOptions = { processMetrics: false }) => createRuntimeMetrics(options, clock);
const loading =
  (metrics: Metrics): RuntimeConfig['loadTelemetry'] =>
  (countSessions) =>
    loadTelemetry({ metrics, clock, countSessions });

describe('labels [ops.metrics]', () => {
  test('the first names get a value of their own, later ones and none share one', () => {
    const labels = new BoundedLabels(2);
    expect(['a', 'b', 'a', 'c', 'b', null, ''].map((name) => labels.labelOf(name))).toEqual([
      'a',
      'b',
      'a',
      'other',
      'b',
      'other',
      'other',
    ]);
  });

  /** Has the model call each of the names once, in turns of 50 calls; resolves with the values of the label `tool`. */
  async function callEach(names: readonly string[], tools: readonly Tool[]): Promise<Record<string, number>> {
    const metrics = newMetrics();
    const rest = [...names];
    const harness = await startHarness({
      loadTelemetry: loading(metrics),
      limits: { fanOut: 50 },
      tools,
      respond: ({ messages }) =>
        messages.at(-1)?.role === 'user'
          ? callsResponse(...rest.splice(0, 50).map((name) => [name] as const))
          : textResponse('done'),
    });
    while (rest.length > 0) {
      await harness.say('words');
      await harness.clock.advance(1_000);
    }
    return seriesCounts(parseSeries(await metrics.text()), 'belay_tool_calls_total', 'tool');
  }

  test('tools that a model invents grow nothing', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `invented_${i}`);
    expect(await callEach(names, [])).toEqual({ other: 300 });
  });

  test('real tools beyond the bound share one value', async () => {
    const tools = Array.from({ length: 250 }, (_, i) => toolOf(`tool_${i}`, async () => 'done'));
    const names = tools.map(({ name }) => name);
    const counts = await callEach(names, tools);
    expect(Object.keys(counts)).toHaveLength(201);
    expect(counts['other']).toBe(50);
  });

  test('no speaker, session, word or reason is in the text', async () => {
    const metrics = newMetrics();
    const secret = 'xyzzy-secret';
    const harness = await startHarness({
      loadTelemetry: loading(metrics),
      respond: callsOnce(['wait', { ms: 9_000, secret }]),
    });
    const turn = await harness.say(secret);
    await harness.clock.advance(100);
    await harness.cancel({ target: turn, reason: secret, ref: secret });
    await harness.clock.advance(1_000);
    const text = await metrics.text();
    expect(text).not.toContain(secret);
    expect(text).not.toContain('alice');
    expect(text).toContain('tool_interrupts_total{tool="wait",reason="client"} 1');
  });
});

describe('gauges [ops.metrics]', () => {
  test('what is active now, and nothing at the end', async () => {
    const metrics = newMetrics();
    const harness = await startHarness({ loadTelemetry: loading(metrics), respond: callsOnce(['wait', { ms: 500 }]) });
    metrics.watch('connections', () => 3);
    await harness.say('words');
    await harness.say('more');
    await harness.clock.advance(100);
    const running = parseSeries(await metrics.text());
    expect(seriesCounts(running, 'belay_active_turns', 'state')).toEqual({ running: 1, waiting: 1 });
    expect(seriesCounts(running, 'belay_active_calls')).toEqual({ '': 1 });
    expect(seriesCounts(running, 'belay_active_sessions')).toEqual({ '': 1 });
    expect(seriesCounts(running, 'belay_connections')).toEqual({ '': 3 });
    await harness.clock.advance(2_000);
    const after = parseSeries(await metrics.text());
    expect(seriesCounts(after, 'belay_active_turns', 'state')).toEqual({});
    expect(seriesCounts(after, 'belay_active_calls')).toEqual({});
  });
});

describe('over a crash of the process [ops.metrics]', () => {
  test('what recovery has closed is counted once, by the process that closed it', async () => {
    const first = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }]) });
    await first.say('words');
    await first.clock.advance(100);
    const metrics = newMetrics();
    await startHarness({ log: first.log, life: 2, loadTelemetry: loading(metrics), respond: () => textResponse('hi') });
    const series = parseSeries(await metrics.text());
    expect(seriesCounts(series, 'belay_turns_total', 'kind', 'outcome')).toEqual({ 'other failed': 1 });
    expect(seriesCounts(series, 'belay_recovered_turns_total')).toEqual({ '': 1 });
    expect(seriesCounts(series, 'belay_tool_calls_total', 'tool', 'outcome')).toEqual({ 'other failed': 1 });
  });
});

describe('registries [ops.metrics]', () => {
  test('each has one of its own: two runtimes of a process count apart', async () => {
    const [one, two] = [newMetrics(), newMetrics()];
    const harness = await startHarness({ loadTelemetry: loading(one), respond: () => textResponse('hi') });
    await startHarness({ loadTelemetry: loading(two) });
    await harness.say('words');
    await harness.clock.advance(100);
    expect(seriesCounts(parseSeries(await one.text()), 'belay_turns_total')).toEqual({ '': 1 });
    expect(seriesCounts(parseSeries(await two.text()), 'belay_turns_total')).toEqual({});
  });

  test('one of the embedder gets every metric of the table, and nothing of the process', async () => {
    const registry = new Registry();
    newMetrics({ registry });
    const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      Object.values(metricTable)
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  test('without one, the metrics of the process come with the first text', async () => {
    const text = await newMetrics({}).text();
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).toContain('process_resident_memory_bytes');
  });
});

test('a runtime whose metrics cannot be loaded works all the same [ops.metrics]', async () => {
  const harness = await startHarness({
    loadTelemetry: () => Promise.reject(new Error('no such package')),
    respond: () => textResponse('hi'),
  });
  const turn = await harness.say('words');
  await harness.clock.advance(100);
  expect(harness.endOf(turn)?.outcome).toBe('completed');
  expect(harness.warnings).toEqual(['Metrics and spans could not be loaded.']);
});

test('an embedder gives them to createRuntime, and reads their text [ops.metrics]', async () => {
  const { createMetrics: create } = await import('../../../src/embed/metrics.ts');
  const metrics = await create();
  const provider = (await startHarness()).provider;
  const runtime = await createRuntime({ provider, metrics });
  await runtime.session('one');
  expect(seriesCounts(parseSeries(await metrics.text()), 'belay_active_sessions')).toEqual({ '': 1 });
  await runtime.close();
  expect(metrics.contentType).toContain('text/plain');
  await expect(create({ registri: 1 } as object)).rejects.toThrow('Did you mean registry?');
});
