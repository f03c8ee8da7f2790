// The totals of the coverage over all runs: which cells were visited, how nodes ended that were stopped in a phase, and what is left to visit.
import type { RecordedFact } from '../../../machines/facts.ts';
import { type CellEvent, cellEvents, cellOf, phases, whyImpossible } from './cells.ts';
import type { Coverage } from './coverage.ts';
import type { SweepKind } from '../sweep-kinds.ts';

export interface Cell {
  readonly phase: string;
  readonly event: CellEvent;
}

/** What runs have visited, as data. */
export interface VisitedCells {
  readonly cells: readonly string[];
  /** By the phase in which a node was when it was first stopped: its outcomes, each with its effect. */
  readonly ends: Readonly<Record<string, readonly string[]>>;
}

export const noCells: VisitedCells = { cells: [], ends: {} };

/** What the report has of the coverage. */
export interface CoverageReport {
  readonly cells: number;
  readonly visited: number;
  readonly impossible: number;
  /** Neither visited nor declared impossible. */
  readonly missing: readonly string[];
  readonly ends: VisitedCells['ends'];
}

const allCells: readonly Cell[] = phases.flatMap((phase) => cellEvents.map((event) => ({ phase, event })));
const impossibleCells = allCells.filter(({ phase, event }) => whyImpossible(phase, event) !== null);

export class CellTotals {
  readonly #visited = new Set<string>();
  readonly #ends = new Map<string, Set<string>>();
  readonly #notBrought: readonly CellEvent[];

  /** Cells of events that no run of these kinds brings are not missing. */
  constructor(kinds: readonly SweepKind[]) {
    this.#notBrought = kinds.includes('crashes') ? [] : ['crash'];
  }

  /** Adds a run. Returns a line for each cell that it has visited and must not have. */
  add({ cells, stopped }: Pick<Coverage, 'cells' | 'stopped'>, log: readonly RecordedFact[]): readonly string[] {
    for (const cell of cells) this.#visited.add(cell);
    const hasCrashed = [...cells].some((cell) => cell.endsWith(' × crash'));
    for (const { node, phase } of hasCrashed ? [] : stopped) {
      const end = endOf(node, log);
      if (end !== null) this.#addEnd(phase, end);
    }
    return impossibleCells
      .filter(({ phase, event }) => cells.has(cellOf(phase, event)))
      .map(
        ({ phase, event }) => `${cellOf(phase, event)}, which is declared impossible: ${whyImpossible(phase, event)}`,
      );
  }

  /** Adds what other runs have visited. */
  merge({ cells, ends }: VisitedCells): void {
    for (const cell of cells) this.#visited.add(cell);
    for (const [phase, all] of Object.entries(ends)) for (const end of all) this.#addEnd(phase, end);
  }

  get visitedCells(): VisitedCells {
    const ends = [...this.#ends].map(([phase, all]) => [phase, [...all].sort()] as const);
    return { cells: [...this.#visited].sort(), ends: Object.fromEntries(ends.sort()) };
  }

  #addEnd(phase: string, end: string): void {
    this.#ends.set(phase, (this.#ends.get(phase) ?? new Set()).add(end));
  }

  /** The cells that are neither visited nor declared impossible. */
  get missing(): readonly Cell[] {
    return allCells.filter(
      (cell) =>
        !this.isVisited(cell) &&
        !this.#notBrought.includes(cell.event) &&
        whyImpossible(cell.phase, cell.event) === null,
    );
  }

  isVisited({ phase, event }: Cell): boolean {
    return this.#visited.has(cellOf(phase, event));
  }

  report(): CoverageReport {
    return {
      cells: allCells.length,
      visited: allCells.filter((cell) => this.isVisited(cell)).length,
      impossible: impossibleCells.length,
      missing: this.missing.map(({ phase, event }) => cellOf(phase, event)),
      ends: this.visitedCells.ends,
    };
  }
}

/** The end of a node as the log has it: its outcome and its effect; null: it has none. */
function endOf(node: string, log: readonly RecordedFact[]): string | null {
  const end = log.find(
    (fact) =>
      (fact.type === 'turn_ended' && fact.turn === node) ||
      ((fact.type === 'tool_result' || fact.type === 'late_result') &&
        fact.node === node &&
        fact.outcome !== 'continues'),
  );
  return end && 'outcome' in end && 'effect' in end ? `${end.outcome}, ${end.effect}` : null;
}
