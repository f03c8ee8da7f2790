// What calls of a session have asked somebody and nobody has answered yet: so that an answer need not name its call.
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';

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
  const put = ({
    type,
    node,
    to,
  }: Pick<ServerFrameOf<'approval_requested' | 'question_asked'>, 'type' | 'node' | 'to'>) =>
    questions.set(node, { node, kind: type === 'question_asked' ? 'question' : 'approval', to });
  return {
    learn(frame) {
      switch (frame.type) {
        case 'joined':
          questions.clear();
          for (const question of frame.questions) put(question);
          return;
        case 'approval_requested':
        case 'question_asked':
          put(frame);
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
