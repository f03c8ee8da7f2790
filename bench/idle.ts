// Measures the memory that a server keeps for an idle session, with the connection of its one client.
//
// What is measured. Bytes that are reachable in the main thread of a fresh server (heap and buffers, after a collection): before and
// after many clients have joined a session each, over a socket each; again when each session has had a short turn; and again when the
// clients have gone and the sessions have fallen asleep.
//
// What is NOT measured. The resident size of the process, with the heap's slack, the stacks, the threads and what the kernel keeps for a
// socket. Long conversations, and idle time itself. Of `belay memory` asleep: its log is a map, whose records stay.
import { setTimeout as pause } from 'node:timers/promises';
import { textReply } from './stand/chunks.ts';
import { type BenchClient, connectBenchClient } from './stand/client.ts';
import { type Contestant, contestantNames, openStand } from './stand/contestants.ts';
import { inGroups } from './stand/in-groups.ts';
import { readOptions } from './stand/options.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

const options = readOptions();
const count = options.quick ? 100 : 400;
const rounds = options.quick ? 1 : 2;
const beforehand = 100; // sessions that come first and fall asleep: they bring costs that come once
const atOnce = 10;
const idleMs = 500; // sessions with a client do not fall asleep
const settleMs = 100; // for what the server does after its last frame

interface KibibytesEach {
  readonly joined: number;
  readonly afterTurn: number;
  readonly asleep: number;
}

interface Visitor {
  readonly session: string;
  readonly client: BenchClient;
}

const namesOf = (prefix: string, length: number) => Array.from({ length }, (_, i) => `${prefix}-${i}`);

async function measureMemory(contestant: Contestant): Promise<KibibytesEach> {
  const join = async (session: string): Promise<Visitor> => {
    const client = await connectBenchClient(contestant.url);
    await client.request({ type: 'JOIN', session }, 'joined');
    return { session, client };
  };
  const completeTurn = ({ session, client }: Visitor) => client.completeTurn(session, 'hello');
  const kibibytes = async () => {
    await pause(settleMs);
    return (await contestant.memory()) / 1_024;
  };

  const fallAsleep = async (visitors: readonly Visitor[]) => {
    for (const { client } of visitors) client.close();
    await pause(idleMs * 3);
  };

  const first = await inGroups(namesOf('first', beforehand), atOnce, join);
  await inGroups(first, atOnce, completeTurn);
  await fallAsleep(first);
  const before = await kibibytes();
  const visitors = await inGroups(namesOf('idle', count), atOnce, join);
  const joined = await kibibytes();
  await inGroups(visitors, atOnce, completeTurn);
  const afterTurn = await kibibytes();
  await fallAsleep(visitors);
  const asleep = await kibibytes();
  return {
    joined: (joined - before) / count,
    afterTurn: (afterTurn - before) / count,
    asleep: (asleep - before) / count,
  };
}

await using stand = await openStand(options, { idleMs });
await stand.endpoint.script([{ reply: textReply(3) }]);
const rows = { joined: emptyMeasurements(), afterTurn: emptyMeasurements(), asleep: emptyMeasurements() };
for (let round = 0; round < rounds; round++) {
  for (const name of contestantNames) {
    const contestant = await stand.start(name);
    const each = await measureMemory(contestant);
    rows.joined[name].push(each.joined);
    rows.afterTurn[name].push(each.afterTurn);
    rows.asleep[name].push(each.asleep);
    await contestant.close();
  }
}
printTable(`${count} idle sessions`, 'KiB for a session with its connection', [
  { name: 'joined', values: rows.joined },
  { name: 'after a short turn', values: rows.afterTurn },
  { name: 'asleep, the client gone', values: rows.asleep },
]);
