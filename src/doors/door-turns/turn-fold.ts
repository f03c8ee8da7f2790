// Folds the frames of a turn, and of the sub-agents below it, into what a client shows, in order: the one form that every door with streams encodes.
//
// 1. Facts that the reader has already are read, because they say what is below the turn, and passed on as known.
// 2. A text is passed on as it comes, and whole at the latest with the end of its model call; reasoning and arguments that the model still writes come once.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type {
  ModelPreviewFrame,
  ServerFrame,
  ServerFrameOf,
  TextDeltaFrame,
  ToolOutputFrame,
} from '../../wire/server-frames.ts';
import type { TurnListener } from './door-turn.ts';
import { FoldedCalls } from './folded-calls.ts';
import type { ShownCall, ShownEvent, ShownQuestion } from './turn-events.ts';
import { TurnOutcome } from './turn-outcome.ts';

export interface FoldOptions {
  readonly session: string;
  readonly turn: NodeId;
  /** Whose answers the turn may wait for. */
  readonly speaker: SpeakerId;
  /** The reader has the facts up to this sequence number; 0: none. */
  readonly after: number;
  /** Whether the reader has read enough to get more. */
  hasRoom(): boolean;
  /** @param isNew Whether the reader does not have it yet. */
  onEvent(event: ShownEvent, isNew: boolean): void;
}

/** The block that a model call streams. */
interface OpenBlock {
  readonly index: number;
  /** Characters of its text that were passed on. */
  passedOn: number;
  text: 'none' | 'open';
  reasoning: 'none' | 'open';
  /** How many reasonings it has had. */
  reasonings: number;
}

/** A turn: the root, or that of a sub-agent. */
interface FoldedTurn {
  /** The call that stands for it; null: it is the root. */
  readonly agent: NodeId | null;
  block: OpenBlock | null;
}

export class DoorTurnFold implements TurnListener {
  readonly paused: Promise<void>;
  readonly outcome: TurnOutcome;
  readonly #options: FoldOptions;
  readonly #turns = new Map<NodeId, FoldedTurn>();
  readonly #calls = new FoldedCalls();
  readonly #pause = Promise.withResolvers<void>();
  /** `replaying`: what is read is older than what follows it, and says nothing of now. */
  #state: 'replaying' | 'live' = 'replaying';
  #seq = 0;

  constructor(options: FoldOptions) {
    this.#options = options;
    this.outcome = new TurnOutcome(options.session, options.turn);
    this.#turns.set(options.turn, { agent: null, block: null });
    this.paused = this.#pause.promise;
  }

  /** The sequence number of the newest fact that was read. */
  get seq(): number {
    return this.#seq;
  }

  /** The questions that wait for the speaker. */
  get openQuestions(): readonly ShownQuestion[] {
    return this.#calls.questions.filter(({ to }) => to === this.#options.speaker);
  }

  onFrame(frame: ServerFrame): void {
    this.outcome.onFrame(frame);
    if ('seq' in frame && frame.seq !== undefined) this.#seq = Math.max(this.#seq, Number(frame.seq));
    const isNew = !('seq' in frame) || frame.seq === undefined || Number(frame.seq) > this.#options.after;
    this.#fold(frame, (event) => this.#options.onEvent(event, isNew));
    this.#checkPause();
  }

  onLive(): void {
    this.#state = 'live';
    this.#checkPause();
  }

