// A session of the client: its prompts, their stop, and what it is shown.
//
// 1. The response to a prompt comes last: after the end of its turn and of the agents that it has detached, after the receipt of its stop, and after every update.
// 2. `session/cancel` is a CANCEL of the session. It also stops a prompt whose words are still on their way.
import { type PromptResponse, RequestError, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk';
import type { LoadedPart } from '../../../machines/content.ts';
import type { CancelHandle } from '../../client/cancel-in-flight.ts';
import type { ClientSession } from '../../client/client-session.ts';
import type { SayOptions } from '../../client/command-options.ts';
import { CommandRefused, SessionEnded, TakenAsCancel } from '../../client/errors.ts';
import type { Turn } from '../../client/turn-in-flight.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import { failureSentence } from '../../core/words/model-words.ts';
import { receiptText } from '../../core/words/receipt-words.ts';
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import type { ClientQuestions } from './client-questions.ts';
import { DetachedTurns } from './detached-turns.ts';
import type { SessionChoices } from './session-choices.ts';
import type { SessionUpdates } from './session-updates.ts';
import type { UpdateQueue } from './update-queue.ts';

type Receipt = ServerFrameOf<'cancel_settled'>;
type TurnEnd = ServerFrameOf<'turn_ended'>;

/** The session of a runtime in this process, for the person at the client. */
export interface SpokenSession extends Omit<ClientSession, 'say'> {
  say(content: string | readonly LoadedPart[], options?: SayOptions): Turn;
}

export interface AcpSessionParts {
  readonly session: SpokenSession;
  readonly choices: SessionChoices;
  readonly questions: ClientQuestions;
  readonly updates: SessionUpdates;
  readonly queue: UpdateQueue;
  /** Whether the frames from \`joined\` to \`replayed\` repeat what was before. */
  readonly hasReplay: boolean;
}

/** What the client's stops have done to a prompt. */
interface PromptState {
  isCancelled: boolean;
  /** The first receipt of them; null: they have stopped nothing, or are not settled. */
  receipt: Receipt | null;
}

const cancelReason = 'stopped at the client';

export class AcpSession {
  readonly choices: SessionChoices;
  readonly #parts: AcpSessionParts;
  readonly #detached = new DetachedTurns();
  /** The turns of prompts without a response. */
  readonly #prompts = new Map<Turn, PromptState>();
  /** The responses to them. */
  readonly #responses = new Set<Promise<PromptResponse>>();
  /** The CANCELs of the client that have not settled. */
  readonly #cancels = new Set<CancelHandle>();
  #lastReceipt: Receipt | null = null;
  readonly #ready = Promise.withResolvers<void>();
  /** Whether the frames that come repeat what was before. */
  #isPast = true;

  constructor(parts: AcpSessionParts) {
    this.#parts = parts;
    this.choices = parts.choices;
    const { session } = parts;
    session.on('*', (frame) => this.#receive(frame));
    session.on('state', (state) => {
      if (state === 'ended') this.#detached.endAll();
    });
    session.joined.catch((error) => this.#ready.reject(error));
    this.#ready.promise.catch(() => {}); // its reader may come later
  }

  /** Resolves when the client has been sent what was before, as much of it as was asked for. */
  async ready(): Promise<void> {
    await this.#ready.promise;
    await this.#parts.queue.drained();
  }

  get id(): string {
    return this.#parts.session.id;
  }

  get isBusy(): boolean {
    return this.#prompts.size > 0;
  }

  /** A call runs in a terminal of the client. */
  showTerminal(call: string, terminal: string): void {
    this.#parts.updates.calls.showTerminal(call, terminal);
  }

  /** Sends an update. Resolves when it is written. */
  async send(update: SessionUpdate): Promise<void> {
    this.#parts.queue.push(update);
    await this.#parts.queue.drained();
  }

  #receive(frame: ServerFrame): void {
    const { updates, questions, choices, hasReplay } = this.#parts;
    if (frame.type === 'joined') choices.offerModels(frame.models ?? []);
    if (frame.type === (hasReplay ? 'replayed' : 'joined')) {
      this.#isPast = false;
      this.#ready.resolve();
    }
    this.#detached.receive(frame);
    updates.receive(frame, this.#isPast);
    if (!this.#isPast) questions.receive(frame);
    if (frame.type === 'cancel_settled') this.#lastReceipt = frame;
  }

  /** Says a prompt. Resolves when all that it has caused has settled. `cancelled`: resolves when the client has withdrawn the request. */
  prompt(said: readonly LoadedPart[], cancelled: Promise<void>): Promise<PromptResponse> {
    const response = this.#respond(said, cancelled);
    this.#responses.add(response);
    const done = () => void this.#responses.delete(response);
    response.then(done, done);
    return response;
  }

  async #respond(said: readonly LoadedPart[], cancelled: Promise<void>): Promise<PromptResponse> {
    const { session, queue } = this.#parts;
    const [only] = said;
    const content = said.length === 1 && only?.type === 'text' ? only.text : said;
    const { model } = this.choices;
    const turn = session.say(content, model === null ? {} : { model: { model } });
    const state: PromptState = { isCancelled: false, receipt: null };
    this.#prompts.set(turn, state);
    void cancelled.then(() => this.#prompts.has(turn) && this.cancel());
    try {
      const end = await turn.ended;
      await this.#detached.ended(end.turn);
      const stopped = await turn.receipt;
      await this.#cancelsSettled();
      return responseOf(end, stopped ?? state.receipt, state.isCancelled);
    } catch (error) {
      return await this.#withoutTurn(error, state);
    } finally {
      this.#prompts.delete(turn);
      await queue.drained();
    }
  }

  /** Stops everything in the session. */
  cancel(): void {
    const { session } = this.#parts;
    const options = { reason: cancelReason };
    for (const [turn, state] of this.#prompts) {
      state.isCancelled = true;
      if (turn.id === null) this.#follow(turn.cancel(options)); // its words are on their way: the session does not have them yet
    }
    this.#follow(session.cancel('session', options));
  }

  /** Leaves the session; what runs is stopped first. Resolves when it has settled. */
  async close(): Promise<void> {
    this.cancel();
    await this.#cancelsSettled();
    await Promise.allSettled(this.#responses);
    this.#parts.questions.close();
    await this.#parts.session.leave().catch(() => {}); // it has ended
  }

  #follow(cancel: CancelHandle): void {
    this.#cancels.add(cancel);
    const stopped = [...this.#prompts.values()];
    cancel.settled
      .then((receipt) => {
        for (const state of stopped) state.receipt ??= receipt;
      })
      .catch(() => {}) // the session has ended
      .finally(() => this.#cancels.delete(cancel));
  }

  async #cancelsSettled(): Promise<void> {
    await Promise.allSettled([...this.#cancels].map(({ settled }) => settled));
  }

  /** The words have opened no turn. */
  async #withoutTurn(error: unknown, state: PromptState): Promise<PromptResponse> {
    await this.#cancelsSettled();
    if (error instanceof TakenAsCancel) return this.#afterStopPhrase(error.cancel);
    if (state.isCancelled && !(error instanceof SessionEnded))
      return { stopReason: 'cancelled', _meta: { belay: { receipt: state.receipt } } };
    if (error instanceof CommandRefused) throw requestError(error.code, error.message, { field: error.field });
    if (error instanceof SessionEnded) throw requestError(error.reason, error.message);
    throw error;
  }

  /** The words were a stop phrase, and have stopped what ran. */
  async #afterStopPhrase(cancel: string): Promise<PromptResponse> {
    const { session, queue } = this.#parts;
    const receipt = await receiptOf(session, cancel, () => this.#lastReceipt);
    const text = receipt ? `[${receiptText(receipt.nodes)}]` : '[Stopped.]';
    queue.push({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    return { stopReason: 'end_turn', _meta: { belay: { receipt } } };
  }
}

/** Resolves with the receipt with this id; null: the session has ended first. */
function receiptOf(
  session: Pick<ClientSession, 'on'>,
  cancel: string,
  last: () => Receipt | null,
): Promise<Receipt | null> {
  const { promise, resolve } = Promise.withResolvers<Receipt | null>();
  const known = last();
  if (known?.cancel === cancel) return Promise.resolve(known);
  const off = session.on('cancel_settled', (frame) => {
    if (frame.cancel === cancel) resolve(frame);
  });
  const offState = session.on('state', (state) => {
    if (state === 'ended') resolve(null);
  });
  return promise.finally(() => {
    off();
    offState();
  });
}

const requestError = (code: string, message: string, data: object = {}): RequestError =>
  new RequestError(-32_603, message, { code, ...data });

function responseOf(end: TurnEnd, receipt: Receipt | null, isCancelled: boolean): PromptResponse {
  const { turn, outcome, effect, code, message, usage, ms } = end;
  const belay = {
    turn,
    outcome,
    effect,
    usage,
    receipt,
    ...(code !== undefined && { code }),
    ...(ms !== undefined && { ms }),
  };
  const usageFields = tokensOf(usage);
  const stopReason = isCancelled ? 'cancelled' : stopReasonOf(end, receipt);
  if (stopReason === null)
    throw requestError(code ?? outcome, message ?? failureSentence(code ?? outcome) ?? `The turn ended: ${outcome}.`, {
      belay,
    });
  return { stopReason, ...(usageFields && { usage: usageFields }), _meta: { belay } };
}

/** Returns the tokens of a turn in the form of the draft of the protocol, which the stable one leaves alone; null: they are not known. */
function tokensOf({ input, output, cachedInput, cacheWrite, reasoning }: TurnEnd['usage']): object | null {
  if (input === null || output === null) return null;
  return dropUndefined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    cachedReadTokens: cachedInput,
    cachedWriteTokens: cacheWrite,
    thoughtTokens: reasoning,
  });
}

/** Returns why the turn has ended; null: it has failed, for which the protocol has an error. */
function stopReasonOf({ outcome, finish, code }: TurnEnd, receipt: Receipt | null): StopReason | null {
  if (receipt) return 'cancelled';
  if (code === 'round_limit') return 'max_turn_requests';
  if (outcome !== 'completed') return null;
  if (finish === 'length') return 'max_tokens';
  return finish === 'content_filter' || finish === 'refusal' ? 'refusal' : 'end_turn';
}
