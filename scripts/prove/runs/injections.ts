// The injections of a run: what comes at a step, a CANCEL or something else. Which ones is drawn so that new pairs come first.
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';

/** The ways by which a stop comes. */
export const cancelSources = [
  'owner',
  'moderator',
  'stranger',
  'phrase',
  'http',
  'force',
  'disconnect',
  'shutdown',
] as const;
/** What else comes: the death of the host; words, a word to the turn that runs, an answer, a resumption; a connection that is lost; tools and a model that hang. */
export const otherSources = ['crash', 'say', 'steer', 'answer', 'resume', 'lost', 'hang'] as const;
/** What brings an event to its machine at once, for the cells of the coverage: see cell-events.ts. */
export const cellSources = [
  'deadline',
  'newer words',
  'gone',
  'model',
  'overdue',
  'barge-in',
  'steer at once',
  'forced shutdown',
  'bad frames',
] as const;
type CancelSource = (typeof cancelSources)[number];
export type CellSource = (typeof cellSources)[number];
export type InjectedSource = CancelSource | CellSource | (typeof otherSources)[number];

export interface Injection {
  readonly step: number;
  /**
   * The microtask of the step at which it comes: there are two for each round of the queue, one before and one after those of the step. Left out or 0: it comes
   * before the step, after all promises have settled; with 0 a CANCEL goes to the runtime at once.
   */
  readonly microtask?: number | undefined;
  readonly source: InjectedSource;
  /**
   * The target of a CANCEL: a node id, `mine`, `session`, `say:<ref>`, an id that no node has, `tools:` with a turn, `mine` or `say:<ref>`, or `lane:` with a turn or `say:<ref>`; of a crash its
   * kind. The sources `phrase`, `disconnect` and `shutdown`, and all others, have targets of their own.
   */
  readonly target: string;
}

const named: readonly InjectedSource[] = ['owner', 'moderator', 'stranger', 'http', 'force'];

export const isCancel = ({ source }: Injection): boolean => cancelSources.some((one) => one === source);

export const isCellSource = (source: InjectedSource): source is CellSource => cellSources.some((one) => one === source);

/** The pairs that the runs so far have met. */
export class VisitedPairs {
  readonly #visits = new Map<string, number>();

  /** The pairs in their order, each with the number of its visits. */
  list(): readonly (readonly [pair: string, visits: number])[] {
    return [...this.#visits].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** How many of the pairs are new. */
  countNew(pairs: readonly string[]): number {
    return pairs.filter((pair) => !this.#visits.has(pair)).length;
  }

  visit(pairs: readonly string[]): void {
    this.merge(pairs.map((pair) => [pair, 1]));
  }

  /** Adds what other runs have met. */
  merge(list: readonly (readonly [pair: string, visits: number])[]): void {
    for (const [pair, visits] of list) this.#visits.set(pair, (this.#visits.get(pair) ?? 0) + visits);
  }
}

/** Returns the phase of a node's machine, with its kind. */
export function phaseOf({ kind, actor }: NodeEntry): string {
  const machine = actor as { getSnapshot?(): { readonly value?: unknown } } | null; // the actors of nodes are those of XState
  const value = machine?.getSnapshot?.().value;
  const phase = typeof value === 'object' && value !== null ? Object.keys(value).join('+') : String(value ?? 'none');
  return `${kind} ${phase}`;
}

/** The targets that a CANCEL may have at a moment, each with its kind. */
export type Targets = ReadonlyMap<string, string>;

const saidKinds = [
  ['', 'say'],
  ['tools:', 'tools of say'],
  ['lane:', 'lane of say'],
] as const;

export function targetsAt(entries: readonly NodeEntry[], saidRef: string | null): Targets {
  const said = saidRef === null ? [] : saidKinds.map(([prefix, kind]) => [`${prefix}say:${saidRef}`, kind] as const);
  const nodes = entries.map(({ id, kind, parent }) => [id, parent === null ? `root ${kind}` : kind] as const);
  const turns = nodes.filter(([, kind]) => kind.endsWith('turn'));
  const tools = turns.map(([id, kind]) => [`tools:${id}`, `tools of ${kind}`] as const);
  const lanes = nodes
    .filter(([, kind]) => kind === 'root turn')
    .map(([id]) => [`lane:${id}`, 'lane of root turn'] as const);
  const all = ['mine', 'session', 'tools:mine'].map((target) => [target, target] as const);
  return new Map<string, string>([...all, ['turn_nowhere', 'unknown'], ...said, ...nodes, ...tools, ...lanes]);
}

/** What an injection depends on. */
export interface Moment {
  readonly step: number;
  /** The phases of the live nodes, or what the host does. */
  readonly phases: ReadonlySet<string>;
  readonly targets: Targets;
  /** The kinds of a crash that differ. */
  readonly crashKinds: readonly string[];
}

/** Returns all injections of these sources that are possible at a moment. */
export function injectionsAt(
  { step, targets, crashKinds }: Moment,
  sources: readonly InjectedSource[],
): readonly Injection[] {
  const targetsOf = (source: InjectedSource) => {
    if (source === 'crash') return crashKinds;
    return named.includes(source) ? [...targets.keys()] : ['-'];
  };
  return sources.flatMap((source) => targetsOf(source).map((target) => ({ step, source, target })));
}

/** Returns the pairs that an injection visits: of each phase with its source, and with the kind of its target. */
export function pairsOf({ source, target }: Injection, { phases, targets }: Moment): readonly string[] {
  const kind = targets.get(target);
  return [...phases].flatMap((phase) => [
    source === 'crash' ? `${phase} × crash ${target}` : `${phase} × ${source}`,
    ...(kind === undefined ? [] : [`${phase} × target ${kind}`]),
  ]);
}

export interface Draw {
  readonly sources: readonly InjectedSource[];
  readonly visited: VisitedPairs;
  random(): number;
}

/** Draws the injection that visits most new pairs; among equals, by chance. */
export function drawInjection(moment: Moment, { sources, visited, random }: Draw): Injection {
  const rated = injectionsAt(moment, sources).map((injection) => ({
    injection,
    rate: visited.countNew(pairsOf(injection, moment)) + random(),
  }));
  const best = rated.reduce((a, b) => (b.rate > a.rate ? b : a));
  visited.visit(pairsOf(best.injection, moment));
  return best.injection;
}
