// A call of an agent: says the prompt, follows its turn to the end, and answers with what has become of it. The cancellation of the call is a CANCEL of the turn.
import { EventEmitter } from 'node:events';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { SessionOptionsDiffer } from '../../core/runtime/session-opening.ts';
import type { SayReply } from '../../core/session/api.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import type { FollowedTurn } from '../../gateway/http/follow-turn.ts';
import { parsePart } from '../../gateway/http/parse-input.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { maxReasonChars } from '../../wire/frame-limits.ts';
import { DoorAnswer } from '../door-turns/door-answer.ts';
import { type DoorProfile, optionsOf, profilesFor } from '../door-turns/door-profiles.ts';
import { followDoorTurn, type TurnListener } from '../door-turns/door-turn.ts';
import { type AgentInput, agentInputSchema, resultOf } from './agent-tools.ts';
import type { McpRequest } from './mcp-request.ts';
import { TurnProgress } from './turn-progress.ts';
import { type OpenedTurn, PushedQuestions, ReturnedQuestions, readReturn, whenClosed } from './turn-questions.ts';

/** How long a turn waits for the client that was told what it asks, in milliseconds. */
const answerMs = 600_000;

type CallResult = CallToolResult | InputRequiredResult;

/** What the client of a call can do. */
export interface ClientAbilities {
  /** Whether it can show a form. */
  readonly canElicit: boolean;
}

/** Calls the agent with this name. Rejects with an `HttpProblem`, and with a `ProtocolError`. */
export async function callAgent(
  request: McpRequest,
  name: string,
  given: unknown,
  abilities: ClientAbilities,
): Promise<CallResult> {
  const { settings } = request.door;
  const profile = profilesFor(settings, request.sender.caller.speaker.id).get(name);
  if (!profile)
    throw new HttpProblem('not_found', {
      field: 'name',
      message: `There is no agent ${JSON.stringify(name.slice(0, 64))} for this speaker. tools/list has those that there are.`,
    });
  const input = parsePart(agentInputSchema, given ?? {});
  const returned = await readReturn(request);
  if (returned) return followTurn(request, returned, profile, abilities);
  const session = input.session ?? request.door.services.ids('mcp');
  const reply = await sayPrompt(request, session, name, profile, input);
  if (reply.type !== 'turn_opened') return answerWithoutTurn(request, session, reply);
  return followTurn(request, { session, turn: reply.turn, openedAt: reply.seq ?? 1 }, profile, abilities);
}

async function sayPrompt(
  { door: { services }, sender: { caller } }: McpRequest,
  session: string,
  name: string,
  profile: DoorProfile,
  { prompt }: AgentInput,
): Promise<SayReply> {
  const { runtime } = services;
  try {
    await runtime.open(session, caller, optionsOf(name, profile));
  } catch (error) {
    if (!(error instanceof SessionOptionsDiffer)) throw error;
    await runtime.open(session, caller); // a session that is there keeps what it was opened with
  }
  return runtime.say(session, caller, { text: prompt });
}

/** Words that have opened no turn: they have stopped something, or go to a turn that runs. */
async function answerWithoutTurn(
  { door: { services }, sender: { caller } }: McpRequest,
  session: string,
  reply: Exclude<SayReply, { type: 'turn_opened' }>,
): Promise<CallToolResult> {
  const { runtime, report } = services;
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused');
  if (reply.type === 'say_refused') throw new HttpProblem(reply.code, { message: reply.message });
  const settled = reply.type === 'stop_phrase' ? await runtime.settled(session, reply.cancel) : null;
  runtime.leave(session, caller.connection, 'left').catch(report);
  const output = {
    text: settled ? `[${receiptText(settled.nodes)}]` : '[The words go to the turn that runs.]',
    session,
    turn: reply.type === 'input_deferred' ? reply.turn : null,
    outcome: 'completed',
    effect: 'none',
    calls: [],
    receipt: settled && { session, ...settled },
  };
  return resultOf(output as Parameters<typeof resultOf>[0], false);
}

/** The reader of an answer, which may be gone before it. */
class AnswerReader extends EventEmitter {
  destroyed = false;

  leave(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

async function followTurn(
  request: McpRequest,
  opened: OpenedTurn,
  profile: DoorProfile,
  { canElicit }: ClientAbilities,
): Promise<CallResult> {
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
  const returned = new ReturnedQuestions(request, opened, () => reader.leave());
  const questions = era === 'modern' ? returned : new PushedQuestions(request, opened);
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
  const release = cancelWithCall(request, opened);
  const over = await followDoorTurn(followedTurn(request, opened), follower, profile.onAsk, listener).finally(release);
  if (over.how === 'lost') throw over.problem;
  if (over.how === 'gone' && returned.result) return returned.result;
  const { failure } = answer;
  return resultOf({ text: failure?.message ?? text + answer.remarks, ...answer.belay }, failure !== null);
}

/** The answer of a call is left only if it says what the turn asks: the client comes back with the answers, and has time for that. */
function followedTurn({ door: { settings }, sender }: McpRequest, opened: OpenedTurn): FollowedTurn {
  const { onDisconnect, graceMs } = settings;
  return { ...opened, after: 0, by: sender.caller, onDisconnect, graceMs: Math.max(graceMs, answerMs) };
}

/**
 * Cancels the turn when the client cancels the call, or closes what carries it where that is the cancellation: the signal aborts. Where it is none, the rule of the door counts. Returns a
 * function that ends this.
 */
function cancelWithCall({ ctx, door, sender }: McpRequest, { session, turn }: OpenedTurn): () => void {
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
