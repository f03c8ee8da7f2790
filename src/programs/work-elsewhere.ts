// Says whose work runs in a session beside that of this terminal.
import type { NodeView } from '../client/view/snapshot.ts';

/** Returns the line that asks before leaving, like `bob's turn is running. Ctrl-C again leaves; it runs on.` Null: nothing runs. */
export function leaveQuestion(nodes: readonly NodeView[], speaker: string): string | null {
  const roots = nodes.filter(({ parent }) => parent === null);
  const groups = [...Map.groupBy(roots, (root) => nameOf(root, speaker))];
  if (groups.length === 0) return null;
  const names = groups.map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`)).join(', ');
  const [are, they] = roots.length === 1 ? ['is', 'it runs'] : ['are', 'they run'];
  return `${names} ${are} running. Ctrl-C again leaves; ${they} on.`;
}

function nameOf({ owner, name }: NodeView, speaker: string): string {
  const work = name ?? 'turn';
  return owner === speaker ? `Your ${work} from elsewhere` : `${owner}'s ${work}`;
}
