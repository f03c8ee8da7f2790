// Hears everything and keeps it: as a runtime's observer, or as a member of a session.
import type { CancelAccepted, FactOf, FactType, Recorded } from '../../machines/facts.ts';
import type { ToolProgress } from '../../machines/live-view.ts';
import type { NodeId, NodeKind, OutcomeKind } from '../../machines/vocabulary.ts';
import type { Joined, SessionEnd, SessionListener } from '../session/api.ts';
import type { Observer } from '../session/session-spec.ts';

export interface Recorder {
  /** Facts in their order, each after its commit. */
  readonly facts: Recorded[];
  of<T extends FactType>(type: T): readonly FactOf<T>[];
  /** Nodes that have started, and how each has ended. As an observer only. */
  readonly starts: { readonly node: NodeId; readonly kind: NodeKind; readonly owner: string }[];
  readonly ends: { readonly node: NodeId; readonly kind: NodeKind; readonly outcome: OutcomeKind }[];
  /** What only a member hears, from here on: deltas of text with the time at which they came, in milliseconds. */
  readonly texts: { readonly at: number; readonly turn: NodeId; readonly text: string }[];
  readonly outputs: { readonly at: number; readonly node: NodeId; readonly text: string }[];
  readonly progress: ToolProgress[];
  /** Acceptances that were told before their commit. */
  readonly early: CancelAccepted[];
  readonly joins: Joined[];
  /** Why the session has ended for its members; null: it has not. */
  ended: SessionEnd | null;
  /** To be given to a runtime: `createRuntime({ observers: [recorder.observer] })`. It hears every session. */
  readonly observer: Observer;
  /** To be given to a session: `session.join(member, recorder.listener, 0)`. */
  readonly listener: SessionListener;
}

/** One recorder is either an observer or a listener: as both it would keep every fact twice. */
export function createRecorder(now: () => number = () => 0): Recorder {
  const recorder: Recorder = {
    facts: [],
    of: <T extends FactType>(type: T) =>
      recorder.facts.filter((fact) => fact.type === type) as unknown as readonly FactOf<T>[],
    starts: [],
    ends: [],
    texts: [],
    outputs: [],
    progress: [],
    early: [],
    joins: [],
    ended: null,
    observer: {
      started: ({ node, kind, owner }) => void recorder.starts.push({ node, kind, owner }),
      ended: ({ node, kind, outcome }) => void recorder.ends.push({ node, kind, outcome }),
      fact: (_session, _seq, fact) => void recorder.facts.push(fact),
    },
    listener: {
      joined: (joined) => void recorder.joins.push(joined),
      fact: ({ fact }) => void recorder.facts.push(fact),
      text: ({ turn, text }) => void recorder.texts.push({ at: now(), turn, text }),
      output: ({ node, text }) => void recorder.outputs.push({ at: now(), node, text }),
      progress: (told) => void recorder.progress.push(told),
      accepted: (receipt) => void recorder.early.push(receipt),
      ended(reason) {
        recorder.ended = reason;
      },
    },
  };
  return recorder;
}
