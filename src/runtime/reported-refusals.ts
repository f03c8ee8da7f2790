// Notifies the observers of replies that are refusals.
import type { AnswerReply, Caller, SayReply } from '../session/api.ts';
import type { CommandRefusal } from '../session/session-spec.ts';

/** Calls `notify` if the reply is a refusal. Returns the reply. */
export function reportRefusal<R extends SayReply | AnswerReply>(
  session: string,
  { speaker, via }: Caller,
  reply: Promise<R>,
  notify: (refusal: CommandRefusal) => void,
): Promise<R> {
  const report = (found: SayReply | AnswerReply) => {
    if (found.type !== 'say_refused' && found.type !== 'answer_refused') return;
    notify({ session, speaker: via ?? speaker.id, action: 'speak', code: found.code });
  };
  reply.then(report, () => {}); // its errors are for the caller
  return reply;
}
