// What the nodes of a session are called on a screen, and how deep they lie: learned from the frames, forgotten with their turn.
import type { ServerFrame } from '../protocol/server-frames.ts';

export interface Names {
  learn(frame: ServerFrame): void;
  /** The tool's or agent's name; `turn` for a turn, an agent's with its name; the id itself for what was never heard of. */
  of(node: string): string;
  /** Whose it is; null for what was never heard of. */
  ownerOf(node: string): string | null;
  /** How long the call had been running by then, in milliseconds; null where its start was never heard of. */
  msOf(node: string, at: number | undefined): number | null;
  /** How many calls lie above it, itself counted: 0 for a root turn, 1 for its calls, 2 for those of a sub-agent. */
  depth(node: string): number;
  /** Whether it is a turn that somebody's words have opened. */
  isRoot(node: string): boolean;
}

interface Known {
  readonly kind: 'turn' | 'call';
  readonly name: string;
  readonly owner: string;
  readonly parent: string | null;
  /** When it began to run. */
  readonly since?: number;
}

/** An agent's name stands for its call; the turn below it is told apart from it. */
const turnOf = (agent: string | null | undefined, parent: string | null) =>
  agent == null ? 'turn' : parent === null ? agent : `${agent}'s turn`;

/** Nodes that are remembered: a receipt may speak of a turn that is over. */
const capacity = 10_000;

export function createNames(): Names {
  const nodes = new Map<string, Known>();

  function keep(node: string, known: Known): void {
    nodes.set(node, known);
    if (nodes.size > capacity) nodes.delete(nodes.keys().next().value as string);
  }

  const names: Names = {
    learn(frame) {
      switch (frame.type) {
        case 'joined':
          for (const { node, kind, name, owner, parent } of frame.nodes) {
            const called = kind === 'turn' ? turnOf(name, parent) : (name ?? node);
            keep(node, { kind: kind === 'turn' ? 'turn' : 'call', name: called, owner, parent });
          }
          return;
        case 'turn_opened':
          return keep(frame.turn, { kind: 'turn', name: turnOf(frame.agent, null), owner: frame.owner, parent: null });
        case 'turn_started':
          if (frame.parent === null) return;
          // the sub-agent is better known by its own name than by the tool that called it
          keep(frame.parent, {
            ...nodes.get(frame.parent), // since when it runs, where that is known
            kind: 'call',
            name: frame.agent ?? names.of(frame.parent),
            owner: frame.owner,
            parent: nodes.get(frame.parent)?.parent ?? null,
          });
          return keep(frame.turn, {
            kind: 'turn',
            name: turnOf(frame.agent, frame.parent),
            owner: frame.owner,
            parent: frame.parent,
          });
        case 'tool_call':
          return keep(frame.node, { kind: 'call', name: frame.name, owner: frame.owner, parent: frame.turn });
        case 'tool_started': {
          const known = nodes.get(frame.node);
          if (known && frame.at !== undefined) nodes.set(frame.node, { ...known, since: frame.at });
          return;
        }
        default:
      }
    },
    of: (node) => nodes.get(node)?.name ?? node,
    msOf(node, at) {
      const since = nodes.get(node)?.since;
      return since === undefined || at === undefined ? null : at - since;
    },
    ownerOf: (node) => nodes.get(node)?.owner ?? null,
    depth(node) {
      const known = nodes.get(node);
      if (!known || known.parent === null) return 0;
      return (known.kind === 'turn' ? 0 : 1) + names.depth(known.parent);
    },
    isRoot: (node) => nodes.get(node)?.parent === null,
  };
  return names;
}
