// A question of a call to a speaker: it is open until it is answered or its call is stopped, and it has one end.
import type { Fact } from '../../machines/facts.ts';
import type { SpeakerId } from '../../machines/vocabulary.ts';
import type { Question, QuestionAnswer } from '../live/tree.ts';
import type { Job } from './worker.ts';

export interface QuestionPut {
  readonly kind: Question['kind'];
  readonly to: SpeakerId;
  /** Left out: it does not expire. */
  readonly expiresMs?: number;
  asked(expiresAt: number | null): Fact;
  /** `answer` null: withdrawn. */
  closed(answer: QuestionAnswer | null): Fact;
}

/** Resolves with the answer; with null where the call was stopped first. An expiry is a CANCEL with cause `deadline`. */
export function putQuestion(
  { kind, to, expiresMs, asked, closed }: QuestionPut,
  job: Job,
): Promise<QuestionAnswer | null> {
  const { plane, entry, signal } = job;
  const { clock } = plane.sources;
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(null);
      return;
    }
    const close = (answer: QuestionAnswer | null) => {
      if (entry.question !== question) return;
      entry.question = null;
      disarm();
      signal.removeEventListener('abort', withdraw);
      void plane.append([closed(answer)]);
      resolve(answer);
    };
    const withdraw = () => close(null);
    const question: Question = { to, kind, answer: close };
    entry.question = question;
    signal.addEventListener('abort', withdraw);
    void plane.append([asked(expiresMs === undefined ? null : clock.now() + expiresMs)]);
    const disarm =
      expiresMs === undefined
        ? () => {}
        : clock.after(expiresMs, () =>
            plane.expire(entry.id, `nobody answered within ${expiresMs} ms`, () => entry.question === question),
          );
  });
}
