// npm run prove: plays the scenarios under virtual time with a CANCEL at its steps, and judges each run by the laws.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { mendedBugs } from './bugs/mended-bugs.ts';
import { plantBug } from './bugs/plant-bug.ts';
import { type PlantedBug, plants } from './bugs/plants.ts';
import { type SweepKind, sweepKinds } from './sweep-kinds.ts';

const usage = `npm run prove -- [--full] [--sweep KIND]… [--seed N] [--seeds COUNT] [--scenario NAME]… [--every N] [--processes N] [--report FILE] [--page]
                [--plant NAME]
npm run prove -- --replay TEXT [--plant NAME]
npm run prove -- --plants
npm run prove -- --mutate [--seed N] [--sample COUNT] [--again]
npm run prove -- --soak virtual|real|both [--seed N]

The first plays each scenario, then once for each of its steps with one CANCEL there, then with crashes of the host; with --full with each CANCEL and each crash
that is possible there. Then it takes pairs of a CANCEL and something else: a few, or with --full until no new state is seen. At last it takes, in rooms that are
made for it, the phases of machines that have not met each event: a whole run fails for one that is left. --sweep takes cancels, crashes, pairs or cells alone.
--page writes what was seen into docs/cancellation.md. --every 5 takes every fifth step. --processes says how many processes share the work; without it there is
one for each core. The second plays a run again that has failed. --plant plants a bug (scripts/prove/bugs/plants.ts), which must be seen; --plants plants each of them
in turn, and then the mended bugs of scripts/prove/bugs/mended-bugs.ts. --mutate makes changes in machines/ and src/core, each in a copy of the checkout, and runs
the nearest tests and a sweep; it goes on where the last run stopped; --again runs those once more that were not seen. --soak takes an hour of virtual time, two
minutes with a real gateway, or both. docs/proof.md says more. Exit code: 0 if no law was broken (--plants: if each bug was seen), 1 if one was, 2 if it could
not start.`;

const defaultSeed = 1;
/** Laws that a scenario may break before the next one is swept. */
const maxBroken = 3;
/** The seeds have different times of commits, in turn. */
const defaultSeeds = 2;

function readOptions() {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(defaultSeed) },
      seeds: { type: 'string', default: String(defaultSeeds) },
      scenario: { type: 'string', multiple: true },
      sweep: { type: 'string', multiple: true, default: [...sweepKinds] },
      every: { type: 'string', default: '1' },
      processes: { type: 'string', default: String(availableParallelism()) },
      report: { type: 'string', default: 'prove.json' },
      replay: { type: 'string' },
      plant: { type: 'string' },
      plants: { type: 'boolean', default: false },
      mutate: { type: 'boolean', default: false },
      sample: { type: 'string' },
      soak: { type: 'string' },
      again: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
    },
  });
  const first = numberOf('--seed', values.seed, 0);
  const count = numberOf('--seeds', values.seeds, 1);
  const seeds = Array.from({ length: count }, (_, i) => first + i);
  const every = numberOf('--every', values.every, 1);
  const processes = numberOf('--processes', values.processes, 1);
  const sample = values.sample === undefined ? null : numberOf('--sample', values.sample, 1);
  return { ...values, seeds, sample, kinds: values.sweep.map(kindOf), every, processes };
}

/** Throws if no sweep has the name. */
function kindOf(name: string): SweepKind {
  const kind = sweepKinds.find((one) => one === name);
  if (kind) return kind;
  throw new Error(`--sweep is ${name}; it must be one of ${sweepKinds.join(', ')}.`);
}

/** Reads the value of an option. Throws if it is no whole number from `least` on. */
function numberOf(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${option} is ${text}; it must be a whole number from ${least} on.`);
}

/** The processor time that the sweep of a planted bug takes at most, in seconds: a busy machine does not end it. */
const maxPlantSeconds = 300;

/** Plants a bug in a process of its own. Resolves with its exit code; null: it was ended. */
async function sweepPlant({ name, scenario, isFull, seed = defaultSeed, sweep = 'cancels' }: PlantedBug) {
  const options = ['--scenario', scenario, '--sweep', sweep, '--seed', String(seed), '--seeds', '1'];
  const args = [
    import.meta.filename,
    '--plant',
    name,
    '--report',
    '/dev/null',
    ...options,
    ...(isFull ? ['--full'] : []),
  ];
  const limited = `ulimit -t ${maxPlantSeconds}; exec "$0" "$@"`;
  const child = spawn('sh', ['-c', limited, process.execPath, ...args], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code as number | null; // as the event is documented
}

/** Plants each bug, `processes` at the same time. Resolves with how many were not seen. */
async function sweepPlants(bugs: readonly PlantedBug[], of: string, processes: number): Promise<number> {
  const left = bugs.values();
  let seen = 0;
  const sweepNext = async (): Promise<void> => {
    for (const bug of left) {
      const code = await sweepPlant(bug);
      if (code === 1) seen += 1;
      console.log(`${code === 1 ? 'seen    ' : 'NOT SEEN'}  ${bug.name}${code === 1 ? '' : ` (exit code ${code})`}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, sweepNext));
  console.log(`\n${seen} of ${bugs.length} ${of} were seen.\n`);
  return bugs.length - seen;
}

/** Resolves with the number of violations. */
async function main(): Promise<number> {
  const { seeds, kinds, every, full, processes, plant = null, replay, report: file, ...options } = readOptions();
  const { scenario: names = null } = options;
  if (options.plants)
    return (
      (await sweepPlants(plants, 'planted bugs', processes)) +
      (await sweepPlants(mendedBugs, 'mended bugs, planted again,', processes))
    );
  if (options.soak !== undefined) {
    const { soak } = await import('./soak/soak.ts');
    return soak(options.soak, seeds[0] ?? defaultSeed);
  }
  if (options.mutate) {
    const { mutate } = await import('./mutants/mutate.ts');
    return mutate({ seed: seeds[0] ?? defaultSeed, sample: options.sample, again: options.again });
  }
  if (plant !== null) plantBug(plant);
  const settings = { kinds, seeds, full, every, maxFound: plant === null ? maxBroken : 1 };
  const { prove, replayRun } = await import('./prove.ts'); // after the bug was planted
  return replay === undefined
    ? prove({ names, settings, processes, plant, file, writesPage: options.page })
    : replayRun(replay);
}

try {
  process.exitCode = (await main()) > 0 ? 1 : 0;
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}
