// Measures how fast a cancel is: from the client's CANCEL to the signal in the tools, to `cancel_accepted`, to `cancel_settled`.
//
// What is measured. Four servers over real sockets, each in a process of its own, against one scripted endpoint: Belay's gateway with its
// SQLite log and with a log in memory, and the floor (bench/floor) with a file that it syncs and without. They take turns within each
// round, so that what slows the machine for a while slows all of them. Each sample opens a session, lets a turn get busy, waits until
// all of its tools have said that they run, and cancels it by its id.
//   signal    the last of the in-process tools has seen its AbortSignal
//   accepted  the client has received `cancel_accepted`, which both write to the disk first if they have one
//   settled   the client has received `cancel_settled`: every tool has ended, every process of a command has exited
//   CPU       the time that the server's process has worked for the stop, all threads together
// Afterwards each sample is checked: a second turn of the session must complete at the endpoint, which rejects calls and results that
// do not pair, and no process of a command may be alive.
//
// What is NOT measured. Tools that ignore their signal, or are slow to stop. Networks. Many cancels at the same time. A server under load: one turn
// runs at a time. Belay's client library. What the receipts hold: the floor's holds less (see its header).
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Rule } from '../src/programs/scripted/reply.ts';
import { callsReply, textReply } from './stand/chunks.ts';
import { type BenchClient, connectBenchClient, nextRef } from './stand/client.ts';
import { type Contestant, commandCount, openStand } from './stand/contestants.ts';
import { readOptions } from './stand/options.ts';
import { rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

interface Case {
  readonly name: string;
  /** The words that the script answers to. */
  readonly words: string;
  /** The frame that a busy turn sends, and how many of them show that all of it runs. */
  readonly alive: readonly [type: string, count: number];
  /** Tools inside the server's process. */
  readonly tools: number;
}

const tools = (count: number): Case => ({
  name: count === 1 ? '1 tool' : `${count} tools`,
  words: `run ${count} tools`,
  alive: ['tool_output', count],
  tools: count,
});
const cases: readonly Case[] = [
  { name: 'streaming text', words: 'talk', alive: ['text_delta', 5], tools: 0 },
  tools(1),
  tools(3),
  tools(8),
  tools(64),
  {
    name: `${commandCount} commands`,
    words: 'run the commands',
    alive: ['tool_output', commandCount],
    tools: 0,
  },
  { name: 'sub-agent with 4 tools', words: 'delegate', alive: ['tool_output', 4], tools: 4 },
];

const waits = (count: number) =>
  callsReply(Array.from({ length: count }, (_, n) => ({ name: 'wait', arguments: { n } })));

function rules(roots: readonly string[]): readonly Rule[] {
  const command = 'echo $$; sleep 30; echo over'; // two processes: the shell and the sleep
  return [
    ...[1, 3, 8, 64].map((count) => ({ when: { user: `run ${count} tools` }, reply: waits(count) })),
    {
      when: { user: 'run the commands' },
      reply: callsReply(roots.map((cwd) => ({ name: 'shell', arguments: { command, cwd } }))),
    },
    {
      when: { user: 'delegate' },
      reply: callsReply([{ name: 'spawn_agent', arguments: { task: 'run them', agent: 'helper' } }]),
    },
    { when: { user: 'run them' }, reply: waits(4) },
    { when: { user: 'talk' }, reply: { text: 'word '.repeat(1_000), pace: { chunksPerSecond: 200, chunkChars: 5 } } },
    { reply: textReply(3) },
  ];
}

interface Sample {
  readonly signal: number | null;
  readonly accepted: number;
  readonly settled: number;
  /** Microseconds. */
  readonly cpu: number;
}

let sessions = 0;

async function measureCancel(one: Case, client: BenchClient, contestant: Contestant): Promise<Sample> {
  const session = `s${sessions++}`;
  await client.request({ type: 'JOIN', session }, 'joined');
  const [type, count] = one.alive;
  const groups: number[] = [];
  const alive = client.receive((frame) => {
    const isAlive = frame.type === type && frame['session'] === session;
    if (isAlive && one.name.endsWith('commands')) groups.push(Number(frame['text']));
    return isAlive;
  }, count);
  const { frame: opened } = await client.request({ type: 'SAY', session, text: one.words }, 'turn_opened');
  await alive;
  await pause(10); // what the start of the turn has left to do, and the disk
  await contestant.marks();
  const before = await contestant.cpu();

  const ref = nextRef();
  const accepted = client.receive((frame) => frame.type === 'cancel_accepted' && frame['ref'] === ref);
  const settled = client.receive((frame) => frame.type === 'cancel_settled' && frame['ref'] === ref);
  const at = client.send({ type: 'CANCEL', ref, session, target: String(opened['turn']) });
  const times = { accepted: (await accepted).at - at, settled: (await settled).at - at };
  if (!groups.every(Number.isInteger))
    throw new Error(`${contestant.name} printed ${groups} where process groups are expected`);
  const living = processesOf(groups);
  if (living.length > 0)
    throw new Error(`${contestant.name} reported the settling while these processes live: ${living.join('; ')}`);

  await pause(5); // what the stop has left to do
  const cpu = (await contestant.cpu()) - before;
  const marks = await contestant.marks();
  if (marks.length !== one.tools)
    throw new Error(`${contestant.name}: ${marks.length} of ${one.tools} tools were stopped`);
  await client.completeTurn(session, 'and now?');
  await client.request({ type: 'LEAVE', session }, 'left');
  return { ...times, cpu, signal: one.tools > 0 ? Math.max(...marks) - at : null };
}

/** Returns the live processes of these groups. One without arguments is a zombie or exits: it has no program any more. */
function processesOf(groups: readonly number[]): readonly string[] {
  if (groups.length === 0) return [];
  const lines = execFileSync('ps', ['-eo', 'pgid=,state=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => {
    const [group, state = '', program = ''] = line.trim().split(/\s+/);
    return groups.includes(Number(group)) && !state.startsWith('Z') && !program.startsWith('[');
  });
}

const options = readOptions();
const rounds = options.quick ? 5 : 30;
const warmUps = options.quick ? 2 : 5;
await using stand = await openStand(options);
await stand.endpoint.script(rules(stand.roots));
const contestants = await stand.startAll();
const clients = new Map<Contestant, BenchClient>();
for (const contestant of contestants) clients.set(contestant, await connectBenchClient(contestant.url));

const results = cases
  .filter(({ name }) => name.includes(options.only))
  .map((one) => ({
    one,
    signal: emptyMeasurements(),
    accepted: emptyMeasurements(),
    settled: emptyMeasurements(),
    cpu: emptyMeasurements(),
  }));
for (let round = -warmUps; round < rounds; round++) {
  for (const { one, signal, accepted, settled, cpu } of results) {
    for (const contestant of rotate(contestants, round + warmUps)) {
      const sample = await measureCancel(one, clients.get(contestant) as BenchClient, contestant).catch(
        (cause: unknown) => {
          throw new Error(`${one.name} at "${contestant.name}"`, { cause });
        },
      );
      if (round < 0) continue;
      if (sample.signal !== null) signal[contestant.name].push(sample.signal);
      accepted[contestant.name].push(sample.accepted);
      settled[contestant.name].push(sample.settled);
      cpu[contestant.name].push(sample.cpu);
    }
  }
}
printTable(
  `cancel, ${rounds} rounds`,
  'milliseconds from the CANCEL at the client',
  results.flatMap(({ one, signal, accepted, settled }) => [
    ...(one.tools > 0 ? [{ name: `${one.name}: signal`, values: signal }] : []),
    { name: `${one.name}: accepted`, values: accepted },
    { name: `${one.name}: settled`, values: settled },
  ]),
);
printTable(
  `cancel, ${rounds} rounds`,
  "microseconds of the server's process for a stop",
  results.map(({ one, cpu }) => ({ name: `${one.name}: CPU`, values: cpu })),
);
for (const client of clients.values()) client.close();
