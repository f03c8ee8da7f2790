// A turn in flight: an async iterable of what happens in it, and the handle to stop it.
import { targetOf } from '../core/receipt/cancel-target.ts';
import { listedNodes } from '../core/receipt/receipt.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import type {
  ModelPreviewFrame,
  ServerFrame,
  ServerFrameOf,
  TextDeltaFrame,
  ToolOutputFrame,
  ToolProgressFrame,
  ToolWaitingFrame,
} from '../wire/server-frames.ts';
import { AwaitedReceipts } from './awaited-receipts.ts';
import type { CancelHandle, CancelOptions } from './cancel-in-flight.ts';
import type { ClientSources } from './client-sources.ts';
import { CommandRefused, TurnNotCompleted } from './errors.ts';
import { RecordedEvents } from './event-record.ts';
import { ignoreRejection } from './ignore-rejection.ts';
import { TurnFold, type TurnSummary } from './turn-summary.ts';

/** An event of a turn: a fact, a piece of text, of reasoning or of a call's arguments, live output of a call, the progress of one that runs or waits. The last one is `turn_ended`. */
export type TurnEvent =
  | FactFrame
  | TextDeltaFrame
  | ModelPreviewFrame
  | ToolOutputFrame
  | ToolProgressFrame
  | ToolWaitingFrame;

/**
 * Iterating yields every event from the first on, also to a loop that starts later. What models stream (`text_delta`, `reasoning_delta`, `tool_input_delta`,
 * `model_waiting`) is of the turn itself only, so that printing `text` prints its reply; `withSubAgents()` yields that of sub-agents, too. Facts are those
 * of the turn and of everything below it. The loop ends after `turn_ended`, which has the outcome: a turn that was cancelled ends like any other, and
 * throws nothing. Leaving the loop early cancels nothing, unless `cancelOnBreak` is set.
 *
 * It throws `CommandRefused` if the turn was never opened, `TakenAsCancel` if the words were a stop phrase instead, `NotConnected` if it was never sent, and `SessionEnded` or `ConnectionClosed` if
 * no more events can come.
 */
export interface Turn extends AsyncIterable<TurnEvent> {
  /** The ref of its SAY, in its last sending: another one if the first had been used for another command. */
  readonly ref: string;
  /** The id of the turn; null until it is opened. */
  readonly id: string | null;
  /** Resolves with the id. */
  readonly opened: Promise<string>;
  /**
   * Resolves with what became of the words. `queued`: they open a turn, which is this one. `consumed`: a turn that ran has read them; from then on this is that
   * turn. `cancelled`: they were stopped before a turn could read them, and everything else rejects. Rejects as `opened` does.
   */
  readonly fate: Promise<InputFate>;
  /** Resolves with the end of the turn. Where it was cancelled: after the receipt (`cancel_settled`), or two seconds after the end if that is late. */
  readonly ended: Promise<ServerFrameOf<'turn_ended'>>;
  /** Resolves with the receipt of its stop; null when it has ended, and nobody has stopped it. Rejects as `opened` does, and if the receipt cannot come any more. */
  readonly receipt: Promise<ServerFrameOf<'cancel_settled'> | null>;
  /** Resolves with all of it in one object when it has ended, and its receipt has come. */
  summary(): Promise<TurnSummary>;
  /** Everything that the loop over the turn yields, and what the models of its sub-agents stream: `turn` of an event says whose it is. */
  withSubAgents(): AsyncIterable<TurnEvent>;
  /** Resolves with the text of the last model call. Rejects with `TurnNotCompleted`, which has the outcome, if the turn did not complete. */
  reply(): Promise<string>;
  /** Stops the turn and everything below it. */
  cancel(options?: CancelOptions): CancelHandle;
  /** Stops the turn with everything below it, and the turns of its owner that wait behind it in its lane; not the agents that they have detached. */
  cancelLane(options?: CancelOptions): CancelHandle;
  /** Stops what the turn has called, with everything below it, and not the turn: its model goes on with the results. */
  cancelTools(options?: CancelOptions): CancelHandle;
  /** A tool call or a sub-agent of the turn, by its id (`node` of `tool_call`). */
  tool(id: string): ToolHandle;
}

export interface ToolHandle {
  readonly id: string;
  /** Resolves with the result of the call. */
  readonly ended: Promise<ServerFrameOf<'tool_result'>>;
  /** Stops this call: its siblings run on, and so does the turn. */
  cancel(options?: CancelOptions): CancelHandle;
}

