// Measures what turns cost that stream at the same time: the server's work for a token and for the start of a turn, and memory.
//
// What is measured. One client, a session for each turn, and answers whose tokens (five characters each) come one by one, all turns
// together at some 1 000 a second. Work is the time of the server's process, all threads together. The work for a token is taken while all
// turns stream: from the first token of the last turn until the first turn ends. The start is the work from the SAYs to the first token of
// each turn, when every answer waits after its first token; then the memory that is reachable in the server's main thread, less what it was
// when the same sessions were at rest. Each session has had a turn before. The text that arrives is counted.
//
// What is NOT measured. Networks and TLS; many clients; long conversations, and tools. `floor lean` is the floor with Belay's transport:
// it shows which part of a ratio the transport is, and is only reported. Text that streams flat out is in `stream.ts`.
import type { Rule } from '../src/programs/scripted/reply.ts';
import { textReply } from './stand/chunks.ts';
import { type BenchClient, type BenchFrame, connectBenchClient, nextRef } from './stand/client.ts';
import { type Contestant, leanFloor, openStand } from './stand/contestants.ts';
import { inGroups } from './stand/in-groups.ts';
import { readOptions } from './stand/options.ts';
import { rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

interface Case {
  readonly turns: number;
  readonly tokens: number;
  readonly tokensPerSecond: number;
}

const options = readOptions();
const rounds = options.quick ? 2 : 4;
const charsPerToken = 5;
const cases: readonly Case[] = [
  { turns: 1, tokens: 500, tokensPerSecond: 200 },
  { turns: 100, tokens: options.quick ? 30 : 60, tokensPerSecond: 10 },
  { turns: 1_000, tokens: options.quick ? 15 : 25, tokensPerSecond: 1 },
];
const atOnce = 50;
const waitingTurns = options.quick ? 100 : 400;

const nameOf = ({ turns }: Case) => `${turns} ${turns === 1 ? 'turn' : 'turns'}`;
const wordsOf = ({ turns }: Case) => `one of ${turns} walks`; // no other case's words contain them

/** A client in sessions of its own. */
interface Crowd {
  readonly client: BenchClient;
  readonly sessions: readonly string[];
}

let crowds = 0;

async function gather(contestant: Contestant, count: number): Promise<Crowd> {
  const client = await connectBenchClient(contestant.url);
  const prefix = `crowd-${crowds++}`;
  const sessions = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  await inGroups(sessions, atOnce, async (session) => {
    await client.request({ type: 'JOIN', session }, 'joined');
    await client.completeTurn(session, 'hello');
  });
  return { client, sessions };
}

function sayToSessions({ client, sessions }: Crowd, words: string): void {
  for (const session of sessions) client.send({ type: 'SAY', ref: nextRef(), session, text: words });
}

/** Resolves when `count` frames of the type have come. */
function untilReceived({ client }: Crowd, type: string, count: number): Promise<void> {
  let left = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  client.tap((data) => {
    const frame = JSON.parse(data.toString()) as BenchFrame;
    if (frame.type !== type) return;
    left -= 1;
    if (left === 0) resolve();
  });
  return promise;
}

/** Microseconds of the server's process for a token, while all turns stream. */
async function measureTokens(one: Case, contestant: Contestant): Promise<number> {
  const crowd = await gather(contestant, one.turns);
  const streaming = new Set<unknown>();
  let chars = 0;
  const sample = async () => ({ chars, cpu: await contestant.cpu() });
  const first = Promise.withResolvers<Awaited<ReturnType<typeof sample>>>();
  const last = Promise.withResolvers<Awaited<ReturnType<typeof sample>>>();
  let ended = 0;
  const done = Promise.withResolvers<void>();
  crowd.client.tap((data) => {
    const frame = JSON.parse(data.toString()) as BenchFrame;
    if (frame.type === 'text_delta') {
      chars += String(frame['text']).length;
      if (streaming.size < one.turns && streaming.add(frame['session']).size === one.turns) first.resolve(sample());
    }
    if (frame.type !== 'turn_ended') return;
    ended += 1;
    if (ended === 1) last.resolve(sample());
    if (ended === one.turns) done.resolve();
  });
  sayToSessions(crowd, wordsOf(one));
  await done.promise;
  crowd.client.close();
  const tokens = one.turns * one.tokens;
  if (chars !== tokens * charsPerToken) throw new Error(`${contestant.name}: ${chars} characters have arrived`);
  const [from, to] = [await first.promise, await last.promise];
  if (streaming.size < one.turns || to.chars <= from.chars)
    throw new Error(`${contestant.name}: the turns did not stream together`);
  return ((to.cpu - from.cpu) * charsPerToken) / (to.chars - from.chars);
}

interface StartCost {
  /** Microseconds of the server's process. */
  readonly cpu: number;
  readonly kibibytes: number;
}

async function measureStarts(contestant: Contestant, release: () => Promise<void>): Promise<StartCost> {
  const crowd = await gather(contestant, waitingTurns);
  const atRest = await contestant.memory();
  const before = await contestant.cpu();
  const begun = untilReceived(crowd, 'text_delta', waitingTurns);
  sayToSessions(crowd, 'wait');
  await begun;
  const cpu = (await contestant.cpu()) - before;
  const streaming = await contestant.memory();
  const ended = untilReceived(crowd, 'turn_ended', waitingTurns);
  await release();
  await ended;
  crowd.client.close();
  return { cpu: cpu / waitingTurns, kibibytes: (streaming - atRest) / 1_024 / waitingTurns };
}

await using stand = await openStand(options);
const walks = cases.map((one): Rule => {
  const pace = { chunksPerSecond: one.tokensPerSecond, chunkChars: charsPerToken };
  return { when: { user: wordsOf(one) }, reply: { text: 'word '.repeat(one.tokens), pace } };
});
await stand.endpoint.script([
  ...walks,
  { when: { user: 'wait' }, reply: { text: 'word ', end: 'hang' } },
  { reply: textReply(1) },
]);
const contestants = [...(await stand.startAll()), await stand.start(leanFloor)];
const tokens = cases
  .filter((one) => nameOf(one).includes(options.only))
  .map((one) => ({ one, values: emptyMeasurements() }));
const starts = { cpu: emptyMeasurements(), kibibytes: emptyMeasurements() };
for (let round = -1; round < rounds; round++) {
  for (const contestant of rotate(contestants, round + 1)) {
    const start = await measureStarts(contestant, () => stand.endpoint.release());
    if (round >= 0) starts.cpu[contestant.name].push(start.cpu);
    if (round >= 0) starts.kibibytes[contestant.name].push(start.kibibytes);
  }
  for (const { one, values } of tokens) {
    for (const contestant of rotate(contestants, round + 1)) {
      const cpu = await measureTokens(one, contestant);
      if (round >= 0) values[contestant.name].push(cpu);
    }
  }
}
printTable(
  `turns at the same time, ${rounds} rounds`,
  "microseconds of the server's process for a token, while all stream",
  tokens.map(({ one, values }) => ({ name: nameOf(one), values })),
);
printTable(
  `start of a turn, ${rounds} rounds`,
  "microseconds of the server's process from the SAY to the first token",
  [{ name: `${waitingTurns} turns at once`, values: starts.cpu }],
);
printTable(`a streaming turn, ${rounds} rounds`, 'KiB of memory', [
  { name: `${waitingTurns} turns at once`, values: starts.kibibytes },
]);
