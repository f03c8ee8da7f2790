// Metrics of voice: of barge-ins, cuts, transcripts and silence, which observers are notified of.
import { expect, test } from 'vitest';
import { loadTelemetry } from '../../src/adapters/telemetry/load-telemetry.ts';
import { createRuntimeMetrics } from '../../src/adapters/telemetry/metrics.ts';
import { parseSeries, seriesCounts } from '../support/prometheus.ts';
import { answer, heard, startSpeaking, type VoiceRoomOptions } from './voice-room.ts';

/** A room in which ann is answered, with metrics. */
async function startCounting(options: VoiceRoomOptions = {}) {
  const clock = { now: () => 0, after: () => () => {} };
  const metrics = createRuntimeMetrics({ processMetrics: false }, clock);
  const { room, turn } = await startSpeaking({
    loadTelemetry: (countSessions) => loadTelemetry({ metrics, clock, countSessions }),
    ...options,
  });
  const series = async () => parseSeries(await metrics.text());
  const counts = async (name: string, label: string) => seriesCounts(await series(), name, label);
  const sampleOf = async (name: string) => (await series()).find((one) => one.name === name)?.value;
  return { room, turn, counts, sampleOf };
}

test('barge-ins are counted by what became of them, and so are false interruptions and cuts [ops.metrics.voice]', async () => {
  const { room, counts, sampleOf } = await startCounting();
  await room.bargeIn('bob', 600);
  await room.bargeIn('ann', 10);
  await room.bargeIn('ann', 600);
  await room.harness.clock.advance(2_000);
  expect(await sampleOf('belay_false_interruptions_total')).toBe(1);
  await room.bargeIn('ann', 600);
  await room.transcript('ann', 'Only the first one, thanks');
  expect(await counts('belay_barge_ins_total', 'result')).toEqual({ not_allowed: 1, too_short: 1, paused: 2 });
  expect(await counts('belay_speech_cuts_total', 'why')).toEqual({ barge_in: 1 });
  expect(await sampleOf('belay_false_interruptions_total')).toBe(1);
});

test('transcripts are counted by what became of them: unsure ones and dropped ones, too [ops.metrics.voice]', async () => {
  const { room, counts } = await startCounting();
  await room.transcript('ann', 'Well', { final: false });
  await room.transcript('ann', 'stop', { confidence: 0.2 });
  await room.transcript('ann', 'thank you', { noSpeech: 0.9 });
  await room.transcript('ann', 'And now?');
  expect(await counts('belay_transcripts_total', 'result')).toEqual({ partial: 1, unsure: 1, dropped: 1, said: 1 });
});

test('a stop is measured until the last report of what was played after it, and until its acknowledgement [ops.metrics.voice]', async () => {
  const { room, turn, counts, sampleOf } = await startCounting({ spec: { acknowledge: 'on' } });
  await room.transcript('ann', 'stop');
  await room.harness.clock.advance(120);
  await room.played(turn, heard.length + 4);
  await room.harness.clock.advance(500);
  await room.played(turn, heard.length + 4); // nothing more was played
  expect(await sampleOf('belay_speech_silent_seconds_count')).toBe(0);
  await room.harness.clock.advance(2_000);
  expect(await sampleOf('belay_speech_silent_seconds_count')).toBe(1);
  expect(await sampleOf('belay_speech_silent_seconds_sum')).toBeCloseTo(0.12);
  expect(await counts('belay_speech_cuts_total', 'why')).toMatchObject({ cancel: 1 });
  expect(await counts('belay_stop_acknowledged_seconds_count', 'how')).toEqual({ text: 1 });
});

test('a bridge that says nothing after a stop leaves no time until silence; one that goes on playing shows how long [ops.metrics.voice]', async () => {
  const silent = await startCounting();
  await silent.room.transcript('ann', 'stop');
  await silent.room.harness.clock.advance(5_000);
  expect(await silent.sampleOf('belay_speech_silent_seconds_count')).toBe(0);
  const deaf = await startCounting();
  await deaf.room.transcript('ann', 'stop');
  for (let offset = heard.length; offset < answer.length; offset += 10) {
    await deaf.room.harness.clock.advance(400);
    await deaf.room.played(deaf.turn, offset + 5);
  }
  await deaf.room.harness.clock.advance(2_000);
  expect(await deaf.sampleOf('belay_speech_silent_seconds_sum')).toBeGreaterThan(1);
});
