// Counts what does not depend on the machine: commits, AbortControllers, actors, microsteps of the machines, frames that are encoded, and files that a start loads.
//
// What is counted. A gateway in this process, with a virtual clock, a log whose commits take a millisecond, a scripted model and connections without sockets
// (bench/counts). Two runs count the same, so test/bench/counts.test.ts holds each count to the table of docs/benchmarks.md.
//
// What is NOT counted. What adapters do: sockets, the request to a model, the threads of SQLite, processes of commands.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CallCounter } from './counts/call-counter.ts';
import type { CountedClient } from './counts/counted-world.ts';

const counter = new CallCounter({
  actors: { file: '/xstate/dist/raise-', name: 'Actor' },
  microsteps: { file: '/xstate/dist/raise-', name: 'microstep' },
  frames: { file: '/src/wire/codec.ts', name: 'encodeFrame' },
});
const { createCountedWorld } = await import('./counts/counted-world.ts');

/** The counts of one case, in the order of the columns. */
type Counts = Readonly<Record<'commits' | 'controllers' | 'actors' | 'microsteps' | 'frames', number>>;

let signals = 0;
let awaitedSignals = Number.POSITIVE_INFINITY;
let untilLastSignal: Counts | null = null;
const world = await createCountedWorld(() => {
  signals++;
  if (signals === awaitedSignals) untilLastSignal = takeCounts();
});
let commits = 0;

function takeCounts(): Counts {
  const { controllers, actors, microsteps, frames } = counter.take();
  const before = commits;
  commits = world.commits();
  return { commits: commits - before, controllers, actors, microsteps, frames };
}

const add = (a: Counts, b: Counts): Counts => ({
  commits: a.commits + b.commits,
  controllers: a.controllers + b.controllers,
  actors: a.actors + b.actors,
  microsteps: a.microsteps + b.microsteps,
  frames: a.frames + b.frames,
});

/** Resolves with what is counted until everything that follows from `act` has happened. */
async function countOf(act: () => void): Promise<Counts> {
  takeCounts();
  act();
  await world.clock.advance(100);
  return takeCounts();
}

let sessions = 0;
let refs = 0;
const nextRef = () => `r${refs++}`;

/** Joins a new session, and waits for what follows. */
async function joinSession(clients: readonly CountedClient[]): Promise<string> {
  const session = `s${sessions++}`;
  for (const client of clients) client.send({ type: 'JOIN', ref: nextRef(), session });
  await world.clock.advance(100);
  return session;
}

const say = (client: CountedClient, session: string, text: string) =>
  client.send({ type: 'SAY', ref: nextRef(), session, text });
const stop = (client: CountedClient, session: string) =>
  client.send({ type: 'CANCEL', ref: nextRef(), session, target: 'mine' });

/** Says the words in a new session, and waits for what follows. */
async function startTurn(client: CountedClient, text: string): Promise<string> {
  const session = await joinSession([client]);
  say(client, session, text);
  await world.clock.advance(100);
  return session;
}

/** Throws unless the client has received as many frames of the type. */
function expectFrames(client: CountedClient, type: string, count: number): void {
  const received = client.take().map((frame) => frame.type);
  const found = received.filter((one) => one === type).length;
  if (found !== count)
    throw new Error(`${found} frames ${type} were received, and ${count} are expected: ${received}.`);
}

const client = await world.connect();

async function countShortTurn(listeners: number): Promise<Counts> {
  const others: CountedClient[] = [];
  for (let i = 1; i < listeners; i++) others.push(await world.connect());
  const session = await joinSession([client, ...others]);
  client.take();
  const counts = await countOf(() => say(client, session, 'hello'));
  expectFrames(client, 'turn_ended', 1);
  for (const other of others) other.send({ type: 'LEAVE', ref: nextRef(), session });
  await world.clock.advance(100);
  return counts;
}

/** Resolves with what a connection and a session that it joins cost, without a turn. */
const countJoin = () =>
  countOf(() => {
    void world.connect().then((other) => other.send({ type: 'JOIN', ref: nextRef(), session: `s${sessions++}` }));
  });

async function countStart(tools: number): Promise<Counts> {
  const session = await joinSession([client]);
  client.take();
  const counts = await countOf(() => say(client, session, `run ${tools} tools`));
  expectFrames(client, 'tool_started', tools);
  stop(client, session);
  await world.clock.advance(100);
  return counts;
}

async function countStop(text: string): Promise<Counts> {
  const session = await startTurn(client, text);
  client.take();
  const counts = await countOf(() => stop(client, session));
  expectFrames(client, 'cancel_settled', 1);
  return counts;
}

const stormSize = 32;

/** Resolves with what is counted until the last tool has its signal, and then until everything has settled: all CANCELs are read in one turn of the event loop. */
async function countStorm(): Promise<readonly [untilSignal: Counts, untilSettled: Counts]> {
  const busy: string[] = [];
  for (let i = 0; i < stormSize; i++) busy.push(await startTurn(client, 'run 3 tools'));
  client.take();
  signals = 0;
  awaitedSignals = 3 * stormSize;
  // as sockets that are readable at the same time: promises settle after each
  const rest = await countOf(() => {
    for (const session of busy) setImmediate(() => stop(client, session));
  });
  if (!untilLastSignal) throw new Error(`${signals} of ${awaitedSignals} signals have fired.`);
  expectFrames(client, 'cancel_settled', stormSize);
  return [untilLastSignal, add(untilLastSignal, rest)];
}

/** Resolves with the number of files that `npm start` loads until it listens. */
async function countFilesOfStart(): Promise<number> {
  const program = fileURLToPath(new URL('../src/programs/serve.ts', import.meta.url));
  const hook = fileURLToPath(new URL('./counts/count-files.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', '--import', hook, program, '--port', '0', '--store', 'memory'];
  const { OPENAI_BASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, args, {
    env: { ...env, OPENAI_API_KEY: 'none' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The gateway exited with ${code} before it listened.`);
  });
  exited.catch(() => {}); // after the count it is ended
  const [files] = await Promise.race([once(child, 'message'), exited]);
  child.kill();
  return Number(files);
}

await countShortTurn(1); // what only a first turn does
const [untilSignal, untilSettled] = await countStorm();
const counted: Readonly<Record<string, Counts>> = {
  'short turn': await countShortTurn(1),
  'short turn, 10 listeners': await countShortTurn(10),
  'connect and join': await countJoin(),
  'start of 3 tools': await countStart(3),
  'start of 64 tools': await countStart(64),
  'stop of 3 tools': await countStop('run 3 tools'),
  'stop of 64 tools': await countStop('run 64 tools'),
  'stop mid-stream': await countStop('talk'),
  [`storm of ${stormSize}, until the last signal`]: untilSignal,
  [`storm of ${stormSize}, until all have settled`]: untilSettled,
};
const filesOfStart = await countFilesOfStart();

if (process.argv.includes('--json')) console.log(JSON.stringify({ ...counted, boot: { files: filesOfStart } }));
else {
  console.table(counted);
  console.log(`boot: ${filesOfStart} files`);
}
process.exit();
