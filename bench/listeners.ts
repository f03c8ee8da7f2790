// Measures what a frame costs the server for each of many listeners.
//
// What is measured. A session that many connections have joined, and an answer that streams to all of them, some 20 tokens a second. Work is the time of the
// server's process, all threads together, from the SAY to the end of the turn at the last listener, over the frames that all have received.
//
// What is NOT measured. Slow readers; networks. The listeners are sockets of one process, whose own work is not counted.
import { textReply } from './stand/chunks.ts';
import { type BenchClient, connectBenchClient, nextRef } from './stand/client.ts';
import { type Contestant, openStand } from './stand/contestants.ts';
import { inGroups } from './stand/in-groups.ts';
import { readOptions } from './stand/options.ts';
import { rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

const options = readOptions();
const rounds = options.quick ? 2 : 6;
const listeners = options.quick ? 200 : 1_000;
const tokens = options.quick ? 20 : 40;
const atOnce = 50;

interface Audience {
  readonly session: string;
  readonly clients: readonly BenchClient[];
}

let sessions = 0;

async function gather(contestant: Contestant): Promise<Audience> {
  const session = `s${sessions++}`;
  const clients = await inGroups(Array.from({ length: listeners }), atOnce, async () => {
    const client = await connectBenchClient(contestant.url);
    await client.request({ type: 'JOIN', session }, 'joined');
    return client;
  });
  return { session, clients };
}

/** Microseconds of the server's process for a frame to one listener. */
async function measureFrames({ session, clients }: Audience, contestant: Contestant): Promise<number> {
  let frames = 0;
  const received = Promise.all(
    clients.map((client) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      client.tap((data) => {
        frames++;
        if (data.includes('"type":"turn_ended"')) resolve();
      });
      return promise;
    }),
  );
  const before = await contestant.cpu();
  clients[0]?.send({ type: 'SAY', ref: nextRef(), session, text: 'talk' });
  await received;
  return ((await contestant.cpu()) - before) / frames;
}

await using stand = await openStand(options);
await stand.endpoint.script([
  { when: { user: 'talk' }, reply: { text: 'word '.repeat(tokens), pace: { chunksPerSecond: 20, chunkChars: 5 } } },
  { reply: textReply(1) },
]);
const contestants = await stand.startAll();
const audiences = new Map<Contestant, Audience>();
for (const contestant of contestants) audiences.set(contestant, await gather(contestant));
const values = emptyMeasurements();
for (let round = -1; round < rounds; round++)
  for (const contestant of rotate(contestants, round + 1)) {
    const cpu = await measureFrames(audiences.get(contestant) as Audience, contestant);
    if (round >= 0) values[contestant.name].push(cpu);
  }
printTable(
  `${listeners} listeners, ${rounds} rounds`,
  "microseconds of the server's process for a frame to a listener",
  [{ name: 'a frame', values }],
);
for (const { clients } of audiences.values()) for (const client of clients) client.close();
