// The injections of a run: one CANCEL each, at a step. Which ones is drawn so that new pairs come first.
import type { NodeEntry } from '../../src/core/live/node-entry.ts';

/** The ways by which a stop comes. */
export const injectedSources = [
  'owner',
  'moderator',
  'stranger',
  'phrase',
  'http',
  'force',
  'disconnect',
  'shutdown',
] as const;
export type InjectedSource = (typeof injectedSources)[number];

export interface Injection {
  readonly step: number;
  /** The microtask after that step at which it comes: two for each round of the queue. Left out: before the step, when all promises have settled. */
  readonly microtask?: number | undefined;
  readonly source: InjectedSource;
  /** A node id, `mine`, `session`, `say:<ref>`, or an id that no node has. The sources `phrase`, `disconnect` and `shutdown` have targets of their own. */
  readonly target: string;
}

const unnamed: readonly InjectedSource[] = ['phrase', 'disconnect', 'shutdown'];

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
    for (const pair of pairs) this.#visits.set(pair, (this.#visits.get(pair) ?? 0) + 1);
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

export function targetsAt(entries: readonly NodeEntry[], saidRef: string | null): Targets {
  const said = saidRef === null ? [] : [[`say:${saidRef}`, 'say'] as const];
  const nodes = entries.map(({ id, kind, parent }) => [id, parent === null ? `root ${kind}` : kind] as const);
  return new Map([['mine', 'mine'], ['session', 'session'], ['turn_nowhere', 'unknown'], ...said, ...nodes]);
}

/** Returns all injections that are possible before a step. */
export function injectionsAt(step: number, targets: Targets): readonly Injection[] {
  return injectedSources.flatMap((source) =>
    (unnamed.includes(source) ? ['-'] : [...targets.keys()]).map((target) => ({ step, source, target })),
  );
}

export interface Draw {
  readonly step: number;
  /** The phases of the live nodes. */
  readonly phases: ReadonlySet<string>;
  readonly targets: Targets;
  readonly visited: VisitedPairs;
  random(): number;
}

/** Returns the pairs that an injection visits: of each phase with its source, and with the kind of its target. */
function pairsOf({ source, target }: Injection, { phases, targets }: Draw): readonly string[] {
  const kind = targets.get(target);
  return [...phases].flatMap((phase) => [
    `${phase} × ${source}`,
    ...(kind === undefined ? [] : [`${phase} × target ${kind}`]),
  ]);
}

/** Draws the injection that visits most new pairs; among equals, by chance. */
export function drawInjection(draw: Draw): Injection {
  const { step, targets, visited, random } = draw;
  const rated = injectionsAt(step, targets).map((injection) => ({
    injection,
    rate: visited.countNew(pairsOf(injection, draw)) + random(),
  }));
  const best = rated.reduce((a, b) => (b.rate > a.rate ? b : a));
  visited.visit(pairsOf(best.injection, draw));
  return best.injection;
}
