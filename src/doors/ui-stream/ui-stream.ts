// A stream of chunks over one response, from `start` to `finish`, and the form of the errors of the door.
import type { NodeId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import { causeText } from '../../core/words/receipt-words.ts';
import type { FollowedTurn, TurnOver } from '../../gateway/http/follow-turn.ts';
import type { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall, RouteDoor } from '../../gateway/http/route.ts';
import { DataStream } from '../door-turns/data-stream.ts';
import type { DoorProfile } from '../door-turns/door-profiles.ts';
import { followDoorTurn } from '../door-turns/door-turn.ts';
import { DoorTurnFold } from '../door-turns/turn-fold.ts';
import type { MessageMetadata, UIChunk } from './ui-chunk.ts';
import { finishReasonOf, UIChunks } from './ui-chunks.ts';

/** The protocol shows the body of an error as it is, and has no form for it. */
export const uiStreamDoor: RouteDoor = {
  name: 'ui-stream',
  errorBody({ document: { code, detail, field, limit } }: HttpProblem) {
    return { code, message: detail, ...dropUndefined({ field, limit }) };
  },
};

const headers = { 'x-vercel-ai-ui-message-stream': 'v1' };

type BelayMetadata = Omit<Partial<MessageMetadata['belay']>, 'session' | 'turn'>;

export class UIStream {
  readonly #session: string;
  readonly #call: HttpCall;
  readonly #stream: DataStream;

  constructor(session: string, call: HttpCall) {
    this.#session = session;
    this.#call = call;
    this.#stream = new DataStream(call);
  }

  /** Begins a message. `id`: the turn that it is, or what takes its place. */
  start(id: string): void {
    this.#stream.start(
      () => this.#send({ type: 'error', errorText: 'The token has expired. (token_expired)' }),
      headers,
    );
    this.#send({ type: 'start', messageId: id, messageMetadata: this.#metadata(id) });
  }

  /** Sends a message that no turn has said, and ends the stream. */
  sayInstead(text: string, data: Extract<UIChunk, { readonly data: object }>): void {
    this.#send({ type: 'text-start', id: 'instead' });
    this.#send({ type: 'text-delta', id: 'instead', delta: text });
    this.#send({ type: 'text-end', id: 'instead' });
    this.#send(data);
    this.#stream.send({ type: 'finish', finishReason: 'stop' });
    this.#stream.endStream('[DONE]');
  }

  /** Sends what happens in a turn. Resolves with how that has ended. `after`: the reader has the facts up to this sequence number. */
  async follow(followed: FollowedTurn, after: number, onAsk: DoorProfile['onAsk']): Promise<TurnOver['how']> {
    const { turn, by } = followed;
    const chunks = new UIChunks(this.#session, (chunk) => this.#send(chunk));
    const fold = new DoorTurnFold({
      session: this.#session,
      turn,
      speaker: by.speaker.id,
      after,
      hasRoom: () => this.#stream.hasRoom,
      onEvent: (event, isNew) => {
        chunks.onEvent(event, isNew);
        // a client that is lost before the end of the stream can answer all the same
        if (isNew && event.type === 'asked') this.#sendMetadata(turn, { seq: fold.seq, waiting: true });
      },
    });
    this.start(turn);
    const over = await followDoorTurn(followed, this.#call, onAsk, fold);
    if (over.how === 'gone') this.#stream.stop();
    else this.#endMessage(over, fold, chunks, turn);
    return over.how;
  }

  #endMessage(
    over: Exclude<TurnOver, { readonly how: 'gone' }>,
    fold: DoorTurnFold,
    chunks: UIChunks,
    turn: NodeId,
  ): void {
    chunks.endStep();
    const { seq } = fold;
    const { turnEnd, receipt } = fold.outcome;
    const waiting = over.how === 'paused';
    const end =
      turnEnd &&
      dropUndefined({ outcome: turnEnd.outcome, effect: turnEnd.effect, code: turnEnd.code, usage: turnEnd.usage });
    const metadata = { seq, waiting, ...end };
    const messageMetadata = this.#metadata(turn, metadata);
    const failure = over.how === 'lost' ? over.problem : fold.outcome.failure;
    if (failure) {
      this.#sendMetadata(turn, metadata);
      this.#send({ type: 'error', errorText: `${failure.message} (${failure.code})` });
    } else if (receipt && turnEnd && turnEnd.outcome !== 'completed') {
      const { source, by } = receipt.cause;
      this.#send({ type: 'abort', reason: `Stopped by ${causeText(source, by)}.` });
      this.#send({ type: 'finish', finishReason: 'interrupted', messageMetadata });
    } else {
      const finishReason = waiting ? 'tool-calls' : finishReasonOf(turnEnd?.finish);
      this.#send({ type: 'finish', finishReason, messageMetadata });
    }
    this.#stream.endStream('[DONE]');
  }

  #sendMetadata(turn: string, more: BelayMetadata): void {
    this.#send({ type: 'message-metadata', messageMetadata: this.#metadata(turn, more) });
  }

  #metadata(turn: string, more: BelayMetadata = {}): MessageMetadata {
    return { belay: { session: this.#session, turn, ...more } };
  }

  #send(chunk: UIChunk): void {
    this.#stream.send(chunk);
  }
}
