// The wave of a CANCEL, from what the records of the inspector (record-cancels.ts) and the facts of the log (fact-cancels.ts) know of it.
//
// There is one model with two sources: while the inspector watches there are records, with the time of each step; the log has the words of people, and
// what was stopped before anybody watched.
import type { NodeId, NodeKind } from '../../../../machines/vocabulary.ts';
import { isToStop, type Wave, type WaveRow } from './wave-model.ts';

type Words = 'kind' | 'name' | 'detail' | 'owner' | 'verdict' | 'reason' | 'code';

/** The fields of a row as a source has them; null is not known. */
type Known<Field extends keyof WaveRow> = { readonly [Name in Field]: WaveRow[Name] | null };

/** What a source knows of a node. */
export interface KnownNode {
  readonly node: NodeId;
  readonly words: Known<Words>;
  readonly steps: Known<Exclude<keyof WaveRow, Words | 'node' | 'parent' | 'depth'>>;
}

/** What a source knows of a CANCEL. */
export interface KnownCancel {
  readonly cause: Pick<Wave, 'source' | 'by' | 'via' | 'reason' | 'target' | 'force'>;
  readonly acceptedAt: number;
  /** Whether its receipt has settled; null: the source does not say. */
  readonly isSettled: boolean | null;
  /** In the order in which siblings are shown. */
  readonly nodes: readonly KnownNode[];
  /** Returns the node above a node; null: it is a root, or nothing is known of it. */
  readonly parentOf: (node: NodeId) => NodeId | null;
}

/** What the records or the facts know of CANCELs. */
export interface CancelSource {
  /** The ids of the CANCELs, in their order. */
  readonly cancels: readonly string[];
  /** Returns what is known of a CANCEL; null: nothing is. */
  find(cancel: string): KnownCancel | null;
}

/** Returns the wave of a CANCEL; null: neither source knows it. Its times are those of the records, its words those of the facts, as far as there are both. */
export function waveOf(cancel: string, records: CancelSource | null, facts: CancelSource | null): Wave | null {
  const recorded = records?.find(cancel) ?? null;
  const stored = facts?.find(cancel) ?? null;
  const main = stored ?? recorded;
  if (!main) return null;
  const { acceptedAt } = recorded ?? main;
  const known = new Map(recorded?.nodes.map((each) => [each.node, each]));
  const rows = main.nodes.map((each) => rowOf(known.get(each.node) ?? each, each));
  const settledAt = settledTime(rows, acceptedAt);
  const isSettled = [recorded, stored].some((each) => each && (each.isSettled ?? settledAt !== null));
  return {
    ...main.cause,
    cancel,
    acceptedAt,
    settledAt,
    state: isSettled ? 'settled' : 'stopping',
    rows: placeRows(rows, (node) => stored?.parentOf(node) ?? recorded?.parentOf(node) ?? null),
  };
}

/** A row before it has its place in the tree. */
type UnplacedRow = Omit<WaveRow, 'parent' | 'depth'>;

/** Makes a row; `recorded` and `main` are the same where only one source has the node. */
function rowOf(recorded: KnownNode, main: KnownNode): UnplacedRow {
  const words = filled(main.words, recorded.words);
  const steps = filled(recorded.steps, main.steps);
  return {
    ...words,
    ...steps,
    node: main.node,
    verdict: words.verdict ?? 'stop',
    name: words.name ?? main.node,
    detail: words.detail ?? '',
    forced: steps.forced ?? false,
  };
}

/** Returns the first object, with the fields of the second where it has null. */
function filled<Fields extends object>(first: Fields, second: Fields): Fields {
  const known = Object.entries(first).filter(([, value]) => value !== null);
  return { ...second, ...Object.fromEntries(known) };
}

/** Returns when the last of the nodes that are to stop had its outcome; null: one has none. */
function settledTime(rows: readonly UnplacedRow[], acceptedAt: number): number | null {
  let last = acceptedAt;
  for (const { verdict, settledAt } of rows) {
    if (!isToStop(verdict)) continue;
    if (settledAt === null) return null;
    last = Math.max(last, settledAt);
  }
  return last;
}

type ParentOf = KnownCancel['parentOf'];

/** Puts rows below their parents, siblings in the order in which they are given. A node whose parent has no row hangs below the next one above that has. */
function placeRows(rows: readonly UnplacedRow[], parentOf: ParentOf): readonly WaveRow[] {
  const listed = new Set(rows.map(({ node }) => node));
  const children = Map.groupBy(rows, ({ node }) => listedAbove(node, listed, parentOf));
  const placed: WaveRow[] = [];
  const place = (parent: NodeId | null, depth: number): void => {
    for (const row of children.get(parent) ?? []) {
      placed.push({ ...row, parent, depth });
      place(row.node, depth + 1);
    }
  };
  place(null, 0);
  return placed;
}

function listedAbove(node: NodeId, listed: ReadonlySet<NodeId>, parentOf: ParentOf): NodeId | null {
  const seen = new Set([node]);
  for (let above = parentOf(node); above !== null && !seen.has(above); above = parentOf(above)) {
    if (listed.has(above)) return above;
    seen.add(above);
  }
  return null;
}

/** Returns the name of a node for people: that of its tool or agent, or `turn`; the turn of a sub-agent has the name of the agent with it. Null: not known. */
export function rowName(kind: NodeKind | null, name: string | null, hasParent: boolean): string | null {
  if (kind === 'input') return 'words';
  if (kind === 'speech') return 'speech';
  if (kind !== 'turn') return name;
  if (name === null || name === 'turn') return 'turn';
  return hasParent ? `${name}'s turn` : name;
}
