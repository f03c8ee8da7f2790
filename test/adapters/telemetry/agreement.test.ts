// After 1 000 turns with cancels, metrics, spans and the lines of the log say what the facts say, to the last count.
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, describe, expect, test } from 'vitest';
import type { FactOf, FactType, RecordedFact } from '../../../machines/facts.ts';
import { loadTelemetry } from '../../../src/adapters/telemetry/load-telemetry.ts';
import { metricTable } from '../../../src/adapters/telemetry/metric-table.ts';
import { createRuntimeMetrics } from '../../../src/adapters/telemetry/metrics.ts';
import { type LogLine, logEvents } from '../../../src/core/reports/log-lines.ts';
import { createLogObserver } from '../../../src/programs/log-observer.ts';
import { parseSeries, type Series, seriesCounts } from '../../support/prometheus.ts';
import { scaled } from '../../support/time-scale.ts';
import { playMixedTurns } from './mixed-turns.ts';

const sessions = 50;
const rounds = 20;

let facts: readonly RecordedFact[] = [];
let series: readonly Series[] = [];
let spans: readonly ReadableSpan[] = [];
const lines: LogLine[] = [];

/** Plays the turns, and keeps what each of the three says. */
async function play(): Promise<void> {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const clock = { now: () => 0, after: () => () => {} };
  const metrics = createRuntimeMetrics({ processMetrics: false }, clock);
  facts = await playMixedTurns(sessions, rounds, {
    observers: [createLogObserver((line) => lines.push(line))],
    loadTelemetry: (countSessions) => loadTelemetry({ metrics, clock, countSessions }),
  });
  series = parseSeries(await metrics.text());
  spans = exporter.getFinishedSpans();
}

afterAll(() => trace.disable());

