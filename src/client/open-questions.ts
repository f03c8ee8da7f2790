// The open questions of a session's calls, by call: an answer names the question that was open when it was given.
import type { ServerFrame } from '../protocol/server-frames.ts';

export class OpenQuestions {
  readonly #byCall = new Map<string, string>();

  /** The id of the open question of a call; undefined: none is known. */
  idOf(call: string): string | undefined {
    return this.#byCall.get(call);
  }

  /** Learns from a frame of the session. */
  receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'joined':
        this.#byCall.clear();
        for (const { node, question } of frame.questions) if (question !== undefined) this.#byCall.set(node, question);
        return;
      case 'approval_requested':
      case 'question_asked':
        if (frame.question !== undefined) this.#byCall.set(frame.node, frame.question);
        return;
      case 'approval_closed':
      case 'question_closed':
        if (this.#byCall.get(frame.node) === frame.question) this.#byCall.delete(frame.node);
        return;
      default:
        return;
    }
  }
}
