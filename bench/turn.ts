// Measures what a turn costs apart from the model: from SAY to the first text and to the end of the turn, and what it costs the server.
//
// What is measured. A conversation of short exchanges, one after the other, in one session of each server: a plain answer of three
// tokens, and an answer that first calls eight tools which are done at once. The endpoint answers at once and in one piece, so what is
// left is the server's own; a plain request by the `openai` client alone is printed beside it, and is contained in each figure. Also the
// time that the server's process has worked for a turn, all threads together.
//
// What is NOT measured. Long histories: a session is left after ten turns. Many sessions at the same time. The first turn of a session,
// and the opening of a session.
import OpenAI from 'openai';
import { callsReply, textReply } from './stand/chunks.ts';
import { type BenchClient, type BenchFrame, connectBenchClient, nextRef } from './stand/client.ts';
import { type Contestant, openStand } from './stand/contestants.ts';
import { now } from './stand/now.ts';
import { readOptions } from './stand/options.ts';
import { median, rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

interface Case {
  readonly name: string;
  readonly words: string;
  /** Calls that each turn makes. */
  readonly calls: number;
}

const options = readOptions();
const rounds = options.quick ? 4 : 15;
const turnsPerRound = 10;
const cases: readonly Case[] = [
  { name: 'hello', words: 'hello', calls: 0 },
  { name: '8 tools', words: 'use the tools', calls: 8 },
];

interface Sample {
  readonly first: number;
  readonly ended: number;
  /** Microseconds. */
  readonly cpu: number;
}

let sessions = 0;

/** Resolves with the medians over the turns of a conversation. */
async function measureTurn({ words, calls }: Case, client: BenchClient, contestant: Contestant): Promise<Sample> {
  const session = `s${sessions++}`;
  await client.request({ type: 'JOIN', session }, 'joined');
  await client.completeTurn(session, words);
  const first: number[] = [];
  const ended: number[] = [];
  const before = await contestant.cpu();
  for (let turn = 0; turn < turnsPerRound; turn++) {
    // a short text may be whole before the words are on the disk: then it comes in one piece
    const text = client.receive(({ type, text }) => type === 'text_delta' || (type === 'model_ended' && text !== ''));
    const isDone = ({ type, outcome }: BenchFrame) => type === 'tool_result' && outcome === 'completed';
    const done = calls > 0 ? client.receive(isDone, calls) : null;
    const end = client.receive((frame) => frame.type === 'turn_ended');
    const at = client.send({ type: 'SAY', ref: nextRef(), session, text: words });
    await done;
    first.push((await text).at - at);
    ended.push((await end).at - at);
  }
  const cpu = (await contestant.cpu()) - before;
  await client.request({ type: 'LEAVE', session }, 'left');
  return { first: median(first), ended: median(ended), cpu: cpu / turnsPerRound };
}

/** Resolves with the milliseconds of the same request by the `openai` client, without a server between. */
async function askAlone(openai: OpenAI): Promise<number> {
  const at = now();
  const messages = [{ role: 'user' as const, content: 'hello' }];
  for await (const _ of await openai.chat.completions.create({ model: 'scripted', messages, stream: true })) {
  }
  return now() - at;
}

await using stand = await openStand(options);
const calls = Array.from({ length: 8 }, (_, n) => ({ name: 'wait', arguments: { ms: 0, n } }));
await stand.endpoint.script([
  { when: { user: 'use the tools', round: 0 }, reply: callsReply(calls) },
  { reply: textReply(3) },
]);
const contestants = await stand.startAll();
const clients = new Map<Contestant, BenchClient>();
for (const contestant of contestants) clients.set(contestant, await connectBenchClient(contestant.url));
const openai = new OpenAI({ baseURL: stand.endpoint.url, apiKey: 'none', maxRetries: 0 });

const results = cases
  .filter(({ name }) => name.includes(options.only))
  .map((one) => ({ one, first: emptyMeasurements(), ended: emptyMeasurements(), cpu: emptyMeasurements() }));
const alone: number[] = [];
for (let round = -2; round < rounds; round++) {
  for (const { one, first, ended, cpu } of results) {
    for (const contestant of rotate(contestants, round + 2)) {
      const sample = await measureTurn(one, clients.get(contestant) as BenchClient, contestant);
      if (round < 0) continue;
      first[contestant.name].push(sample.first);
      ended[contestant.name].push(sample.ended);
      cpu[contestant.name].push(sample.cpu);
    }
  }
  for (let i = 0; i < turnsPerRound; i++) alone.push(await askAlone(openai));
}
printTable(
  `a turn, ${rounds} rounds of ${turnsPerRound}`,
  'milliseconds from the SAY at the client',
  results.flatMap(({ one, first, ended }) => [
    { name: `${one.name}: first text`, values: first },
    { name: `${one.name}: ended`, values: ended },
  ]),
);
console.log(`(a request by the openai client alone: ${median(alone).toFixed(2)} ms)`);
printTable(
  `a turn, ${rounds} rounds of ${turnsPerRound}`,
  "microseconds of the server's process for a turn",
  results.map(({ one, cpu }) => ({ name: one.name, values: cpu })),
);
for (const client of clients.values()) client.close();
