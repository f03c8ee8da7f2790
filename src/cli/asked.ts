// What calls of a session have asked somebody and nobody has answered yet: so that an answer need not name its call.
import type { ServerFrame } from '../protocol/frames.ts';

export interface Open {
  readonly node: string;
  readonly kind: 'approval' | 'question';
  readonly to: string;
}

export interface Asked {
  learn(frame: ServerFrame): void;
  /** Those that may be meant: of one call, where an id (or its beginning or end) is named; else those that were put to the speaker. */
  open(kind: Open['kind'], speaker: string, id: string | null): readonly Open[];
}

export function createAsked(): Asked {
  const questions = new Map<string, Open>();
  return {
    learn(frame) {
      switch (frame.type) {
        case 'joined': // a question may have had its end meanwhile; one that is still open is told again by a replay only
          for (const { node } of questions.values()) {
            if (!frame.nodes.some((live) => live.node === node)) questions.delete(node);
          }
          return;
        case 'approval_requested':
          questions.set(frame.node, { node: frame.node, kind: 'approval', to: frame.to });
          return;
        case 'question_asked':
          questions.set(frame.node, { node: frame.node, kind: 'question', to: frame.to });
          return;
        case 'approval_closed':
        case 'question_closed':
          questions.delete(frame.node);
          return;
        default:
      }
    },
    open: (kind, speaker, id) =>
      [...questions.values()].filter(
        (open) =>
          open.kind === kind &&
          (id === null ? open.to === speaker : open.node.startsWith(id) || open.node.endsWith(id)),
      ),
  };
}
