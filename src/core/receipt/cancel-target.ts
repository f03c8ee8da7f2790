// The target of a CANCEL: the id of a node, `mine`, `session` or `say:<ref>`; after `tools:` or `lane:` only a turn or, of tools, `mine`.

/**
 * What a CANCEL reaches of what its target names. `tools`: the calls and attached sub-agents below the turns, and not the turns. `lane`: the turn, and the turns of
 * its owner that wait behind it in its lane. `node`: the node with everything below it.
 */
export type TargetReachKind = 'node' | 'tools' | 'lane';

export interface CancelTarget {
  readonly reach: TargetReachKind;
  /** The target without its prefix. */
  readonly named: string;
  /** The ref in `say:<ref>`; null: it names no SAY. */
  readonly say: string | null;
}

const form = /^(?:(tools|lane):)?((?:say:(.*))?.*)$/s;

/** Reads a target. Every text is a target: a text without a prefix, and without the ref of a SAY, is read as the id of a node. */
export function readTarget(target: string): CancelTarget {
  const [, reach = 'node', named = target, say = null] = form.exec(target) ?? [];
  return { reach: reach as TargetReachKind, named, say }; // as the form has it
}

/** Returns the target that names this with this reach. */
export const targetOf = (reach: TargetReachKind, named: string): string =>
  reach === 'node' ? named : `${reach}:${named}`;
