// The name of the charts that this page draws: a saved inspection has it, so that another page knows whether it draws the same.
import { chartDrawings } from './chart-drawings.ts';

let name: string | null = null;

/** Returns a name that is another one when a state or a transition is. */
export function chartsName(): string {
  name ??= hashOf(JSON.stringify(chartDrawings.map(({ id, states, transitions }) => ({ id, states, transitions }))));
  return name;
}

/** FNV-1a, in 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
