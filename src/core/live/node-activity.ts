// The word that every list has for what a live node does.
import type { NodeEntry } from './node-entry.ts';

/** `asking`: a person has to answer first. `waiting`: a call with the same key has to end first. */
export const nodeActivities = ['running', 'stopping', 'asking', 'waiting'] as const;
export type NodeActivity = (typeof nodeActivities)[number];

/** Returns the activity of a node that has not settled. */
export function activityOf({
  cut,
  question,
  waitsFor,
}: Pick<NodeEntry, 'cut' | 'question' | 'waitsFor'>): NodeActivity {
  if (cut) return 'stopping';
  if (question) return 'asking';
  return waitsFor ? 'waiting' : 'running';
}
