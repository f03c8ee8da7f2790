// The rows of the actor tree: which actors are shown, in which order and how deep.

import { type ActorKind, actorOwner, actorTitle, kindOf, statusText } from '../records/actor-titles.ts';
import type { ActorView, Picture } from '../records/picture.ts';

export interface TreeRow {
  readonly id: string;
  /** From 1. */
  readonly level: number;
  readonly kind: ActorKind;
  readonly title: string;
  readonly status: string;
  /** The owner, where it is another one than that of the row above it in the tree; null: the same, or none. */
  readonly owner: string | null;
  readonly isEnded: boolean;
  /** Whether a CANCEL stops it, or has. */
  readonly isCancelled: boolean;
  /** Whether the rows below it are shown; null: nothing is below it. */
  readonly isExpanded: boolean | null;
  /** Among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
  readonly parent: string | null;
}

export interface TreeOptions {
  readonly collapsed: ReadonlySet<string>;
  /** Actors that ended at this time or before are left out; null: none is. */
  readonly clearedAt: number | null;
}

/** Returns the rows. Links are left out: a turn is shown below its session. Workers are left out as soon as they have ended. */
export function treeRows(picture: Picture, options: TreeOptions): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const roots = [...picture.actors.values()].filter(({ parent }) => parent === null || !picture.actors.has(parent));
  // there may be many connections: they stand below what a person looks for
  roots.sort((a, b) => Number(kindOf(a) === 'connection') - Number(kindOf(b) === 'connection'));
  addRows(rows, { actors: shown(roots, picture, options), level: 1, parent: null, owner: null }, picture, options);
  return rows;
}

interface Siblings {
  readonly actors: readonly ActorView[];
  readonly level: number;
  readonly parent: string | null;
  readonly owner: string | null;
}

function addRows(
  rows: TreeRow[],
  { actors, level, parent, owner }: Siblings,
  picture: Picture,
  options: TreeOptions,
): void {
  for (const [i, actor] of actors.entries()) {
    const below = shown(childrenOf(actor, picture), picture, options);
    const isExpanded = below.length === 0 ? null : !options.collapsed.has(actor.id);
    const ownOwner = actorOwner(actor, picture.find);
    const node = actor.node === null ? undefined : picture.nodes.get(actor.node);
    rows.push({
      id: actor.id,
      level,
      kind: kindOf(actor),
      title: actorTitle(actor, picture.find),
      isExpanded,
      parent,
      status: statusText(actor, picture),
      owner: ownOwner === owner ? null : ownOwner,
      isEnded: actor.endedAt !== null,
      isCancelled: node?.verdict === 'stop' || node?.verdict === 'pending' || isInterrupted(actor),
      position: i + 1,
      siblings: actors.length,
    });
    if (isExpanded)
      addRows(rows, { actors: below, level: level + 1, parent: actor.id, owner: ownOwner }, picture, options);
  }
}

/** The actors to show of these; in the place of a link that which is below it. */
function shown(actors: readonly ActorView[], picture: Picture, options: TreeOptions): readonly ActorView[] {
  return actors.flatMap((actor) => {
    const kind = kindOf(actor);
    if (kind === 'link') return shown(childrenOf(actor, picture), picture, options);
    if (actor.endedAt === null) return [actor];
    if (kind === 'worker' || actor.endedAt <= (options.clearedAt ?? -1)) return [];
    return [actor];
  });
}

const childrenOf = (actor: ActorView, picture: Picture): readonly ActorView[] =>
  picture.childrenOf(actor.id).flatMap((id) => picture.actors.get(id) ?? []);

const isInterrupted = ({ value }: ActorView): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).includes('interrupted');

/** Returns the actor to show when none is chosen: the newest turn that is alive, else the newest turn, else a session. */
export function defaultActor({ actors }: Picture): ActorView | null {
  const all = [...actors.values()].reverse();
  const turns = all.filter((actor) => kindOf(actor) === 'turn');
  const isRoot = ({ context }: ActorView) => context['depth'] === undefined || context['depth'] === 0;
  return (
    turns.find((actor) => actor.endedAt === null && isRoot(actor)) ??
    turns.find(isRoot) ??
    all.find((actor) => kindOf(actor) === 'session') ??
    all[0] ??
    null
  );
}

/** Returns the actor that an address names: by its id, or by that of its node. */
export function findActor({ actors }: Picture, id: string): ActorView | null {
  const known = actors.get(id);
  if (known) return known;
  const ofNode = [...actors.values()].filter((actor) => actor.node === id);
  return ofNode.find((actor) => kindOf(actor) !== 'link') ?? ofNode[0] ?? null;
}
