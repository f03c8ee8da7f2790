// Says what a live node does, for lists: the same word in each of them.
import type { NodeEntry } from './node-entry.ts';

/** `asking`: a person has to answer first. `waiting`: for a call with the same key. */
export const nodeActivities = ['running', 'stopping', 'asking', 'waiting'] as const;
export type NodeActivity = (typeof nodeActivities)[number];

/** Returns what a node does that has not settled. */
export function activityOf({
  cut,
  question,
  waitsFor,
}: Pick<NodeEntry, 'cut' | 'question' | 'waitsFor'>): NodeActivity {
  if (cut) return 'stopping';
  if (question) return 'asking';
  return waitsFor ? 'waiting' : 'running';
}
