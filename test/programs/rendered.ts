// Lines that the terminal shows for frames: a turn with a shell and a researcher, as its owner sees it.

import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { emptySnapshot, type SessionSnapshot } from '../../src/client/view/snapshot.ts';
import { renderLines } from '../../src/programs/render-line.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';

export const at = { session: 'demo', seq: 1, at: 0 } as const;
/** Ann, who has sent the commands with the ref `mine`. */
export const viewer = { speaker: 'ann', isMine: (ref: string | null) => ref === 'mine' };
export const exactUsage = { kind: 'exact', input: 1, output: 1 } as const;

/** A turn of ann's with a shell, and a researcher who reads a file. */
export const before: readonly ServerFrame[] = [
  { ...at, type: 'turn_opened', turn: 'turn_1', kind: 'say', owner: 'ann', lane: 'ann', text: 'hi', ref: 'mine' },
  {
    ...at,
    type: 'tool_call',
    turn: 'turn_1',
    node: 'call_1',
    kind: 'tool-call',
    callId: 'c',
    name: 'shell',
    arguments: '{}',
    owner: 'ann',
    index: 0,
  },
  {
    ...at,
    type: 'tool_call',
    turn: 'turn_1',
    node: 'agent_1',
    kind: 'sub-agent',
    callId: 'c',
    name: 'spawn_agent',
    arguments: '{}',
    owner: 'ann',
    index: 0,
  },
  { ...at, type: 'turn_started', turn: 'turn_2', owner: 'ann', parent: 'agent_1', text: 'read', agent: 'researcher' },
  {
    ...at,
    type: 'tool_call',
    turn: 'turn_2',
    node: 'call_2',
    kind: 'tool-call',
    callId: 'c',
    name: 'read_file',
    arguments: '{}',
    owner: 'ann',
    index: 0,
  },
];

/** Each fact gets a sequence number of its own: a fact that is not newer than the last one counts as a repeat. */
export function snapshotAfter(frames: readonly ServerFrame[]): SessionSnapshot {
  const numbered = frames.map((frame, i) => ('seq' in frame ? { ...frame, seq: i + 1 } : frame) as ServerFrame);
  return numbered.reduce((snapshot, frame) => foldFrame(snapshot, frame, defaultViewLimits), emptySnapshot);
}

/** The lines of a frame after `before`, as ann sees them. */
export function lines(frame: ServerFrame): readonly string[] {
  return renderLines(frame, snapshotAfter([...before, frame]), viewer);
}
