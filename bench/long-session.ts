// Measures how long a session takes to open, by its length: the first time, when the host reads its log, and again, when it has it open.
//
// What is measured. A runtime with its store on the disk, in this process; a session with so many turns in the store. First: from the JOIN of its last
// 20 turns, while the session sleeps, until these are there. Again: the same for one more client, and the facts that it is sent. A figure is the median.
//
// What is NOT measured. Sockets and the page; turns with tools, whose facts are more and longer.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScriptedProvider } from '../src/adapters/models/scripted.ts';
import { createSqliteLog } from '../src/adapters/stores/sqlite.ts';
import { systemSources } from '../src/core/sources/system.ts';
import { createRuntime } from '../src/embed/runtime.ts';
import { writeLongSession } from '../test/support/long-log.ts';
import { describeMachine } from './stand/machine.ts';
import { now } from './stand/now.ts';
import { readOptions } from './stand/options.ts';
import { median } from './stand/statistics.ts';

const options = readOptions();
const lengths = options.quick ? [50, 1_000] : [50, 1_000, 10_000];
const rounds = options.quick ? 3 : 7;
const last = 20;

const parent = fileURLToPath(new URL('../.belay/', import.meta.url));
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, 'bench-'));
console.log(describeMachine(folder));

/** Opens the session once, and resolves with the milliseconds and the facts. */
async function open(runtime: Awaited<ReturnType<typeof createRuntime>>, name: string) {
  const from = now();
  const session = (await runtime.session('long')).as(name, { last });
  let facts = 0;
  session.on('*', (frame) => {
    if ('seq' in frame && frame.type !== 'joined') facts += 1;
  });
  await new Promise<void>((resolve) => session.on('replayed', () => resolve()));
  return { ms: now() - from, facts };
}

console.log(`${rounds} openings each, the last ${last} turns; milliseconds`);
for (const turns of lengths) {
  const path = join(folder, `${turns}.sqlite`);
  const log = createSqliteLog({ path });
  await writeLongSession(log, 'long', turns);
  await log.close();
  const first: number[] = [];
  const again: number[] = [];
  let facts = 0;
  for (let round = 0; round < rounds; round += 1) {
    const provider = createScriptedProvider({ clock: systemSources.clock, respond: () => ({ steps: [] }) });
    const runtime = await createRuntime({ provider, store: path });
    first.push((await open(runtime, 'ann')).ms);
    const second = await open(runtime, 'ann');
    again.push(second.ms);
    facts = second.facts;
    await runtime.close();
  }
  const columns = [`${2 * turns} messages`.padStart(16), `first ${median(first).toFixed(1)}`.padStart(14)];
  console.log([...columns, `again ${median(again).toFixed(1)}`.padStart(13), `${facts} facts`.padStart(10)].join('  '));
}
rmSync(folder, { recursive: true });
