// The live tree as a list, depth first: changes of it, each of which returns a new list.
//
// 1. A node that has settled stays as long as a node below it is in the list.
import type { NodeView } from './snapshot.ts';

type Nodes = readonly NodeView[];

/** Replaces the node, or inserts it after the last node below its parent. */
export function putNode(nodes: Nodes, node: NodeView): Nodes {
  const known = nodes.findIndex(({ id }) => id === node.id);
  if (known !== -1) return nodes.with(known, node);
  return nodes.toSpliced(endOfSubtree(nodes, node.parent), 0, node);
}

/** Replaces a node that is in the list. A settled one leaves it with its settled ancestors, as far as nothing is below them. */
export function replaceNode(nodes: Nodes, node: NodeView): Nodes {
  const known = nodes.findIndex(({ id }) => id === node.id);
  if (known === -1) return nodes;
  return removeSettled(nodes.with(known, node), node.id);
}

function removeSettled(nodes: Nodes, id: string): Nodes {
  const node = nodes.find((each) => each.id === id);
  if (node?.state !== 'settled' || nodes.some(({ parent }) => parent === id)) return nodes;
  const others = nodes.filter((each) => each !== node);
  return node.parent === null ? others : removeSettled(others, node.parent);
}

function endOfSubtree(nodes: Nodes, root: string | null): number {
  const at = nodes.findIndex(({ id }) => id === root);
  if (at === -1) return nodes.length;
  const subtree = new Set([root]);
  const end = nodes.findIndex(({ id, parent }, i) => {
    if (i <= at) return false;
    if (!subtree.has(parent)) return true;
    subtree.add(id);
    return false;
  });
  return end === -1 ? nodes.length : end;
}

/** The nodes that a person may mean by a word: an id, the beginning or the end of one, a name. */
export function findNodes(nodes: Nodes, word: string): readonly string[] {
  const ids = nodes.map(({ id }) => id);
  if (ids.includes(word)) return [word];
  const byId = ids.filter((id) => id.startsWith(word) || id.endsWith(word));
  if (byId.length > 0) return byId;
  const named = nodes.filter(({ name }) => name === word);
  // a sub-agent and its turn have the same name: the call stands for both
  return named.filter(({ parent }) => !named.some(({ id }) => id === parent)).map(({ id }) => id);
}

/** Whether a call or a sub-agent directly below the turn has no outcome yet. */
export const hasRunningTools = (nodes: Nodes, turn: string): boolean =>
  nodes.some(({ kind, parent, outcome }) => parent === turn && kind !== 'input' && outcome === null);
