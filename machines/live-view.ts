// The parts of a session that are shown while it is alive and never recorded: streamed text, live output, entries of the live tree.
import type { NodeId, NodeKind, SpeakerId } from './vocabulary.ts';

/** A piece of a text block. A piece that does not begin where the last one ended is a repetition or a loss. */
export interface TextDelta {
  readonly turn: NodeId;
  readonly index: number;
  /** Where `text` begins in its block, in UTF-16 code units. */
  readonly offset: number;
  readonly text: string;
}

/** A piece of a call's live output. */
export interface OutputDelta {
  readonly node: NodeId;
  readonly text: string;
}

/** A call is still running. */
export interface ToolProgress {
  readonly node: NodeId;
  /** The time since the call started to run, in milliseconds. */
  readonly elapsedMs: number;
}

/** An entry of the live tree. */
export interface LiveNode {
  readonly node: NodeId;
  readonly kind: NodeKind;
  readonly owner: SpeakerId;
  readonly parent: NodeId | null;
  /** The tool's name, or the agent's, of its turn too; null for a turn of the session's own. */
  readonly name: string | null;
  /** `running`; `stopping` from the acceptance of a cancel on; `settled` while it waits for what it could not stop. */
  readonly state: 'running' | 'stopping' | 'settled';
  /** Milliseconds since 1970. */
  readonly since: number;
}
