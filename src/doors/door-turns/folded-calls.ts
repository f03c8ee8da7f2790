// The calls of a turn and of its sub-agents, as they are written, made, asked about and settled.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { ServerFrameOf } from '../../wire/server-frames.ts';
import type { ShownCall, ShownEvent, ShownQuestion } from './turn-events.ts';

/** A call that a model is writing. */
interface WrittenCall {
  readonly turn: NodeId;
  name: string;
  /** What was written before the name was known, then what was passed on. */
  text: string;
  /** `unnamed`: nothing was passed on. `partial`: a piece was left out or missed, and no further one is passed on. */
  state: 'unnamed' | 'passed_on' | 'partial';
}

/** A call from its fact on. */
interface OpenCall {
  shown: ShownCall;
  /** The turn of a sub-agent. */
  turn: NodeId | null;
  question: ShownQuestion | null;
  wasDenied: boolean;
  isSettled: boolean;
}

export class FoldedCalls {
  readonly #calls = new Map<NodeId, OpenCall>();
  /** By the id of the call that each becomes. */
  readonly #written = new Map<string, WrittenCall>();
  /** How many calls each model call has made. */
  readonly #counts = new Map<string, number>();

  get(node: NodeId): ShownCall | undefined {
    return this.#calls.get(node)?.shown;
  }

  /** The open questions. */
  get questions(): readonly ShownQuestion[] {
    return [...this.#calls.values()].flatMap(({ question }) => question ?? []);
  }

  /** The turn of a sub-agent. */
  turnOf(node: NodeId): NodeId | undefined {
    return this.#calls.get(node)?.turn ?? undefined;
  }

  /** The calls of a turn that have not settled. */
  openOf(turn: NodeId): readonly ShownCall[] {
    const open = [...this.#calls.values()].filter(({ shown, isSettled }) => shown.turn === turn && !isSettled);
    return open.map(({ shown }) => shown);
  }

  /** Adds a piece of the arguments that a model is writing. Nothing is shown before the name is known, or after a piece that was missed, or left out (`isShown` false). */
  *write(
    { turn, index, position, name, offset, text }: ServerFrameOf<'tool_input_delta'>,
    agent: NodeId | null,
    isShown: boolean,
  ): Iterable<ShownEvent> {
    const id = idOf(turn, index, position);
    const call: WrittenCall = this.#written.get(id) ?? { turn, name: '', text: '', state: 'unnamed' };
    this.#written.set(id, call);
    const isNamed = call.name !== '';
    call.name ||= name;
    if (!isShown || offset !== call.text.length) {
      // nothing of it is shown before its fact, or no more
      if (isNamed && call.state === 'passed_on') call.state = 'partial';
      return;
    }
    if (call.state === 'partial') return;
    call.text += text;
    if (call.name === '') return;
    const piece = call.state === 'unnamed' ? call.text : text;
    if (call.state === 'unnamed') yield { type: 'input_start', id, name: call.name, turn, index, agent };
    call.state = 'passed_on';
    if (piece !== '') yield { type: 'input', id, text: piece };
  }

  /** Forgets what has not become a call of a turn. */
  *dropWritten(turn: NodeId): Iterable<ShownEvent> {
    for (const [id, call] of this.#written) {
      if (call.turn !== turn) continue;
      this.#written.delete(id);
      if (call.state !== 'unnamed') yield { type: 'input_dropped', id, name: call.name, text: call.text };
    }
  }

  add(frame: ServerFrameOf<'tool_call'>, agent: NodeId | null): ShownEvent {
    const { node, turn, name, kind, index, arguments: text } = frame;
    const model = `${turn}:${index}`;
    const position = this.#counts.get(model) ?? 0;
    // what the provider itself runs is no call of the response
    const id = frame.ranBy === 'provider' ? node : idOf(turn, index, position);
    if (id !== node) this.#counts.set(model, position + 1);
    const before = this.#written.get(id);
    this.#written.delete(id);
    const shown = { id, node, turn, name, arguments: text, kind, agent, index };
    this.#calls.set(node, { shown, turn: null, question: null, wasDenied: false, isSettled: false });
    return { type: 'call', call: shown, written: before && before.state !== 'unnamed' ? before.text : null };
  }

  change(node: NodeId, text: string): ShownCall | undefined {
    const call = this.#calls.get(node);
    if (!call) return;
    call.shown = { ...call.shown, arguments: text };
    return call.shown;
  }

  startAgent(node: NodeId, turn: NodeId): void {
    const call = this.#calls.get(node);
    if (call) call.turn = turn;
  }

  ask(frame: ServerFrameOf<'approval_requested' | 'question_asked'>): ShownQuestion | undefined {
    const call = this.#calls.get(frame.node);
    if (!call) return;
    const { to, text, expiresAt, question = '' } = frame;
    const isQuestion = frame.type === 'question_asked';
    call.question = {
      type: isQuestion ? 'question' : 'approval',
      call: call.shown,
      question,
      to,
      text,
      choices: isQuestion ? frame.choices : [],
      schema: isQuestion ? (frame.schema ?? null) : null,
      expiresAt,
    };
    return call.question;
  }

  close(frame: ServerFrameOf<'approval_closed' | 'question_closed'>): ShownEvent | undefined {
    const call = this.#calls.get(frame.node);
    if (!call?.question) return;
    const { question } = call;
    call.question = null;
    if (question.type === 'approval') call.wasDenied = frame.answer !== 'approved';
    const text = frame.type === 'question_closed' ? frame.text : null;
    return { type: 'closed', question, answer: frame.answer, text, by: frame.by };
  }

  settle(result: ServerFrameOf<'tool_result'>): ShownEvent | undefined {
    const call = this.#calls.get(result.node);
    if (!call || call.isSettled) return;
    call.isSettled = true;
    return { type: 'result', call: call.shown, result, wasDenied: call.wasDenied && result.outcome === 'denied' };
  }
}

const idOf = (turn: NodeId, index: number, position: number) => `${turn}:${index}:${position}`;
