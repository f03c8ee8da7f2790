// The time of day set backward and forward in the middle of a stop: metrics, spans and the log say how much time has passed.
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { loadTelemetry } from '../../../src/adapters/telemetry/load-telemetry.ts';
import { createRuntimeMetrics } from '../../../src/adapters/telemetry/metrics.ts';
import type { LogLine } from '../../../src/core/reports/log-lines.ts';
import { createLogObserver } from '../../../src/programs/log-observer.ts';
import { callsOnce, startHarness } from '../../support/harness.ts';
import { holdAppend } from '../../support/held-log.ts';
import { parseSeries, seriesCounts } from '../../support/prometheus.ts';

const hour = 3_600_000;

test.each([-24 * hour, -hour, hour, 24 * hour])(
  'a step of %d ms in the middle of a stop is in no duration of metrics, spans and the log [clock.steps]',
  async (ms) => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    onTestFinished(() => trace.disable());
    const clock = { now: () => 0, after: () => () => {} };
    const metrics = createRuntimeMetrics({ processMetrics: false }, clock);
    const lines: LogLine[] = [];
    const hold = holdAppend((types) => types.includes('cancel_accepted'));
    const harness = await startHarness({
      respond: callsOnce(['wait', { ms: 60_000 }]),
      log: hold.wrap(createMemoryLog()),
      observers: [createLogObserver((line) => lines.push(line))],
      loadTelemetry: (countSessions) => loadTelemetry({ metrics, clock, countSessions }),
    });
    const turn = await harness.say('words');
    await harness.clock.advance(2_000);
    const cancel = harness.cancel({ target: turn });
    await hold.reached;
    harness.clock.step(ms);
    await harness.clock.advance(100);
    hold.release();
    await cancel;
    await harness.clock.advance(100);
    expect(harness.settledReceipts()).toHaveLength(1);

    const series = parseSeries(await metrics.text());
    const sum = (name: string) => Object.values(seriesCounts(series, `${name}_sum`)).at(0) ?? 0;
    expect(sum('belay_cancel_accepted_seconds')).toBeCloseTo(0.1);
    expect(sum('belay_cancel_settled_seconds')).toBeLessThan(0.3);
    expect(sum('belay_turn_seconds')).toBeCloseTo(2, 0);
    expect(sum('belay_tool_call_seconds')).toBeCloseTo(2, 0);
    expect(sum('belay_model_call_seconds')).toBeLessThan(1);
    const turnEnds = lines.filter(({ event }) => event === 'turn_end').map(({ fields }) => fields['ms']);
    expect(turnEnds).toEqual([expect.closeTo(2_100, -3)]);
    const spanSeconds = exporter.getFinishedSpans().map(({ duration: [seconds] }) => seconds);
    expect(spanSeconds.length).toBeGreaterThan(2);
    expect(Math.max(...spanSeconds)).toBe(2);
  },
);