  onText({ turn, index, offset, text }: TextDeltaFrame): void {
    const folded = this.#turns.get(turn);
    const block = folded?.block;
    if (!folded || block?.index !== index || offset !== block.passedOn || !this.#options.hasRoom()) return;
    this.#passOn(turn, folded, block, text, this.#emitNew);
  }

  onPreview(preview: ModelPreviewFrame): void {
    const folded = this.#turns.get(preview.turn);
    const block = folded?.block;
    if (!folded || block?.index !== preview.index) return;
    const { agent } = folded;
    const hasRoom = this.#state === 'live' && this.#options.hasRoom(); // before that the text so far is missing
    if (preview.type === 'reasoning_delta' && hasRoom) {
      if (block.reasoning === 'none') {
        block.reasonings += 1;
        block.reasoning = 'open';
        this.#emitNew({ type: 'reasoning_start', id: reasoningId(preview.turn, block), agent });
      }
      this.#emitNew({ type: 'reasoning', id: reasoningId(preview.turn, block), agent, text: preview.text });
    }
    if (preview.type !== 'tool_input_delta') return;
    closeReasoning(preview.turn, folded, block, this.#emitNew);
    for (const event of this.#calls.write(preview, agent, hasRoom)) this.#emitNew(event);
  }

  onOutput({ node, text, skipped }: ToolOutputFrame): void {
    const call = this.#calls.get(node);
    if (call && this.#options.hasRoom())
      this.#emitNew({ type: 'output', call, text, ...(skipped !== undefined && { skipped }) });
  }

  /** What is live is new. */
  readonly #emitNew = (event: ShownEvent): void => this.#options.onEvent(event, true);

  #fold(frame: ServerFrame, emit: (event: ShownEvent) => void): void {
    switch (frame.type) {
      case 'turn_started':
        return this.#startTurn(frame, emit);
      case 'model_started':
        return this.#startBlock(frame, emit);
      case 'model_ended':
        return this.#endBlock(frame, emit);
      case 'tool_call':
        return emit(this.#calls.add(frame, this.#turns.get(frame.turn)?.agent ?? null));
      case 'tool_changed': {
        const call = this.#calls.change(frame.node, frame.arguments);
        return call && emit({ type: 'changed', call });
      }
      case 'approval_requested':
      case 'question_asked': {
        const question = this.#calls.ask(frame);
        return question && emit({ type: 'asked', question });
      }
      case 'approval_closed':
      case 'question_closed': {
        const closed = this.#calls.close(frame);
        return closed && emit(closed);
      }
      case 'tool_result': {
        const result = this.#calls.settle(frame);
        return result && emit(result);
      }
      case 'cancel_accepted':
        return emit({ type: 'stop_accepted', receipt: frame });
      case 'cancel_settled':
        return emit({ type: 'stop_settled', receipt: frame });
      case 'turn_ended':
        return this.#endTurn(frame, emit);
      default:
    }
  }

  #startTurn({ turn, parent, text = '' }: ServerFrameOf<'turn_started'>, emit: (event: ShownEvent) => void): void {
    const call = parent === null ? undefined : this.#calls.get(parent);
    if (!call) return;
    this.#turns.set(turn, { agent: call.node, block: null });
    this.#calls.startAgent(call.node, turn);
    emit({ type: 'agent_start', call, turn, task: text });
  }

  #startBlock({ turn, index }: ServerFrameOf<'model_started'>, emit: (event: ShownEvent) => void): void {
    const folded = this.#turns.get(turn);
    if (!folded) return;
    folded.block = { index, passedOn: 0, text: 'none', reasoning: 'none', reasonings: 0 };
    emit({ type: 'model_start', turn, index, agent: folded.agent });
  }

  #endBlock({ turn, index, text }: ServerFrameOf<'model_ended'>, emit: (event: ShownEvent) => void): void {
    const folded = this.#turns.get(turn);
    const block = folded?.block;
    if (!folded || block?.index !== index) return;
    const { agent } = folded;
    this.#passOn(turn, folded, block, text.slice(block.passedOn), emit);
    closeReasoning(turn, folded, block, emit);
    if (block.text === 'open') emit({ type: 'text_end', id: textId(turn, block), agent });
    folded.block = null;
    emit({ type: 'model_end', turn, index, agent, text });
  }

  #endTurn(frame: ServerFrameOf<'turn_ended'>, emit: (event: ShownEvent) => void): void {
    const { turn, outcome } = frame;
    for (const dropped of this.#calls.dropWritten(turn)) emit(dropped);
    const agent = this.#turns.get(turn)?.agent ?? null;
    const call = agent === null ? undefined : this.#calls.get(agent);
    if (call) emit({ type: 'agent_end', call, turn, outcome });
  }

  #passOn(turn: NodeId, folded: FoldedTurn, block: OpenBlock, text: string, emit: (event: ShownEvent) => void): void {
    if (text === '') return;
    const { agent } = folded;
    closeReasoning(turn, folded, block, emit);
    const id = textId(turn, block);
    if (block.text === 'none') emit({ type: 'text_start', id, agent });
    block.text = 'open';
    block.passedOn += text.length;
    emit({ type: 'text', id, agent, text });
  }

  #checkPause(): void {
    if (this.#state === 'live' && this.#waitsForSpeaker(this.#options.turn)) this.#pause.resolve();
  }

  /** Whether nothing of a turn can go on before the speaker answers. */
  #waitsForSpeaker(turn: NodeId): boolean {
    if (this.#turns.get(turn)?.block !== null) return false;
    const open = this.#calls.openOf(turn);
    return open.length > 0 && open.every((call) => this.#callWaits(call));
  }

  #callWaits(call: ShownCall): boolean {
    if (this.openQuestions.some(({ call: { node } }) => node === call.node)) return true;
    const inner = this.#calls.turnOf(call.node);
    return inner !== undefined && this.#waitsForSpeaker(inner);
  }
}

const textId = (turn: NodeId, { index }: OpenBlock) => `${turn}:${index}`;
const reasoningId = (turn: NodeId, { index, reasonings }: OpenBlock) => `${turn}:${index}:reasoning:${reasonings}`;

function closeReasoning(
  turn: NodeId,
  { agent }: FoldedTurn,
  block: OpenBlock,
  emit: (event: ShownEvent) => void,
): void {
  if (block.reasoning === 'none') return;
  block.reasoning = 'none';
  emit({ type: 'reasoning_end', id: reasoningId(turn, block), agent });
}
