// Follows the turn of a call to its end, and answers with what has become of it. The cancellation of the call is a CANCEL of the turn.
import { EventEmitter } from 'node:events';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { FollowedTurn } from '../../gateway/http/follow-turn.ts';
import { maxReasonChars } from '../../wire/frame-limits.ts';
import { DoorAnswer } from '../door-turns/door-answer.ts';
import type { DoorProfile } from '../door-turns/door-profiles.ts';
import { followDoorTurn, type TurnListener } from '../door-turns/door-turn.ts';
import { agentResult } from './agent-tools.ts';
import { type McpRequest, whenClosed } from './mcp-request.ts';
import { TurnProgress } from './turn-progress.ts';
import { type CallTurn, PushedQuestions, ReturnedQuestions } from './turn-questions.ts';

/** How long a turn waits for the client that has received its question, in milliseconds. */
const answerMs = 600_000;

export type AgentResult = CallToolResult | InputRequiredResult;

/** What the client of a call can do. */
export interface ClientAbilities {
  /** Whether it can show a form. */
  readonly canElicit: boolean;
}

/** The reader of an answer, which may be gone before it. */
export class AnswerReader extends EventEmitter {
  destroyed = false;

  stopReading(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

/**
 * Follows a turn to its end, and resolves with the answer.
 * @param kind Of a task: it goes on when its request is cancelled.
 */
export async function followAgentTurn(
  request: McpRequest,
  opened: CallTurn,
  profile: DoorProfile,
  { canElicit }: ClientAbilities,
  kind: 'call' | 'task' = 'call',
): Promise<AgentResult> {
  const { door, sender, era } = request;
  const { services } = door;
  const { caller } = sender;
  const reader = new AnswerReader();
  let text = '';
  const answer = new DoorAnswer(opened.session, opened.turn, (piece) => {
    text += piece;
    return true;
  });
  const progress = new TurnProgress(request, opened);
  const returned = new ReturnedQuestions(request, opened, () => reader.stopReading());
  const questions = era === 'modern' ? returned : new PushedQuestions(request, opened, kind === 'call');
  const listener: TurnListener = {
    onText: (delta) => answer.onText(delta),
    onFrame(frame) {
      answer.onFrame(frame);
      progress.onFrame(frame);
      questions.onFrame(frame);
    },
    ask: (frame) => canElicit && questions.ask(frame),
  };
  const follower = { services, caller, response: reader };
  const release = kind === 'call' ? cancelWithCall(request, opened) : () => {};
  const over = await followDoorTurn(followedTurn(request, opened), follower, profile.onAsk, listener).finally(release);
  if (over.how === 'lost') throw over.problem;
  if (over.how === 'gone' && returned.result) return returned.result;
  const { failure, belay } = answer.summary;
  return agentResult({ text: failure?.message ?? text + answer.remarks, ...belay }, failure !== null);
}

/** The answer of a call is left only if it says what the turn asks: the client comes back with the answers, and has time for that. */
function followedTurn({ door: { settings }, sender }: McpRequest, opened: CallTurn): FollowedTurn {
  const { onDisconnect, graceMs } = settings;
  return { ...opened, after: 0, by: sender.caller, onDisconnect, graceMs: Math.max(graceMs, answerMs) };
}

/**
 * Cancels the turn when the client cancels the call, or closes what carries it where that is the cancellation: the signal aborts. Where it is none, the rule of the door counts. Returns a
 * function that ends this.
 */
function cancelWithCall({ ctx, door, sender }: McpRequest, { session, turn }: CallTurn): () => void {
  const { services, settings } = door;
  const { signal } = ctx.mcpReq;
  const { response, caller } = sender;
  let isOver = false;
  const cancel = (source: 'client' | 'disconnect', reason: string) => {
    if (isOver) return;
    services.runtime.cancel(session, caller, { target: turn, reason, source }).catch(services.report);
  };
  const onAbort = () => cancel('client', reasonOf(signal.reason));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const onLost = () => cancel('disconnect', 'The request was closed by its client.');
  if (response && settings.onDisconnect === 'cancel')
    whenClosed(response, () => void services.clock.after(settings.graceMs, onLost));
  return () => {
    isOver = true;
  };
}

const reasonOf = (reason: unknown): string =>
  typeof reason === 'string' && reason !== '' ? reason.slice(0, maxReasonChars) : 'The call was cancelled.';
