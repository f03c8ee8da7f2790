// Many cancels leave no listeners, timers, handles, processes or heap behind.
// CANCELS=10000 for the whole proof; `npm run test:hostile` runs that.
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { toolOf } from '../support/harness.ts';
import { processesOfNode, startHostile } from '../support/hostile.ts';
import { activeResources, heapMB, resourcesBeyond } from '../support/leaks.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { budgets, corpus } from './corpus.ts';

const cancels = Number(process.env['CANCELS'] ?? 3_500);
const sessions = 4; // so that what each may remember of the past is full by the half

/** Tools that end soon after their signal, each in a way of its own; `signals` keeps the last signals of one. */
const quickTools = (signals: AbortSignal[]) => [
  toolOf(
    'quick_obeys',
    (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }))),
  ),
  toolOf(
    'quick_late',
    (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => void setTimeout(resolve, 30, 'late'))),
  ),
  toolOf('quick_rude', (_, { signal }) => {
    if (signals.push(signal) > 200) signals.shift();
    signal.addEventListener('abort', () => {
      throw new Error('rude');
    });
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' })));
  }),
  toolOf('quick_timers', (_, { signal }) => {
    const timers = Array.from({ length: 50 }, () => setInterval(() => {}, 5));
    return new Promise((resolve) =>
      signal.addEventListener('abort', () => {
        for (const timer of timers) clearInterval(timer);
        resolve({ kind: 'stopped', output: '' });
      }),
    );
  }),
];

test(`${cancels} cancels leave nothing behind [cancel.clean]`, { timeout: scaled(450_000) }, async () => {
  const outer: AbortSignal[] = [];
  const quick = quickTools(outer);
  // what is abandoned and never ends is held as long as the process lives: nobody can know that it does nothing any more
  const whole = corpus.filter(({ ends }) => ends !== 'never');
  const folder = mkdtempSync(join(tmpdir(), 'belay-leaks-'));
  const log = createSqliteLog({ path: join(folder, 'log.sqlite') }); // one in memory keeps all that it is given
  const runtime = await startHostile([...quick, ...new Set(whole.map(({ tool }) => tool))], {
    log,
    limits: { ...budgets, contextTurns: 2 },
    roots: [folder],
  });
  let done = 0;
  const nodes: string[] = [];
  const round = async (place: number) => {
    const rare = done % 20 === 19 ? whole[Math.floor(done / 20) % whole.length] : undefined; // it takes its time
    const name = rare?.tool.name ?? quick[done % quick.length]?.name ?? '';
    done++;
    const turn = await runtime.start([name, rare?.input ?? {}], `leak-${place}`);
    if (rare) nodes.push(turn.nodeOf(name));
    const answer = await turn.cancel();
    await turn.settled(answer);
  };
  const rounds = async (count: number) => {
    const upTo = done + count;
    await Promise.all(
      Array.from({ length: sessions }, async (_, place) => {
        while (done < upTo) await round(place);
      }),
    );
  };

  await rounds(Math.ceil(cancels / 10)); // warm
  const before = activeResources();
  await rounds(Math.ceil(cancels * 0.4));
  const half = await heapMB();
  await rounds(Math.ceil(cancels * 0.5));
  const end = await heapMB();

  await until(() => resourcesBeyond(before).length === 0, {
    what: `nothing more to be open than ${before}, not ${activeResources()}`,
  });
  for (const node of nodes) expect(await processesOfNode(node)).toEqual([]);
  expect(outer.length).toBeGreaterThan(0);
  expect(outer.filter((signal) => getEventListeners(signal, 'abort').length > 2)).toEqual([]);
  outer.length = 0;
  console.log(`${done} cancels; heap ${half.toFixed(1)} MB at half, ${end.toFixed(1)} MB at the end`);
  expect(end, 'the heap does not grow over the second half').toBeLessThan(half * 1.1 + 2);
  await runtime.close();
  await log.close();
  rmSync(folder, { recursive: true });
});
