// The answers that a request brings to a turn that waits for them, and what becomes of one whose client says something else.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { AnswerRequest } from '../../core/session/api.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall } from '../../gateway/http/route.ts';
import { activeTurnsOf, waitsForAnswers } from './live-turns.ts';

/** Gives answers. One that comes too late does not matter: the stream of the turn says how its question was closed. Rejects with an `HttpProblem` for any other that does not count. */
export async function giveAnswers(session: string, answers: readonly AnswerRequest[], call: HttpCall): Promise<void> {
  for (const answer of answers) {
    const reply = await call.services.runtime.answer(session, call.caller, answer);
    if (reply.type === 'answer_refused' && reply.code !== 'expired') throw new HttpProblem(reply.code);
  }
}

/** Stops a turn of the speaker that cannot go on before it is answered, because its client says something else. Resolves when it has settled. */
export async function stopUnanswered(session: string, turn: NodeId, call: HttpCall): Promise<void> {
  const { caller, services } = call;
  const turns = await activeTurnsOf(session, call);
  const found = turns.find((one) => one.turn === turn && one.owner === caller.speaker.id);
  if (!found || !waitsForAnswers(turn, turns)) return;
  const reason = 'Its speaker has said something else instead of an answer.';
  const reply = await services.runtime.cancel(session, caller, { target: turn, reason, source: 'http' });
  if (reply.type === 'cancel_accepted') await services.runtime.settled(session, reply.receipt.cancel);
}
