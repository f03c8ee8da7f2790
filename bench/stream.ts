// Measures how fast text streams: tokens per second from the endpoint to one client and to twenty, and what a token costs the server.
//
// What is measured. An answer of one token (five characters) for each chunk, which the endpoint writes in one piece: so the server is
// what limits the flow. The seconds run from the SAY to the end of the turn at the slowest client. Beside it the time that the
// server's process has worked for a token, all threads together, which a busy machine disturbs less; also if the chunks come one by
// one, at the pace of a fast model. At the end the `openai` client alone reads the same answer: nothing built on it is faster.
// The text that arrives is compared with what the endpoint has sent. Before a flood the model makes one call: so the words of the turn
// are on the disk by then. What Belay holds back until the start of the second one is there, too, arrives in one piece.
//
// What is NOT measured. The time that a token is on its way. Slow readers, many sessions, networks. With twenty clients one process reads
// for all of them, and has a part in the tokens per second, the same for each server; it has none in the server's time. A server may
// put what waits for a slow socket into one frame: Belay does, the floor does not; tokens are counted, not frames.
import OpenAI from 'openai';
import type { Rule } from '../src/programs/scripted/reply.ts';
import { callsReply, textReply } from './stand/chunks.ts';
import { type BenchClient, type BenchFrame, connectBenchClient, nextRef } from './stand/client.ts';
import { type Contestant, leanFloor, openStand } from './stand/contestants.ts';
import { now } from './stand/now.ts';
import { readOptions } from './stand/options.ts';
import { median, rotate } from './stand/statistics.ts';
import { emptyMeasurements, printTable } from './stand/table.ts';

interface Case {
  readonly name: string;
  readonly words: string;
  readonly clients: number;
  readonly tokens: number;
  readonly paced: boolean;
}

const options = readOptions();
const rounds = options.quick ? 2 : 8;
const charsPerToken = 5;
const cases: readonly Case[] = [
  { name: '1 client', words: 'flood one', clients: 1, tokens: options.quick ? 4_000 : 10_000, paced: false },
  { name: '20 clients', words: 'flood many', clients: 20, tokens: options.quick ? 500 : 1_500, paced: false },
  { name: '1 client, paced', words: 'walk', clients: 1, tokens: options.quick ? 100 : 250, paced: true },
];

interface Sample {
  readonly tokensPerSecond: number;
  /** Microseconds of the server's process. */
  readonly cpu: number;
}

/** Counts the characters of the deltas that come, as one who must read them does, until the turn has ended. */
function reader(client: BenchClient) {
  let chars = 0;
  const { promise: ended, resolve } = Promise.withResolvers<{ chars: number; last: number }>();
  client.tap((data) => {
    const frame = JSON.parse(data.toString()) as BenchFrame;
    if (frame.type === 'text_delta') chars += String(frame['text']).length;
    if (frame.type === 'turn_ended') resolve({ chars, last: now() });
  });
  return ended;
}

let sessions = 0;

async function measureStream(one: Case, contestant: Contestant): Promise<Sample> {
  const session = `s${sessions++}`;
  const clients: BenchClient[] = [];
  for (let i = 0; i < one.clients; i++) clients.push(await connectBenchClient(contestant.url));
  await Promise.all(clients.map((client) => client.request({ type: 'JOIN', session }, 'joined')));
  const reading = clients.map(reader);
  const before = await contestant.cpu();
  const began = now();
  clients[0]?.send({ type: 'SAY', ref: nextRef(), session, text: one.words });
  const read = await Promise.all(reading);
  const cpu = (await contestant.cpu()) - before;
  for (const client of clients) client.close();
  for (const { chars } of read) {
    if (chars !== one.tokens * charsPerToken) throw new Error(`${contestant.name}: ${chars} characters have arrived`);
  }
  const ms = Math.max(...read.map(({ last }) => last)) - began;
  return { tokensPerSecond: (one.tokens / ms) * 1_000, cpu: cpu / one.tokens };
}

/** The `openai` client by itself. */
async function readAlone({ words }: Case, baseURL: string): Promise<number> {
  const openai = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: words }];
  const began = now();
  let chars = 0;
  for await (const chunk of await openai.chat.completions.create({ model: 'scripted', messages, stream: true })) {
    chars += (chunk.choices[0]?.delta.content ?? '').length;
  }
  return (chars / charsPerToken / (now() - began)) * 1_000;
}

await using stand = await openStand(options);
await stand.endpoint.script(
  cases.flatMap(({ words, tokens, paced }): Rule[] => {
    const text = 'word '.repeat(tokens);
    if (paced)
      return [{ when: { user: words }, reply: { text, pace: { chunksPerSecond: 500, chunkChars: charsPerToken } } }];
    const call = { name: 'wait', arguments: { n: 0, ms: 0 } };
    return [
      { when: { user: words, declares: 'wait', round: 0 }, reply: callsReply([call]) },
      { when: { user: words }, reply: textReply(tokens) },
    ];
  }),
);
const contestants = [...(await stand.startAll()), await stand.start(leanFloor)];
const results = cases
  .filter(({ name }) => name.includes(options.only))
  .map((one) => ({ one, speed: emptyMeasurements(), cpu: emptyMeasurements(), alone: [] as number[] }));
for (let round = -1; round < rounds; round++) {
  for (const { one, speed, cpu, alone } of results) {
    for (const contestant of rotate(contestants, round + 1)) {
      const sample = await measureStream(one, contestant);
      if (round < 0) continue;
      speed[contestant.name].push(sample.tokensPerSecond);
      cpu[contestant.name].push(sample.cpu);
    }
    if (!one.paced) alone.push(await readAlone(one, stand.endpoint.url));
  }
}
printTable(
  `streaming, ${rounds} rounds`,
  'tokens per second at each client',
  results.filter(({ one }) => !one.paced).map(({ one, speed }) => ({ name: one.name, values: speed })),
  'more',
);
const [flood] = results.filter(({ one }) => one.clients === 1 && !one.paced);
if (flood) console.log(`(the openai client alone: ${median(flood.alone).toFixed(0)} tokens per second)`);
printTable(
  `streaming, ${rounds} rounds`,
  "microseconds of the server's process for a token",
  results.map(({ one, cpu }) => ({ name: one.name, values: cpu })),
);
