// Notifies observers, which are third-party code: their exceptions go no further.
import type { AnswerReply, Caller, TranscriptReply } from './api.ts';
import type { CommandRefusal, Observer } from './session-spec.ts';

export type Warn = (message: string, error?: unknown) => void;

/** Calls every observer: an exception, now or later, is reported. */
export function notifyObservers(
  observers: readonly Observer[],
  call: (observer: Observer) => unknown,
  warn: Warn,
): void {
  for (const observer of observers) callGuarded('An observer', () => call(observer), warn);
}

/** Calls third-party code: an exception, now or later, is reported. `what`: its name, as the beginning of a sentence. */
export function callGuarded(what: string, call: () => unknown, warn: Warn): void {
  const report = (error: unknown) => warn(`${what} threw.`, error);
  try {
    const result = call();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}

/** Calls `notify` if the reply is a refusal. Returns the reply. */
export function reportRefusal<R extends TranscriptReply | AnswerReply>(
  session: string,
  { speaker, via }: Caller,
  reply: Promise<R>,
  notify: (refusal: CommandRefusal) => void,
): Promise<R> {
  const report = (found: TranscriptReply | AnswerReply) => {
    if (found.type !== 'say_refused' && found.type !== 'answer_refused') return;
    notify({ session, speaker: via ?? speaker.id, action: 'speak', code: found.code });
  };
  reply.then(report, () => {}); // its errors are for the caller
  return reply;
}
