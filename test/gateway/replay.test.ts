// A long replay to a slow reader: it waits for the reader instead of closing the connection.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { startGateway } from '../support/gateway.ts';
import { startHarness } from '../support/harness.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const text = 'x'.repeat(20_000);
const count = 800; // 16 MB: more than the buffers of the two sockets hold, and twice the queue

test('a replay that is longer than the queue waits for its reader, and goes on live [ws.resume] [ws.limits]', async () => {
  const log = createMemoryLog();
  const facts: RecordedFact[] = [
    { type: 'session_opened', kind: 'text', policy: 'anyone', at: 0 },
    ...Array.from({ length: count }, (_, index): RecordedFact => {
      const turn = `turn_old${index}`;
      return { type: 'turn_opened', turn, kind: 'agent', owner: 'x', lane: 'x', text, ref: null, at: 0 };
    }),
  ];
  const ended = facts.slice(1).map((fact): RecordedFact => {
    const turn = fact.type === 'turn_opened' ? fact.turn : '';
    return {
      type: 'turn_ended',
      turn,
      outcome: 'completed',
      effect: 'none',
      usage: { kind: 'exact', input: 0, output: 0 },
      at: 0,
    };
  });
  const epoch = await log.claim('s', 0, 'before');
  await log.append('s', epoch, 0, [...facts, ...ended]);
  await log.release('s', epoch);
  const harness = await startHarness({ log });
  const { url, reports } = await startGateway({ runtime: harness.runtime });

  const slow = await connectRaw(url);
  await slow.hello();
  slow.send({ type: 'JOIN', ref: 'j', session: 's', after: 0 });
  slow.socket.pause();
  const quick = await connectRaw(url);
  await quick.hello();
  await quick.join('s');
  quick.send({ type: 'SAY', ref: 's1', text: 'meanwhile' });
  await until(async () => {
    await harness.clock.advance(10);
    return quick.all('turn_ended').length === 1;
  });
  slow.socket.resume();
  await slow.waitFor('turn_ended', { turn: (await quick.waitFor('turn_ended'))['turn'] });
  const seqs = slow.frames.filter((frame) => 'seq' in frame && frame.type !== 'joined').map(({ seq }) => Number(seq));
  const last = seqs.at(-1) ?? 0;
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(seqs.length).toBeGreaterThan(2 * count);
  expect(last).toBe(Number((await quick.waitFor('turn_ended'))['seq']));
  await slow.waitFor('replayed');
  expect(slow.all('replayed')).toHaveLength(1);
  expect(reports).toEqual([]);
});
