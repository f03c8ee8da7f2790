// A run of AG-UI over one response, from RUN_STARTED to RUN_FINISHED or RUN_ERROR, and the form of the errors of the door.
import type { Usage } from '../../../machines/vocabulary.ts';
import { dropUndefined, fieldsOf } from '../../core/collections/fields.ts';
import type { FollowedTurn, TurnOver } from '../../gateway/http/follow-turn.ts';
import type { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall, RouteDoor } from '../../gateway/http/route.ts';
import { DataStream } from '../door-turns/data-stream.ts';
import type { DoorProfile } from '../door-turns/door-profiles.ts';
import { followDoorTurn } from '../door-turns/door-turn.ts';
import { DoorTurnFold } from '../door-turns/turn-fold.ts';
import { type AGUIEvent, protocolVersion, type RunOutcome, type TokenUsage } from './ag-ui-event.ts';
import { AGUIEvents } from './ag-ui-events.ts';
import type { RunInput } from './ag-ui-request.ts';
import { interruptOf } from './interrupts.ts';

/** A request that is refused has the form of a run that has failed. */
export const agUIDoor: RouteDoor = {
  name: 'ag-ui',
  errorBody({ document: { code, detail, field, limit } }: HttpProblem) {
    return { type: 'RUN_ERROR', message: detail, code, ...dropUndefined({ field, limit }) };
  },
};

const tokenUsageOf = ({ input, output, cachedInput, reasoning }: Usage): TokenUsage =>
  dropUndefined({
    inputTokens: input ?? undefined,
    outputTokens: output ?? undefined,
    cachedInputTokens: cachedInput ?? undefined,
    reasoningTokens: reasoning ?? undefined,
  });

/** How much of a turn the client has. */
export interface ReadTurn {
  /** The sequence number of the newest fact that an earlier run has had; 0: none. */
  readonly after: number;
  /** The messages that the client keeps, where it may have a part of the turn already. Left out: it has not. */
  readonly kept?: readonly object[] | undefined;
}

export class AGUIRun {
  readonly #input: RunInput;
  readonly #call: HttpCall;
  readonly #stream: DataStream;

  constructor(input: RunInput, call: HttpCall) {
    this.#input = input;
    this.#call = call;
    this.#stream = new DataStream(call);
  }

  /** Begins the run. `belay`: what the state says of the session, beside what the client has put into it. */
  start(belay: object): void {
    const { parentRunId, state } = this.#input;
    this.#stream.start(() =>
      this.#send({ type: 'RUN_ERROR', message: 'The token has expired.', code: 'token_expired' }),
    );
    this.#send({ type: 'RUN_STARTED', ...this.#ids, protocolVersion, ...(parentRunId && { parentRunId }) });
    this.#send({ type: 'STATE_SNAPSHOT', snapshot: { ...fieldsOf(state), belay } });
  }

  /** Sends a run whose words no turn has said. */
  sayInstead(text: string, name: string, value: object): void {
    const messageId = this.#call.services.ids('message');
    this.start({ session: this.#input.threadId });
    this.#send({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    this.#send({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text });
    this.#send({ type: 'TEXT_MESSAGE_END', messageId });
    this.#send({ type: 'CUSTOM', name, value });
    this.#send({ type: 'RUN_FINISHED', ...this.#ids, outcome: { type: 'success' } });
    this.#stream.endStream();
  }

  /** Sends what happens in a turn. Resolves with how that has ended. */
  async follow(
    followed: FollowedTurn,
    { after, kept }: ReadTurn,
    onAsk: DoorProfile['onAsk'],
  ): Promise<TurnOver['how']> {
    const { session, turn, by } = followed;
    const events = new AGUIEvents((event) => this.#send(event));
    const fold = new DoorTurnFold({
      session,
      turn,
      speaker: by.speaker.id,
      after,
      hasRoom: () => this.#stream.hasRoom,
      onEvent: (event, isNew) => events.onEvent(event, isNew),
    });
    this.start({ session, turn });
    if (kept) this.#send({ type: 'MESSAGES_SNAPSHOT', messages: kept });
    const over = await followDoorTurn(followed, this.#call, onAsk, fold);
    if (over.how === 'gone') this.#stream.stop();
    else this.#endRun(over, fold, events, followed);
    return over.how;
  }

  #endRun(
    over: Exclude<TurnOver, { readonly how: 'gone' }>,
    fold: DoorTurnFold,
    events: AGUIEvents,
    { session, turn }: FollowedTurn,
  ): void {
    const { seq } = fold;
    const { turnEnd, receipt } = fold.outcome;
    const failure = over.how === 'lost' ? over.problem : fold.outcome.failure;
    const interrupts =
      over.how === 'paused' ? fold.openQuestions.map((question) => interruptOf(question, turn, seq)) : [];
    events.close(interrupts);
    if (failure) this.#send({ type: 'RUN_ERROR', message: failure.message, code: failure.code });
    else {
      const isStopped = receipt !== null && turnEnd?.outcome !== 'completed';
      const outcome: RunOutcome =
        interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: isStopped ? 'cancelled' : 'success' };
      const end = dropUndefined({
        outcome: turnEnd?.outcome,
        effect: turnEnd?.effect,
        code: turnEnd?.code,
        finish: turnEnd?.finish,
      });
      const usage = turnEnd ? { usage: [tokenUsageOf(turnEnd.usage)] } : {};
      this.#send({ type: 'RUN_FINISHED', ...this.#ids, outcome, result: { session, turn, ...end }, ...usage });
    }
    this.#stream.endStream();
  }

  get #ids() {
    const { threadId, runId } = this.#input;
    return { threadId, runId };
  }

  #send(event: AGUIEvent): void {
    this.#stream.send(event);
  }
}
