// What lives in a session, as its frames tell it: for /tree and /who, and to find what somebody means by a name.
import type { NodeKind } from '../../machines/vocabulary.ts';
import type { LiveNode, ServerFrame } from '../protocol/server-frames.ts';

export type Doing = 'waiting' | 'running' | 'stopping' | 'pending' | 'settled' | 'abandoned';

export interface LiveLine {
  readonly node: string;
  readonly kind: NodeKind;
  readonly owner: string;
  readonly parent: string | null;
  /** The tool's name, or the agent's; null for a turn of the session's own. */
  readonly name: string | null;
  readonly doing: Doing;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface Live {
  learn(frame: ServerFrame): void;
  /** Parents before children. */
  all(): readonly LiveLine[];
  /** Everybody whose doings were heard of. */
  speakers(): readonly string[];
  /** The nodes that a word of a person may mean: an id, the beginning or the end of one, a name. */
  meant(word: string): readonly string[];
}

export function createLive(): Live {
  let nodes = new Map<string, LiveLine>();
  const speakers = new Set<string>();

  function change(node: string, fields: Partial<LiveLine>): void {
    const known = nodes.get(node);
    if (known) nodes.set(node, { ...known, ...fields });
  }
  const childrenOf = (node: string) => [...nodes.values()].filter(({ parent }) => parent === node);
  /** A settled parent stays as long as something below it runs on. */
  function end(node: string): void {
    if (childrenOf(node).length > 0) return change(node, { doing: 'settled' });
    const { parent = null } = nodes.get(node) ?? {};
    nodes.delete(node);
    if (parent !== null && nodes.get(parent)?.doing === 'settled') end(parent);
  }
  const line = ({ node, kind, owner, parent, name, state, since }: LiveNode): [string, LiveLine] => [
    node,
    { node, kind, owner, parent, name, doing: state, since },
  ];

  function learn(frame: ServerFrame): void {
    switch (frame.type) {
      case 'joined':
        nodes = new Map(frame.nodes.map(line));
        for (const { owner } of frame.nodes) speakers.add(owner);
        return;
      case 'turn_opened': {
        const { turn: node, owner, agent: name = null, at: since = 0 } = frame;
        nodes.set(node, { node, kind: 'turn', owner, parent: null, name, doing: 'waiting', since });
        speakers.add(owner);
        return;
      }
      case 'turn_started': {
        const { turn: node, owner, parent, agent: name = null, at: since = 0 } = frame;
        if (parent !== null) change(parent, { name });
        nodes.set(node, { node, kind: 'turn', owner, parent, name, doing: 'running', since });
        return;
      }
      case 'tool_call': {
        const { node, kind, owner, turn: parent, name, at: since = 0 } = frame;
        nodes.set(node, { node, kind, owner, parent, name, doing: 'waiting', since });
        return;
      }
      case 'tool_started':
        return change(frame.node, { doing: 'running', ...(frame.at !== undefined && { since: frame.at }) });
      case 'tool_result':
        if (frame.outcome === 'abandoned') return change(frame.node, { doing: 'abandoned' });
        return frame.outcome === 'continues' ? undefined : end(frame.node);
      case 'late_result':
      case 'abandoned_ended':
        return end(frame.node);
      case 'turn_ended':
        return end(frame.turn);
      case 'cancel_accepted':
        for (const node of frame.stopping) change(node, { doing: 'stopping' });
        for (const node of frame.pending) change(node, { doing: 'pending' });
        return;
      default:
    }
  }

  const below = (parent: string | null): readonly LiveLine[] =>
    [...nodes.values()]
      .filter((node) => (parent === null ? !node.parent || !nodes.has(node.parent) : node.parent === parent))
      .flatMap((node) => [node, ...below(node.node)]);

  return {
    learn,
    all: () => below(null),
    speakers: () => [...speakers],
    meant(word) {
      if (nodes.has(word)) return [word];
      const ids = [...nodes.keys()];
      const byId = ids.filter((id) => id.startsWith(word) || id.endsWith(word));
      const byName = [...nodes.values()].filter(({ name }) => name === word).map(({ node }) => node);
      // a sub-agent and its turn bear one name: the call stands for both
      return byId.length > 0 ? byId : byName.filter((id) => !byName.includes(nodes.get(id)?.parent ?? ''));
    },
  };
}