export interface TurnInFlightParts {
  readonly ref: string;
  readonly cancelOnBreak: boolean;
  readonly clock: Pick<ClientSources['clock'], 'after'>;
  /** Sends a CANCEL; the target is read whenever the frame is sent. */
  cancel(target: () => string, options: CancelOptions): CancelHandle;
}

type ToolResult = ServerFrameOf<'tool_result'>;

/** What becomes of words. */
export type InputFate = ServerFrameOf<'input_settled'>['fate'];

/** What the server has made of the words. `input`: their id as a deferred input. */
type WordsState =
  /** It has not replied that it took them. */
  | { readonly kind: 'sent' }
  | { readonly kind: 'deferred'; readonly input: string }
  /** They have opened the turn, or it has read them. */
  | { readonly kind: 'opened'; readonly turn: string };

export class TurnInFlight implements Turn {
  readonly #input: TurnInFlightParts;
  readonly #record = new RecordedEvents<TurnEvent>(isPassing);
  /** The nodes of the turn and of everything below it. */
  readonly #nodes = new Set<string>();
  readonly #results = new Map<string, PromiseWithResolvers<ToolResult>>();
  readonly #opened = Promise.withResolvers<string>();
  readonly #ended = Promise.withResolvers<ServerFrameOf<'turn_ended'>>();
  readonly #fate = Promise.withResolvers<InputFate>();
  readonly #receipt = Promise.withResolvers<ServerFrameOf<'cancel_settled'> | null>();
  readonly #fold = new TurnFold();
  #ref: string;
  #state: WordsState = { kind: 'sent' };
  #lastText = '';
  readonly #receipts: AwaitedReceipts;

