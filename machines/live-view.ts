// The parts of a session that are shown while it is alive and never recorded: streamed text, live output, entries of the live tree.
import type { NodeId, NodeKind, SpeakerId } from './vocabulary.ts';

/** A piece of a text block. If `offset` is not where the last piece ended, text was repeated or lost. */
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
  /** The name of the tool or the agent (its turn has it too); null for a turn of the session itself. */
  readonly name: string | null;
  /** `running`; `stopping` from the acceptance of a cancel on; `settled` while it waits for what it could not stop. */
  readonly state: 'running' | 'stopping' | 'settled';
  /** Milliseconds since 1970. */
  readonly since: number;
}
