// Records all events of a runtime as its observer, or of one session as its listener.
import type { CancelAccepted, FactOf, FactType, RecordedFact } from '../../machines/facts.ts';
import type { SpeechChange, ToolProgress, ToolWaiting } from '../../machines/live-view.ts';
import type { NodeId, NodeKind, OutcomeKind } from '../../machines/vocabulary.ts';
import type { Joined, JoinedSessionEnd, SessionListener } from '../core/session/api.ts';
import type { CallStop } from '../core/session/call-api.ts';
import type { Observer } from '../core/session/session-spec.ts';

export interface Recorder {
  /** Facts in their order, each after its commit. */
  readonly facts: RecordedFact[];
  of<T extends FactType>(type: T): readonly FactOf<T>[];
  /** Nodes that have started, and how each has ended. As an observer only. */
  readonly starts: { readonly node: NodeId; readonly kind: NodeKind; readonly owner: string }[];
  readonly ends: { readonly node: NodeId; readonly kind: NodeKind; readonly outcome: OutcomeKind }[];
  /** As a listener only, from here on: pieces of text with the time at which they came, in milliseconds. */
  readonly texts: { readonly at: number; readonly turn: NodeId; readonly text: string }[];
  readonly outputs: { readonly at: number; readonly node: NodeId; readonly text: string }[];
  readonly progress: ToolProgress[];
  readonly waits: ToolWaiting[];
  /** Notices about the bot's speech, in a voice session. */
  readonly speech: SpeechChange[];
  /** Stops of calls that the speaker of the listener runs itself. */
  readonly stops: CallStop[];
  /** Acceptances that were published before their commit. */
  readonly early: CancelAccepted[];
  readonly joins: Joined[];
  /** The reason for which the session has ended for its listeners; null: it has not. */
  ended: JoinedSessionEnd | null;
  /** For a runtime: `createRuntime({ observers: [recorder.observer] })`. It records every session. */
  readonly observer: Observer;
  /** For a session: `session.join(caller, recorder.listener, 0)`. */
  readonly listener: SessionListener;
}

/** Creates a recorder. Use it as an observer or as a listener: as both it would record every fact twice. */
export function createRecorder(now: () => number = () => 0): Recorder {
  const recorder: Recorder = {
    facts: [],
    of: <T extends FactType>(type: T) =>
      recorder.facts.filter((fact): fact is FactOf<T> & RecordedFact => fact.type === type),
    starts: [],
    ends: [],
    texts: [],
    outputs: [],
    progress: [],
    waits: [],
    speech: [],
    stops: [],
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
      progress: (progress) => void recorder.progress.push(progress),
      waiting: (waiting) => void recorder.waits.push(waiting),
      speech: (change) => void recorder.speech.push(change),
      stopCall: (stop) => void recorder.stops.push(stop),
      accepted: (receipt) => void recorder.early.push(receipt),
      ended(reason) {
        recorder.ended = reason;
      },
    },
  };
  return recorder;
}
