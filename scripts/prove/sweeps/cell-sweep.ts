// The sweep of cells: plays the scenarios that are made for it until each cell of the coverage is visited.
//
// 1. First it explores: two injections in each run, drawn so that new pairs come first. Each run shows at which steps machines are in which phases.
// 2. Then it brings each event that is missing in a phase at such a step, after the injections that have led there.
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import type { Cell, CellTotals } from '../coverage/cell-totals.ts';
import { type CellEvent, cellOf } from '../coverage/cells.ts';
import { cancelSources, cellSources, type InjectedSource, type Injection, VisitedPairs } from '../runs/injections.ts';
import type { Run, RunPlan } from '../runs/play.ts';

type Plan = Omit<RunPlan, 'scenario'>;

const nameOf = ({ phase, event }: Cell): string => cellOf(phase, event);

/** A moment of a run at which a machine is in a phase. */
interface Candidate {
  readonly seed: number;
  readonly injections: readonly Injection[];
  readonly step: number;
  /** The node of the machine; null: it has none. */
  readonly node: string | null;
}

/** What brings an event at once. */
const sourceOf: Readonly<Record<CellEvent, InjectedSource>> = {
  client: 'moderator',
  phrase: 'phrase',
  http: 'http',
  disconnect: 'gone',
  model: 'model',
  deadline: 'deadline',
  superseded: 'newer words',
  shutdown: 'forced shutdown',
  OVERDUE: 'overdue',
  BARGE_IN: 'barge-in',
  STEER: 'steer at once',
  'lost client': 'disconnect',
  crash: 'crash',
};

/** What leads into phases that are rare: an injection in another phase, at the node that is in it. */
const preludes: readonly (readonly [phase: string, ...sources: InjectedSource[]])[] = [
  ['sub-agent delegating.active', 'owner'],
  ['sub-agent screening.active', 'owner', 'overdue'],
  ['tool-call screening.active', 'owner', 'overdue'],
  ['tool-call running.active', 'owner', 'overdue'],
  ['turn acting.active', 'disconnect'],
  ['turn acting.active', 'bad frames'],
  ['turn acting.active', 'lost'],
  ['turn generating.active', 'disconnect'],
  ['speech flowing', 'barge-in'],
];

/** What leads out of a phase, into the one that is looked for, in one step. */
const entries: readonly { readonly to: string; readonly from: string; readonly source: InjectedSource }[] = [
  { to: '.interrupted', from: '.active', source: 'moderator' },
  { to: 'session closing', from: 'session open', source: 'shutdown' },
];

const explored = 24;
const preluded = 4;
const longestDistance = 12;
/** Candidates of a phase that are kept, and those that are tried for each cell. */
const maxCandidates = 60;
const maxTries = 16;
/** The share of the steps at which a machine is in a phase that are kept, beside the first. */
const keptShare = 0.1;
const rounds = 2;
/** The first microtask within a step: 0 is before the step. */
const firstMicrotask = 1;

/** One of `count` shares of the cells of a scenario, which are swept at the same time. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

export interface CellSweepOptions {
  readonly seeds: readonly number[];
  readonly totals: CellTotals;
  /** The events that are brought. */
  readonly events: readonly CellEvent[];
  /** The cells that are missing are dealt out in turn. */
  readonly share: Share;
  play(plan: Plan): Promise<Run>;
}

export class CellSweep {
  readonly #options: CellSweepOptions;
  readonly #random: () => number;
  readonly #candidates = new Map<string, Candidate[]>();
  readonly #visited = new VisitedPairs();

  constructor(options: CellSweepOptions) {
    this.#options = options;
    this.#random = seededRandom(1 + options.share.index); // shares explore different runs
  }

