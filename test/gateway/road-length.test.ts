// The length of two roads, counted in a real gateway: what it executes to stop one shell command, and to say one thing until the first words of the reply.
// docs/architecture.md has both, held to the calls of one more run. Above its limit a road is to be shortened: a file or a function that only calls the next one goes. The list of what was executed is in the failure.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { architecture, filesBesideRoads, type RoadName, roadIn, roadNames } from '../house/roads.ts';
import { type ServedBelay, serveBelay, tokenOf } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { scaled } from '../support/time-scale.ts';

const root = join(import.meta.dirname, '..', '..');
const endpoint = useEndpoint();

interface Length {
  /** Named functions. */
  readonly functions: number;
  readonly files: number;
  /** The lines of all these files together. */
  readonly lines: number;
}

const limits: Readonly<Record<RoadName, Length>> = {
  CANCEL: { functions: 280, files: 70, lines: 10_000 },
  SAY: { functions: 320, files: 80, lines: 12_600 },
};

/** Runs after the one in which modules are loaded. */
const runs = 6;

/**
 * The shortest runs, which count: what most of them execute. On a busy machine things meet that else come one after the other, and are no part of the road: a pong arrives.
 */
const countedRuns = 3;

let counts = 0;

interface Count {
  /** The named functions that were executed, each as `file function offset`. */
  readonly functions: readonly string[];
  /** Those that are traced, in the order of their calls. */
  readonly calls: readonly string[];
}

/** Resolves with what the gateway has executed since the last count. `traced`: the functions whose calls are noted from now on. */
async function count({ child }: ServedBelay, traced: readonly string[] = []): Promise<Count> {
  const name = `count${counts++}`;
  child.type(`${name} ${JSON.stringify(traced)}`);
  const [, counted = ''] = await child.untilPrinted(new RegExp(`^counted ${name} (.*)\n`, 'm'));
  return JSON.parse(counted);
}

/** Takes both roads once, each in a new session. */
async function takeRoads(belay: ServedBelay, client: RawClient, run: number): Promise<Record<RoadName, Count>> {
  const [stopped, said] = [`stopped${run}`, `said${run}`];
  await client.join(stopped);
  client.send({ type: 'SAY', ref: `run${run}`, session: stopped, text: 'run it' });
  const { turn } = await client.waitFor('turn_started', { session: stopped });
  await client.waitFor('tool_output', { session: stopped });
  await count(belay);
  client.send({ type: 'CANCEL', ref: `cancel${run}`, session: stopped, target: turn });
  await client.waitFor('cancel_settled', { session: stopped });
  const cancel = await count(belay);
  await client.join(said);
  await count(belay);
  client.send({ type: 'SAY', ref: `say${run}`, session: said, text: 'talk' });
  await client.waitFor('text_delta', { session: said });
  return { CANCEL: cancel, SAY: await count(belay) };
}

beforeAll(async () => {
  await endpoint.script([
    { when: { user: 'run it', round: 0 }, reply: { calls: [shellCall('echo runs; sleep 60')] } },
    { when: { user: 'talk' }, reply: { text: 'Well', end: 'hang' } },
  ]);
}, scaled(30_000));

/** Returns `file function` of a function that was executed. */
const stepIn = (one: string) => one.split(' ', 2).join(' ');

/** Returns the documented steps of a road in the gateway: V8 knows a method by its own name alone. */
const stepsOf = (name: RoadName): string[] =>
  roadIn(architecture, name)
    .filter(({ file }) => !file.startsWith('src/client/'))
    .map(({ file, defines }) => `${file} ${defines.split('.').at(-1)}`);

/** The comparison of a process with the one that was ended, where its pid is still there when it is looked for again: on a busy machine in every run. */
const secondLook = ['bears', 'environmentIn', 'environmentOf'].map(
  (name) => `src/adapters/processes/procfs.ts ${name}`,
);

const fileOf = (one: string) => one.split(' ', 1)[0] ?? '';

/** Returns the steps of a road that are not called after those before them. */
function missedSteps(name: RoadName, calls: readonly string[]): string[] {
  const called = calls.map(stepIn);
  let at = -1;
  return stepsOf(name).filter((step) => {
    const next = called.indexOf(step, at + 1);
    if (next !== -1) at = next;
    return next === -1;
  });
}

function lengthOf(functions: ReadonlySet<string>): Length {
  const files = new Set([...functions].map(fileOf));
  const lines = [...files].map((file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1);
  return { functions: functions.size, files: files.size, lines: lines.reduce((sum, one) => sum + one, 0) };
}

/** Returns what was executed on a road in most of the runs that count, each as `file function offset`. */
function shortestOf(taken: readonly Record<RoadName, Count>[], name: RoadName): ReadonlySet<string> {
  const shortest = taken.map((roads) => roads[name].functions).sort((a, b) => a.length - b.length);
  const counted = shortest.slice(0, countedRuns);
  const isInMost = (one: string) => counted.filter((functions) => functions.includes(one)).length > countedRuns / 2;
  return new Set(counted.flat().filter((one) => isInMost(one) && !secondLook.includes(stepIn(one))));
}

test('the roads are no longer than their limits, and are those of docs/architecture.md', async () => {
  const config = { limits: { leaseMs: 3_600_000 } }; // no renewal falls into a run
  const belay = await serveBelay(endpoint, { program: ['test/children/counted-gateway.ts'], config });
  const client = await connectRaw(belay.url);
  await client.hello(tokenOf('ann'));
  await takeRoads(belay, client, 0);
  const taken: Record<RoadName, Count>[] = [];
  for (let run = 1; run <= runs; run++) taken.push(await takeRoads(belay, client, run));
  const executed = { CANCEL: shortestOf(taken, 'CANCEL'), SAY: shortestOf(taken, 'SAY') };
  const steps = new Set(roadNames.flatMap((name) => stepsOf(name)));
  const traced = [...executed.CANCEL, ...executed.SAY].filter((one) => steps.has(stepIn(one)));
  await count(belay, traced);
  const roads = await takeRoads(belay, client, runs + 1);
  for (const name of roadNames) {
    const length = lengthOf(executed[name]);
    const isTooLong = (['functions', 'files', 'lines'] as const).some((part) => length[part] > limits[name][part]);
    expect.soft(isTooLong ? [length, ...[...executed[name]].sort()] : [], `the road of a ${name}`).toEqual([]);
    expect.soft(length.functions, 'it counts').toBeGreaterThan(limits[name].functions / 2);
    expect.soft(missedSteps(name, roads[name].calls), `steps of a ${name} that do not follow those above`).toEqual([]);
  }
  const beside = filesBesideRoads(architecture);
  const documented = new Set([...roadNames.flatMap((name) => stepsOf(name).map(fileOf)), ...beside]);
  // a file is on a road if each run executes it; on a busy machine a single run executes more, or less
  const filesOf = (roads: Record<RoadName, Count>) =>
    new Set(roadNames.flatMap((name) => roads[name].functions.map(fileOf)));
  const filesOfRuns = taken.map(filesOf);
  const [first = new Set<string>()] = filesOfRuns;
  const undocumented = [...first].filter(
    (file) => !documented.has(file) && filesOfRuns.every((files) => files.has(file)),
  );
  const unexecuted = beside.filter((file) => !filesOfRuns.some((files) => files.has(file)));
  expect.soft({ undocumented, unexecuted }).toEqual({ undocumented: [], unexecuted: [] });
});
