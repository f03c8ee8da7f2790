// What a session costs that nobody uses at the moment: the memory that a server keeps for each.
//
// What is measured. Bytes that are reachable in the main thread of a fresh server (heap and buffers, after a collection), before and
// after one client has joined many sessions, and again when each of them has had a short turn.
//
// What is NOT measured. The resident size of the process, with the heap's slack, the stacks and the threads. Sessions that have fallen
// asleep (Belay keeps nothing for them; the floor never lets go of one). Long conversations, connections, and idle time itself.
import { textReply } from './stand/chunks.ts';
import { connect } from './stand/client.ts';
import { type Contestant, contestantNames, openStand } from './stand/contestants.ts';
import { readOptions } from './stand/options.ts';
import { measured, printTable } from './stand/table.ts';

const options = readOptions();
const count = options.quick ? 100 : 400;
const rounds = options.quick ? 1 : 2;
const beforehand = 20; // what the first sessions bring along once for all
const atOnce = 10;

/** Kibibytes for a session: joined, and after a turn. */
async function take(contestant: Contestant): Promise<readonly [number, number]> {
  const client = await connect(contestant.url);
  const each = async (from: number, upTo: number, visit: (session: string) => Promise<unknown>) => {
    for (let i = from; i < upTo; i += atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, upTo - i) }, (_, j) => visit(`s${i + j}`)));
  };
  const join = (session: string) => client.ask({ type: 'JOIN', session }, 'joined');
  const talk = (session: string) => client.exchange(session, 'hello');
  const kibibytes = async () => (await contestant.memory()) / 1_024;

  await each(0, beforehand, join);
  await each(0, beforehand, talk);
  const empty = await kibibytes();
  await each(beforehand, beforehand + count, join);
  const joined = await kibibytes();
  await each(beforehand, beforehand + count, talk);
  const talked = await kibibytes();
  client.close();
  return [(joined - empty) / count, (talked - empty) / count];
}

await using stand = await openStand(options);
await stand.endpoint.script([{ reply: textReply(3) }]);
const joined = measured();
const talked = measured();
for (let round = 0; round < rounds; round++) {
  for (const name of contestantNames) {
    const contestant = await stand.start(name);
    const [first, second] = await take(contestant);
    joined[name].push(first);
    talked[name].push(second);
    await contestant.close();
  }
}
printTable(`${count} idle sessions`, 'KiB for a session', [
  { name: 'joined', values: joined },
  { name: 'after a short turn', values: talked },
]);