  /** Resolves when each cell is visited, or was tried often enough. */
  async run(): Promise<void> {
    const { seeds, totals, events, share } = this.#options;
    const missing = totals.missing.filter(({ event }) => events.includes(event));
    const shared = new Set(missing.filter((_, i) => i % share.count === share.index).map(nameOf));
    let steps = 0;
    for (const seed of seeds) steps = (await this.#play({ seed, injections: [] })).steps;
    for (let i = 0; i < explored; i++)
      await this.#explore(seeds[i % seeds.length] ?? 0, Math.floor((steps * i) / explored));
    for (const [phase, ...sources] of preludes)
      for (const candidate of this.#chosenFor(phase).slice(0, preluded))
        await this.#bring(
          candidate,
          sources.map((source) => ({ source, target: candidate.node ?? '-' })),
        );
    for (let round = 0; round < rounds; round++)
      for (const cell of totals.missing) if (shared.has(nameOf(cell))) await this.#visit(cell);
  }

  async #explore(seed: number, step: number): Promise<void> {
    const later = step + 1 + Math.floor(this.#random() * longestDistance);
    const sources = [...cancelSources, ...cellSources];
    const draws = [step, later].map((at) => ({ step: at, sources, visited: this.#visited, microtask: 0 }));
    await this.#play({ seed, injections: [], draws });
  }

  async #visit(cell: Cell): Promise<void> {
    const { totals } = this.#options;
    const event = { source: sourceOf[cell.event], target: cell.event === 'crash' ? 'lost' : 'session' } as const;
    for (const candidate of this.#chosenFor(cell.phase)) {
      if (totals.isVisited(cell)) return;
      await this.#bring(candidate, [event]);
    }
    for (const { to, from, source } of entries) {
      if (!cell.phase.endsWith(to)) continue;
      // a phase that is over in some microtasks: it is entered and left in one step
      for (const [i, candidate] of this.#chosenFor(cell.phase.replace(to, from)).entries()) {
        if (totals.isVisited(cell)) return;
        const entering = { source, target: candidate.node ?? 'session' };
        // each comes first in some
        const [first, second] =
          i % 2 === 0 ? [firstMicrotask, firstMicrotask + i] : [firstMicrotask + i, firstMicrotask];
        await this.#bring(candidate, [
          { ...entering, microtask: first },
          { ...event, microtask: second },
        ]);
      }
    }
  }

  /** Plays the run of a candidate, with more injections at its step. */
  async #bring({ seed, injections, step }: Candidate, more: readonly Omit<Injection, 'step'>[]): Promise<void> {
    const brought = more.map((injection) => ({ microtask: 0, ...injection, step }));
    await this.#play({ seed, injections: [...injections, ...brought] });
  }

  #chosenFor(phase: string): readonly Candidate[] {
    const all = this.#candidates.get(phase) ?? [];
    return Array.from(
      { length: Math.min(maxTries, all.length) },
      () => all[Math.floor(this.#random() * all.length)],
    ).flatMap((candidate) => candidate ?? []);
  }

  async #play(plan: Plan): Promise<Run> {
    const run = await this.#options.play(plan);
    const { injections, placesAt } = run;
    if (injections.some(({ source }) => source === 'crash')) return run;
    let before: ReadonlySet<string> = new Set();
    for (const [step, places = []] of placesAt.entries()) {
      const names = places.map(({ phase, node }) => `${phase} ${node}`);
      const isKept = this.#random() < keptShare;
      const isIdle = !places.some(({ node }) => node !== null); // a CANCEL reaches nothing
      for (const [i, { phase, node }] of places.entries())
        if ((isKept && !isIdle) || (!before.has(names[i] ?? '') && (!isIdle || phase.startsWith('session'))))
          this.#keep(phase, { seed: plan.seed, injections: injections.filter((one) => one.step <= step), step, node });
      before = new Set(names);
    }
    return run;
  }

  #keep(phase: string, candidate: Candidate): void {
    const all = this.#candidates.get(phase) ?? [];
    this.#candidates.set(phase, all);
    if (all.length < maxCandidates) all.push(candidate);
    else all[Math.floor(this.#random() * 2 * maxCandidates)] &&= candidate;
  }
}