const count = (keys: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

// -- the log, as an independent reader counts it

const factsOf = <T extends FactType>(type: T) =>
  facts.filter((fact): fact is FactOf<T> & RecordedFact => fact.type === type);
const turnEnds = () => factsOf('turn_ended');
const kindOf = (turn: string) => factsOf('turn_opened').find((opened) => opened.turn === turn)?.kind ?? 'agent';
const turnsByKind = () => count(turnEnds().map(({ turn, outcome }) => `${kindOf(turn)} ${outcome}`));
const callEnds = () =>
  [...factsOf('tool_result'), ...factsOf('late_result')].filter(({ outcome }) => outcome !== 'continues');
const nameOf = (node: string) => factsOf('tool_call').find((call) => call.node === node)?.name;
const stoppedCalls = () =>
  callEnds().filter(({ outcome }) => ['cancelled', 'timed_out', 'superseded', 'abandoned'].includes(outcome));
const sourceOf = (node: string) => factsOf('cancel_accepted').find(({ stopping }) => stopping.includes(node))?.source;
const sourcesOf = (type: 'cancel_accepted' | 'cancel_refused') => factsOf(type).map(({ source }) => source);

// first: the others read what it has played
test('1 000 turns end in every way, by every source of this test', { timeout: scaled(60_000) }, async () => {
  await play();
  expect(turnEnds().length).toBeGreaterThanOrEqual(sessions * rounds);
  expect(Object.keys(count(turnEnds().map(({ outcome }) => outcome))).toSorted()).toEqual([
    'cancelled',
    'completed',
    'failed',
  ]);
  expect(Object.keys(count(turnEnds().map(({ turn }) => kindOf(turn)))).toSorted()).toEqual([
    'acknowledgement',
    'agent',
    'say',
  ]);
  expect(Object.keys(count(callEnds().map(({ outcome }) => outcome))).toSorted()).toEqual([
    'abandoned',
    'cancelled',
    'completed',
    'failed',
    'superseded',
    'timed_out',
  ]);
  expect(Object.keys(count(sourcesOf('cancel_accepted'))).toSorted()).toEqual([
    'client',
    'deadline',
    'disconnect',
    'phrase',
    'shutdown',
    'superseded',
  ]);
  expect(Object.keys(count(sourcesOf('cancel_refused')))).toEqual(['client']);
});

/** The name of a tool; that of one that the model has invented is none. */
const labelOf = (node: string) => (nameOf(node) === 'no_such_tool' ? 'other' : nameOf(node));

describe('the metrics agree with the log [ops.metrics.counts]', () => {
  test('turns and calls', () => {
    expect(seriesCounts(series, 'belay_turns_total', 'kind', 'outcome')).toEqual(turnsByKind());
    expect(seriesCounts(series, 'belay_turn_seconds_count', 'kind', 'outcome')).toEqual(turnsByKind());
    const calls = callEnds().map(({ node, outcome }) => `${labelOf(node)} ${outcome}`);
    expect(seriesCounts(series, 'belay_tool_calls_total', 'tool', 'outcome')).toEqual(count(calls));
    expect(seriesCounts(series, 'belay_tool_call_seconds_count')).toEqual({ '': calls.length });
    expect(seriesCounts(series, 'tool_interrupts_total', 'tool', 'reason')).toEqual(
      count(stoppedCalls().map(({ node }) => `${nameOf(node)} ${sourceOf(node)}`)),
    );
  });

  test('CANCELs, their refusals and their latencies', () => {
    const accepted = count(sourcesOf('cancel_accepted'));
    const refused = sourcesOf('cancel_refused').map((source) => `${source} refused`);
    expect(seriesCounts(series, 'belay_cancels_total', 'source', 'outcome')).toEqual({
      ...count(sourcesOf('cancel_accepted').map((source) => `${source} accepted`)),
      ...count(refused),
    });
    expect(seriesCounts(series, 'belay_cancel_accepted_seconds_count', 'source')).toEqual(accepted);
    const settled = count(factsOf('cancel_settled').map(({ cause }) => cause.source));
    expect(settled).toEqual(accepted);
    expect(seriesCounts(series, 'belay_cancels_settled_total', 'source')).toEqual(settled);
    expect(seriesCounts(series, 'belay_cancel_settled_seconds_count', 'source')).toEqual(settled);
    const refusals = [...factsOf('cancel_accepted'), ...factsOf('cancel_refused')].flatMap((fact) => fact.refused);
    expect(seriesCounts(series, 'belay_cancel_refusals_total', 'reason')).toEqual(
      count(refusals.map(({ reason }) => reason)),
    );
  });

  test('what was abandoned', () => {
    const abandoned = count([
      ...callEnds().flatMap(({ outcome }) => (outcome === 'abandoned' ? 'call' : [])),
      ...turnEnds().flatMap(({ code }) => (code === 'model_abandoned' ? 'model' : [])),
    ]);
    expect(Object.keys(abandoned)).toEqual(['call', 'model']);
    expect(seriesCounts(series, 'belay_abandoned_total', 'work')).toEqual(abandoned);
    expect(seriesCounts(series, 'belay_abandoned_ended_total', 'work')).toEqual(abandoned);
    expect(factsOf('abandoned_ended')).toHaveLength(Object.values(abandoned).reduce((sum, n) => sum + n, 0));
  });

  test('model calls and tokens; nothing is active any more', () => {
    expect(seriesCounts(series, 'belay_model_calls_total', 'model', 'outcome')).toEqual(
      count(factsOf('model_ended').map(({ outcome }) => `script ${outcome}`)),
    );
    const sumOf = (direction: 'input' | 'output') =>
      factsOf('model_ended').reduce((sum, { usage }) => sum + (usage[direction] ?? 0), 0);
    const tokens = { input: sumOf('input'), output: sumOf('output') };
    expect(seriesCounts(series, 'belay_tokens_total', 'direction')).toEqual(tokens);
    for (const gauge of ['belay_active_turns', 'belay_active_calls', 'belay_active_sessions'])
      expect(seriesCounts(series, gauge), gauge).toEqual({});
  });
});

test('the spans agree with the log [ops.metrics.counts]', () => {
  const countSpans = (operation: string, ...names: string[]) =>
    count(
      spans
        .filter(({ attributes }) => attributes['gen_ai.operation.name'] === operation)
        .map(({ attributes }) => names.map((name) => String(attributes[name])).join(' ')),
    );
  expect(countSpans('invoke_agent', 'belay.turn.kind', 'belay.outcome')).toEqual(turnsByKind());
  expect(countSpans('execute_tool', 'gen_ai.tool.name', 'belay.outcome')).toEqual(
    count(callEnds().map(({ node, outcome }) => `${labelOf(node)} ${outcome}`)),
  );
  expect(countSpans('chat', 'belay.outcome')).toEqual(count(factsOf('model_ended').map(({ outcome }) => outcome)));
  const interrupted = spans.filter(({ attributes }) => attributes['tool.interrupted'] === true);
  expect(count(interrupted.map(({ attributes }) => String(attributes['tool.interrupt_reason'])))).toEqual(
    count(stoppedCalls().map(({ node }) => String(sourceOf(node)))),
  );
  expect(new Set(spans.map((span) => span.spanContext().spanId)).size).toBe(spans.length);
});

test('the lines of the log agree with the facts [ops.metrics.counts] [ops.metrics.lines]', () => {
  const linesOf = (event: LogLine['event']) => lines.filter((line) => line.event === event);
  const countLines = (event: LogLine['event'], ...names: string[]) =>
    count(
      linesOf(event).map((line) =>
        names.map((name) => String(name === 'level' ? line.level : line.fields[name])).join(' '),
      ),
    );
  expect(countLines('turn_end', 'kind', 'outcome')).toEqual(turnsByKind());
  expect(countLines('turn_end', 'level')).toEqual({ info: turnEnds().length });
  expect(countLines('cancel', 'level', 'source')).toEqual(
    count(sourcesOf('cancel_accepted').map((one) => `info ${one}`)),
  );
  expect(countLines('cancel_end', 'source')).toEqual(count(factsOf('cancel_settled').map(({ cause }) => cause.source)));
  expect(countLines('refusal', 'source')).toEqual(count(sourcesOf('cancel_refused')));
  const settled = factsOf('cancel_settled').flatMap(({ nodes }) => nodes);
  expect(countLines('stop', 'kind', 'outcome')).toEqual(
    count(settled.map(({ kind, outcome }) => `${kind} ${outcome}`)),
  );
  expect(linesOf('stop').every((line) => typeof line.fields['ms'] === 'number')).toBe(true);
  const failures = factsOf('model_ended').flatMap(({ outcome, code }) => (outcome === 'failed' ? `warn ${code}` : []));
  expect(countLines('model_failure', 'level', 'code')).toEqual(count(failures));
  const abandoned = Object.values(seriesCounts(series, 'belay_abandoned_total', 'work')).reduce((sum, n) => sum + n, 0);
  expect(countLines('abandoned', 'level')).toEqual({ warn: abandoned });
  expect(linesOf('abandoned_end')).toHaveLength(abandoned);
});

test('each metric is fed by these turns, but for the gauges of what is active, and those that others feed [ops.metrics.counts]', () => {
  const fed = new Set(
    series.filter(({ value }) => value > 0).map(({ name }) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds')),
  );
  const rows: readonly { readonly kind: string; readonly name: string }[] = Object.values(metricTable);
  const unfed = rows.filter(({ kind, name }) => kind !== 'gauge' && !fed.has(name)).map(({ name }) => name);
  // voice, a model with prices, a recovery, the store, the gateway and a bus: test/voice/voice-metrics.test.ts, metrics.test.ts, test/gateway/http/metrics.test.ts, test/programs/cluster.test.ts
  expect(unfed).toEqual([
    'belay_barge_ins_total',
    'belay_false_interruptions_total',
    'belay_speech_cuts_total',
    'belay_speech_silent_seconds',
    'belay_transcripts_total',
    'belay_cost_dollars_total',
    'belay_recovered_turns_total',
    'belay_store_failures_total',
    'belay_refused_total',
    'belay_bus_messages_total',
    'belay_bus_questions_total',
  ]);
});

test('each field of a line is filled by these turns, but for those that others fill [ops.metrics.lines]', () => {
  const unfilled = Object.entries(logEvents).flatMap(([event, { fields }]) => {
    const written = lines.filter((line) => line.event === event);
    if (written.length === 0) return [];
    const isFilled = (field: string) => written.some((line) => Object.hasOwn(line.fields, field));
    return fields.filter((field) => !isFilled(field)).map((field) => `${event}.${field}`);
  });
  // a bridge, a door, and a tool that has to be killed
  expect(unfilled).toEqual(['cancel.via', 'cancel.door', 'stop.forced']);
});
