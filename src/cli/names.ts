// What the nodes of a session are called on a screen, and how deep they lie: learned from the frames, forgotten with their turn.
import type { ServerFrame } from '../protocol/frames.ts';

export interface Names {
  learn(frame: ServerFrame): void;
  /** The tool's or agent's name; `turn` for a turn, the id itself for what was never heard of. */
  of(node: string): string;
  /** How many calls lie above it, itself counted: 0 for a root turn, 1 for its calls, 2 for those of a sub-agent. */
  depth(node: string): number;
  /** Whether it is a turn that somebody's words have opened. */
  isRoot(node: string): boolean;
}

interface Known {
  readonly kind: 'turn' | 'call';
  readonly name: string;
  readonly parent: string | null;
}

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
          for (const { node, kind, name, parent } of frame.nodes) {
            keep(node, { kind: kind === 'turn' ? 'turn' : 'call', name: name ?? 'turn', parent });
          }
          return;
        case 'turn_opened':
          return keep(frame.turn, { kind: 'turn', name: frame.agent ?? 'turn', parent: null });
        case 'turn_started':
          if (frame.parent === null) return;
          // the sub-agent is better known by its own name than by the tool that called it
          keep(frame.parent, {
            kind: 'call',
            name: frame.agent ?? names.of(frame.parent),
            parent: nodes.get(frame.parent)?.parent ?? null,
          });
          return keep(frame.turn, { kind: 'turn', name: frame.agent ?? 'turn', parent: frame.parent });
        case 'tool_call':
          return keep(frame.node, { kind: 'call', name: frame.name, parent: frame.turn });
        default:
      }
    },
    of: (node) => nodes.get(node)?.name ?? node,
    depth(node) {
      const known = nodes.get(node);
      if (!known || known.parent === null) return 0;
      return (known.kind === 'turn' ? 0 : 1) + names.depth(known.parent);
    },
    isRoot: (node) => nodes.get(node)?.parent === null,
  };
  return names;
}
