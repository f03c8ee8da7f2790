// Measures stops while others work: a storm of CANCELs at one moment, and one stop beside turns that stream.
//
// What is measured. One client. In a storm each of its sessions has a turn with three tools that wait, and all CANCELs are sent at once: the times of the
// last signal in a tool and of the last `cancel_settled`, the work of the server's process for one stop, and the nodes that the receipts call abandoned
// although every tool obeys. Beside busy turns one turn with three tools is stopped while the other sessions stream 50 tokens a second each: signal and settled.
//
// What is NOT measured. Many clients; commands; tools that are slow to stop; networks.
import { setTimeout as pause } from 'node:timers/promises';
import { callsReply, textReply } from './stand/chunks.ts';
import { type BenchClient, type BenchFrame, connectBenchClient, nextRef } from './stand/client.ts';
import { type Contestant, openStand } from './stand/contestants.ts';
import { inGroups } from './stand/in-groups.ts';
import { readOptions } from './stand/options.ts';
import { rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

const options = readOptions();
const rounds = options.quick ? 3 : 10;
const stormSize = 100;
const toolsOfTurn = 3;
const busyTurns = 60;
const tokensPerSecond = 50;
const stopsBesideBusy = options.quick ? 3 : 10;
const atOnce = 20;

let sessions = 0;

const isRunningTool =
  (session: string) =>
  ({ type, session: of }: BenchFrame) =>
    type === 'tool_output' && of === session;

/** Resolves with the turn of a new session, when all of its tools run. */
async function startTools(client: BenchClient): Promise<{ readonly session: string; readonly turn: string }> {
  const session = `s${sessions++}`;
  await client.request({ type: 'JOIN', session }, 'joined');
  const alive = client.receive(isRunningTool(session), toolsOfTurn);
  const { frame } = await client.request({ type: 'SAY', session, text: 'run the tools' }, 'turn_opened');
  await alive;
  return { session, turn: String(frame['turn']) };
}

interface Storm {
  readonly signal: number;
  readonly settled: number;
  /** Microseconds for a stop. */
  readonly cpu: number;
  readonly abandoned: number;
}

async function measureStorm(client: BenchClient, contestant: Contestant): Promise<Storm> {
  const turns = await inGroups(Array.from({ length: stormSize }), atOnce, () => startTools(client));
  await pause(50); // what the starts have left to do
  await contestant.marks();
  const before = await contestant.cpu();
  let abandoned = 0;
  const settled = client.receive(({ type, nodes }) => {
    if (type !== 'cancel_settled') return false;
    const ends = Array.isArray(nodes) ? (nodes as readonly { readonly outcome: string }[]) : [];
    abandoned += ends.filter(({ outcome }) => outcome === 'abandoned').length;
    return true;
  }, stormSize);
  const sentAt = turns.map(({ session, turn }) =>
    client.send({ type: 'CANCEL', ref: nextRef(), session, target: turn }),
  );
  const at = sentAt[0] ?? 0;
  const settledAt = (await settled).at;
  await pause(50);
  const cpu = (await contestant.cpu()) - before;
  const marks = await contestant.marks();
  if (marks.length !== stormSize * toolsOfTurn)
    throw new Error(`${contestant.name}: ${marks.length} tools were stopped`);
  for (const { session } of turns) await client.request({ type: 'LEAVE', session }, 'left');
  return { signal: Math.max(...marks) - at, settled: settledAt - at, cpu: cpu / stormSize, abandoned };
}

interface Stop {
  readonly signal: number;
  readonly settled: number;
}

async function measureBesideBusy(contestant: Contestant): Promise<readonly Stop[]> {
  const [client, crowd] = [await connectBenchClient(contestant.url), await connectBenchClient(contestant.url)];
  const busy = Array.from({ length: busyTurns }, () => `busy${sessions++}`);
  await inGroups(busy, atOnce, (session) => crowd.request({ type: 'JOIN', session }, 'joined'));
  const streaming = Promise.all(
    busy.map((of) => crowd.receive(({ type, session }) => type === 'text_delta' && session === of)),
  );
  const opened = await inGroups(busy, atOnce, (session) =>
    crowd.request({ type: 'SAY', session, text: 'talk' }, 'turn_opened'),
  );
  await streaming;
  const stops: Stop[] = [];
  for (let i = 0; i < stopsBesideBusy; i++) {
    const { session, turn } = await startTools(client);
    await contestant.marks();
    const ref = nextRef();
    const settled = client.receive((frame) => frame.type === 'cancel_settled' && frame['ref'] === ref);
    const at = client.send({ type: 'CANCEL', ref, session, target: turn });
    const settledAt = (await settled).at;
    const marks = await contestant.marks();
    stops.push({ signal: Math.max(...marks) - at, settled: settledAt - at });
    await client.request({ type: 'LEAVE', session }, 'left');
  }
  const ended = crowd.receive(({ type }) => type === 'cancel_settled', busyTurns);
  for (const { frame } of opened)
    crowd.send({ type: 'CANCEL', ref: nextRef(), session: String(frame['session']), target: String(frame['turn']) });
  await ended;
  client.close();
  crowd.close();
  return stops;
}

await using stand = await openStand(options);
const calls = Array.from({ length: toolsOfTurn }, (_, n) => ({ name: 'wait', arguments: { n } }));
await stand.endpoint.script([
  { when: { user: 'run the tools' }, reply: callsReply(calls) },
  {
    when: { user: 'talk' },
    reply: { text: 'word '.repeat(10_000), pace: { chunksPerSecond: tokensPerSecond, chunkChars: 5 } },
  },
  { reply: textReply(1) },
]);
const contestants = await stand.startAll();
const clients = new Map<Contestant, BenchClient>();
for (const contestant of contestants) clients.set(contestant, await connectBenchClient(contestant.url));
const storm = { signal: emptyMeasurements(), settled: emptyMeasurements(), cpu: emptyMeasurements() };
const beside = { signal: emptyMeasurements(), settled: emptyMeasurements() };
const abandoned = new Map<string, number>();
const runs = (name: string) => name.includes(options.only);
for (let round = -1; round < rounds; round++) {
  for (const contestant of rotate(contestants, round + 1)) {
    if (runs('storm')) {
      const sample = await measureStorm(clients.get(contestant) as BenchClient, contestant);
      if (round >= 0) {
        storm.signal[contestant.name].push(sample.signal);
        storm.settled[contestant.name].push(sample.settled);
        storm.cpu[contestant.name].push(sample.cpu);
        abandoned.set(contestant.name, (abandoned.get(contestant.name) ?? 0) + sample.abandoned);
      }
    }
    if (runs('beside busy turns') && round >= 0)
      for (const stop of await measureBesideBusy(contestant)) {
        beside.signal[contestant.name].push(stop.signal);
        beside.settled[contestant.name].push(stop.settled);
      }
  }
}
if (runs('storm')) {
  printTable(`a storm of ${stormSize}, ${rounds} rounds`, 'milliseconds from the first CANCEL at the client', [
    { name: 'last signal', values: storm.signal },
    { name: 'last settled', values: storm.settled },
  ]);
  printTable(`a storm of ${stormSize}, ${rounds} rounds`, "microseconds of the server's process for a stop", [
    { name: 'CPU', values: storm.cpu },
  ]);
  console.log(`obedient calls that receipts call abandoned: ${JSON.stringify(Object.fromEntries(abandoned))}`);
}
if (runs('beside busy turns'))
  printTable(
    `beside ${busyTurns} busy turns, ${rounds} rounds of ${stopsBesideBusy}`,
    'milliseconds from the CANCEL at the client',
    [
      { name: '3 tools: signal', values: beside.signal },
      { name: '3 tools: settled', values: beside.settled },
    ],
  );
for (const client of clients.values()) client.close();