  constructor(input: TurnInFlightParts) {
    this.#ref = input.ref;
    this.#input = input;
    this.#receipts = new AwaitedReceipts(input.clock);
    ignoreRejection(this.#opened.promise, this.#ended.promise, this.#fate.promise, this.#receipt.promise);
  }

  get ref(): string {
    return this.#ref;
  }

  /** Sent again under this ref, because the first one had been used for another command. */
  renew(ref: string): void {
    this.#ref = ref;
  }

  get id(): string | null {
    return this.#state.kind === 'opened' ? this.#state.turn : null;
  }

  get opened(): Promise<string> {
    return this.#opened.promise;
  }

  get fate(): Promise<InputFate> {
    return this.#fate.promise;
  }

  /** Whether the server has replied that it took the words. */
  get isTaken(): boolean {
    return this.#state.kind !== 'sent';
  }

  get ended(): Promise<ServerFrameOf<'turn_ended'>> {
    return this.#ended.promise;
  }

  /** Whether the turn has ended or failed, and no frame can come for it any more. */
  get isOver(): boolean {
    return this.#record.isClosed && !this.#receipts.isWaiting;
  }

  get receipt(): Promise<ServerFrameOf<'cancel_settled'> | null> {
    return this.#receipt.promise;
  }

  async summary(): Promise<TurnSummary> {
    const [end, receipt] = [await this.ended, await this.receipt];
    return this.#fold.sum(end, receipt);
  }

  async reply(): Promise<string> {
    const end = await this.ended;
    if (end.outcome !== 'completed') throw new TurnNotCompleted(end);
    return this.#lastText;
  }

  cancel(options: CancelOptions = {}): CancelHandle {
    return this.#input.cancel(() => this.#target(), options);
  }

  cancelLane(options: CancelOptions = {}): CancelHandle {
    // no words wait for deferred ones
    return this.#input.cancel(
      () => (this.#state.kind === 'deferred' ? this.#target() : targetOf('lane', this.#target())),
      options,
    );
  }

  cancelTools(options: CancelOptions = {}): CancelHandle {
    return this.#input.cancel(() => targetOf('tools', this.#target()), options);
  }

  tool(node: string): ToolHandle {
    const ended = () => this.#resultOf(node);
    return {
      id: node,
      get ended() {
        return ended();
      },
      cancel: (options = {}) => this.#input.cancel(() => node, options),
    };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, void> {
    for await (const event of this.withSubAgents()) if (!this.#isOfSubAgent(event)) yield event;
  }

  async *withSubAgents(): AsyncGenerator<TurnEvent, void, void> {
    try {
      yield* this.#record.read();
    } finally {
      if (this.#input.cancelOnBreak && !this.#record.isClosed)
        this.cancel({ reason: 'The loop over the turn was left.' });
    }
  }

  /** What a CANCEL of it names at this moment. */
  #target(): string {
    switch (this.#state.kind) {
      case 'sent':
        return `say:${this.#ref}`;
      case 'deferred':
        return this.#state.input;
      case 'opened':
        return this.#state.turn;
    }
  }

  /** Whether the model of a sub-agent has streamed this. */
  #isOfSubAgent(event: TurnEvent): boolean {
    return streamedTypes.has(event.type) && 'turn' in event && event.turn !== this.id;
  }

  /** Records the frame if it is about the turn. `isOwn`: it may be the reply to a command of this client. */
  receive(frame: ServerFrame, isOwn: boolean): void {
    const receipt = this.#receipts.receive(frame, this.id);
    if (receipt) this.#receipt.resolve(receipt);
    if (this.#record.isClosed) return;
    if (frame.type === 'input_deferred' && frame.ref === this.#ref && isOwn && this.#state.kind === 'sent')
      this.#state = { kind: 'deferred', input: frame.input };
    if (frame.type === 'turn_opened' && frame.ref === this.#ref && isOwn) this.#follow(frame.turn, 'queued');
    if (frame.type === 'input_settled' && this.#state.kind === 'deferred' && frame.input === this.#state.input)
      this.#settleInput(frame);
    if (!isAbout(frame, this.#nodes)) return;
    if (frame.type === 'tool_call') this.#nodes.add(frame.node);
    if (frame.type === 'turn_started') this.#nodes.add(frame.turn);
    if (frame.type === 'tool_result') this.#resolversOf(frame.node).resolve(frame);
    if (frame.type === 'model_ended' && frame.turn === this.id) this.#lastText = frame.text;
    this.#record.add(frame);
    this.#fold.add(frame, this.id);
    if (frame.type !== 'turn_ended' || frame.turn !== this.id) return;
    this.#record.close(null);
    if (!this.#receipts.isStopped) this.#receipt.resolve(null);
    this.#receipts.waitThen(() => this.#ended.resolve(frame));
  }

  /** The words have opened a turn, or one has read them. */
  #follow(turn: string, fate: InputFate): void {
    this.#state = { kind: 'opened', turn };
    this.#nodes.add(turn);
    this.#fate.resolve(fate);
    this.#opened.resolve(turn);
  }

  #settleInput({ fate, turn }: ServerFrameOf<'input_settled'>): void {
    this.#fate.resolve(fate);
    if (fate === 'consumed') this.#follow(turn, fate);
    if (fate !== 'cancelled') return;
    const message = 'The words were stopped before a turn could read them.';
    this.fail(new CommandRefused({ code: 'cancelled_before_start', message }));
  }

  fail(error: Error): void {
    this.#receipts.endWait();
    this.#receipt.reject(error);
    if (this.#record.isClosed) return;
    this.#fate.reject(error);
    this.#opened.reject(error);
    this.#ended.reject(error);
    for (const { reject } of this.#results.values()) reject(error);
    this.#record.close(error);
  }

  #resultOf(node: string): Promise<ToolResult> {
    const { promise, reject } = this.#resolversOf(node);
    const { failure } = this.#record;
    if (failure) reject(failure);
    return promise;
  }

  #resolversOf(node: string): PromiseWithResolvers<ToolResult> {
    const known = this.#results.get(node) ?? Promise.withResolvers<ToolResult>();
    ignoreRejection(known.promise);
    this.#results.set(node, known);
    return known;
  }
}

/** Frames of a model call, while it runs. */
const streamedTypes: ReadonlySet<string> = new Set([
  'text_delta',
  'reasoning_delta',
  'tool_input_delta',
  'model_waiting',
] satisfies readonly TurnEvent['type'][]);

/** Frames that no fact repeats later. */
const passingTypes: ReadonlySet<string> = new Set([
  ...streamedTypes,
  'tool_output',
  'tool_progress',
  'tool_waiting',
] satisfies readonly string[]);

const isPassing = ({ type }: TurnEvent): boolean => passingTypes.has(type);

/** Whether the frame is about one of the nodes. */
function isAbout(frame: ServerFrame, nodes: ReadonlySet<string>): frame is TurnEvent {
  switch (frame.type) {
    case 'turn_started':
      return nodes.has(frame.turn) || (frame.parent !== null && nodes.has(frame.parent));
    case 'cancel_accepted':
      return listedNodes(frame).some((node) => nodes.has(node));
    case 'cancel_settled':
      return frame.nodes.some(({ node }) => nodes.has(node));
    case 'cancel_refused':
      return frame.refused.some(({ node }) => nodes.has(node));
    default:
      return ('turn' in frame && nodes.has(frame.turn)) || ('node' in frame && nodes.has(frame.node));
  }
}
