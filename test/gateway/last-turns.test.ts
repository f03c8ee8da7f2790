// JOIN with `last` in a real gateway: what it sends and reads is the same in a short session and in a long one, and what runs since long ago is there.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import { startGateway } from '../support/gateway.ts';
import { callsOnce, startHarness } from '../support/harness.ts';
import { writeLongSession } from '../support/long-log.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

interface Opening {
  /** Facts that were sent before `replayed`. */
  readonly facts: readonly string[];
  /** Facts that were read from the log for it. */
  readonly read: number;
  readonly start: number;
}

const isFact = (frame: RawClient['frames'][number]) => 'seq' in frame && frame.type !== 'joined';

/** A gateway with a session of so many turns that it has open. */
async function openLong(turns: number) {
  const memory = createMemoryLog();
  await writeLongSession(memory, 's', turns);
  let read = 0;
  const log: Log = memory;
  const readAll = log.read.bind(log);
  log.read = async (...args) => {
    const events = await readAll(...args);
    read += events.length;
    return events;
  };
  const harness = await startHarness({ log, respond: callsOnce(['wait', { ms: 60_000 }]) });
  const { url } = await startGateway({ runtime: harness.runtime });
  const stays = await connectRaw(url);
  await stays.hello();
  await stays.join('s');
  async function open(last: number): Promise<Opening> {
    const client = await connectRaw(url);
    await client.hello();
    read = 0;
    client.send({ type: 'JOIN', ref: 'j', session: 's', last });
    await client.waitFor('replayed');
    const joined = await client.waitFor('joined');
    const facts = client.frames.filter(isFact).map(({ type, turn }) => `${type} ${turn ?? ''}`);
    client.socket.close();
    return { facts, read, start: Number(fieldsOf(joined['tail'])['start']) };
  }
  return { open, stays, harness };
}

test('an open session sends and reads as much for the last turns with 100 messages as with 20 000 [ws.last]', async () => {
  const short = await (await openLong(50)).open(20);
  const long = await (await openLong(10_000)).open(20);
  expect(short.facts.length).toBe(1 + 20 * 5);
  expect(long.facts.map((fact) => fact.replace(/\d+$/, ''))).toEqual(
    short.facts.map((fact) => fact.replace(/\d+$/, '')),
  );
  expect(long.read).toBe(short.read);
  expect(long.start).toBe(1 + 9_980 * 5 + 1);
  expect(long.facts.at(-1)).toBe('turn_ended turn_long9999');
});

test('more turns than the session keeps in memory are read from the end of the log [ws.last]', async () => {
  const { open } = await openLong(2_000);
  const { facts, read, start } = await open(300);
  expect(facts.filter((fact) => fact.startsWith('turn_opened'))).toHaveLength(300);
  expect(start).toBe(1 + 1_700 * 5 + 1);
  expect(read).toBeLessThan(300 * 5 * 2 + 1_000);
  const all = await open(5_000);
  expect(all.start).toBe(1);
  expect(all.facts).toHaveLength(1 + 2_000 * 5);
});

test('a turn that runs since before the last turns is there, whole [ws.last]', async () => {
  const { open, stays, harness } = await openLong(60);
  stays.send({ type: 'SAY', ref: 'long', session: 's', text: 'take your time' });
  const { turn } = await stays.waitFor('turn_opened', { ref: 'long' });
  await until(async () => {
    await harness.clock.advance(10);
    return stays.all('tool_started').length === 1;
  });
  const one = await open(1);
  expect(one.facts[0]).toMatch(/^turn_opened|^session_opened/);
  expect(one.facts).toContain(`turn_opened ${turn}`);
  const two = await open(2);
  expect(two.facts.filter((fact) => fact.endsWith(` ${turn}`))).toEqual(
    one.facts.filter((fact) => fact.endsWith(` ${turn}`)),
  );
});
