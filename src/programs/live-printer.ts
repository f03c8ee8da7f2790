// Prints a session to a terminal with a live region: answers block by block, results and receipts as they settle, and below them what runs now.
import { isRootTurn } from '../client/view/node-names.ts';
import type { SessionSnapshot, TextBlockView } from '../client/view/snapshot.ts';
import { blockOf } from '../client/view/turn-changes.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import { answerLabel } from './chat-lines/answer-labels.ts';
import { statusLines } from './chat-lines/status-block.ts';
import { StreamedAnswer, wrapReasoning } from './chat-lines/streamed-answer.ts';
import { paint, type StyledLine, type WholeText } from './chat-lines/styled-text.ts';
import type { BlockKind, LiveScreen } from './live-screen.ts';
import { renderBlocks } from './render-blocks.ts';
import { wasDeferred } from './render-input.ts';
import type { DrawQueue } from './terminal/draw-queue.ts';
import type { TerminalView } from './terminal/terminal-view.ts';
import type { Viewer } from './viewer.ts';

/** Shortened blocks that can be shown in full. */
const maxWholes = 50;

export interface LivePrinterOptions {
  readonly view: TerminalView;
  readonly screen: LiveScreen;
  readonly queue: DrawQueue;
  readonly viewer: Viewer;
  /** Returns the session now. */
  readonly getSnapshot: () => SessionSnapshot;
  /** Returns how long a node has run, in milliseconds; null: that is not known. */
  readonly ageMs: (node: string) => number | null;
}

export class LivePrinter {
  readonly #view: TerminalView;
  readonly #screen: LiveScreen;
  readonly #viewer: Viewer;
  readonly #queue: DrawQueue;
  /** In the order in which they began. The first one streams; mixed, none of them could be read. */
  readonly #answers: StreamedAnswer[] = [];
  /** The answer that was printed last. */
  #voice: StreamedAnswer | null = null;
  /** Own turns that had to wait: their words do not stand directly above their answer. */
  readonly #waited = new Set<string>();
  /** The last one at the end. */
  readonly #wholes: WholeText[] = [];
  /** How many of them were shown since the last one came. */
  #expanded = 0;

  constructor({ view, screen, queue, viewer, getSnapshot, ageMs }: LivePrinterOptions) {
    this.#view = view;
    this.#screen = screen;
    this.#queue = queue;
    this.#viewer = viewer;
    view.setStatus(({ columns, rows }) => {
      return this.#paint(statusLines({ snapshot: getSnapshot(), speaker: viewer.speaker, ageMs, columns, rows }));
    });
  }

  /** `snapshot`: the session after the frame. */
  print(frame: ServerFrame, snapshot: SessionSnapshot): void {
    this.#queue.add(() => this.#draw(frame, snapshot));
  }

  /** Draws a frame, one block at each step. */
  *#draw(frame: ServerFrame, snapshot: SessionSnapshot): Generator<void> {
    if (frame.type === 'joined') for (const { turn, index } of frame.blocks) this.#addAnswer(turn, index, snapshot);
    if (frame.type === 'text_delta' || frame.type === 'model_ended' || frame.type === 'reasoning_delta')
      this.#addAnswer(frame.turn, frame.index, snapshot);
    if (frame.type === 'turn_opened') this.#noteTurn(frame.turn, frame.owner, snapshot);
    if (
      'ref' in frame &&
      (frame.type === 'turn_opened' || frame.type === 'input_deferred') &&
      this.#viewer.isMine(frame.ref)
    )
      this.#screen.onWordsTyped();
    yield* this.#advance(snapshot);
    for (const { kind, lines, whole } of renderBlocks(frame, snapshot, this.#viewer, this.#view.columns)) {
      this.#printBlock(kind, lines, whole);
      yield;
    }
    if (frame.type === 'turn_ended') this.#waited.delete(frame.turn);
    this.#view.refresh();
  }

  #noteTurn(turn: string, owner: string, snapshot: SessionSnapshot): void {
    const isBehind = snapshot.nodes.some(
      ({ id, kind, parent, owner: other, state }) =>
        id !== turn && kind === 'turn' && parent === null && other === owner && state !== 'settled',
    );
    if (isBehind || wasDeferred(snapshot, turn)) this.#waited.add(turn);
  }

  // -- answers

  #addAnswer(turn: string, index: number, snapshot: SessionSnapshot): void {
    if (!isRootTurn(snapshot, turn)) return; // the text of a sub-agent is for its caller
    if (this.#answers.some((answer) => answer.turn === turn && answer.index === index)) return;
    this.#answers.push(new StreamedAnswer(turn, index));
  }

  /** Prints what is final of the first answer; one that is closed makes way for the next. */
  *#advance(snapshot: SessionSnapshot): Generator<void> {
    for (let [answer] = this.#answers; answer; [answer] = this.#answers) {
      const block = blockOf(snapshot, answer.turn, answer.index);
      if (block) yield* this.#printAnswer(answer, block, snapshot);
      if (block?.state === 'streaming') return this.#showTail(answer, block, snapshot);
      this.#answers.shift();
    }
    this.#view.setTail(null);
  }

  /** Prints what is final of an answer, one part at each step. */
  *#printAnswer(answer: StreamedAnswer, block: TextBlockView, snapshot: SessionSnapshot): Generator<void> {
    for (let isAll = false; !isAll; ) {
      const taken = answer.takeLines(block, this.#view.columns);
      const { reasoning, text } = taken;
      isAll = taken.isAll;
      if (reasoning.length > 0) {
        const whole = block.reasoning;
        this.#printBlock('reasoning', reasoning, (columns) => wrapReasoning(whole, columns));
      }
      if (text.length > 0) {
        this.#screen.printBlock('answer', [...this.#labelOf(answer, snapshot), ...text], this.#isVoice(answer));
        this.#voice = answer;
      }
      if (reasoning.length > 0 || text.length > 0 || !isAll) yield;
    }
  }

  #showTail(answer: StreamedAnswer, block: TextBlockView, snapshot: SessionSnapshot): void {
    const label = this.#labelOf(answer, snapshot);
    const gap = !this.#isVoice(answer) && this.#screen.last !== null ? [''] : [];
    this.#view.setTail(({ columns }) => {
      const lines = answer.unfinished(block, columns);
      return lines.length === 0 ? [] : [...gap, ...this.#paint([...label, ...lines])];
    });
  }

  /** Whether what follows of the answer stands directly below what was printed of it. */
  #isVoice(answer: StreamedAnswer): boolean {
    return this.#voice === answer && this.#screen.last === 'answer';
  }

  #labelOf(answer: StreamedAnswer, snapshot: SessionSnapshot): readonly StyledLine[] {
    if (this.#isVoice(answer)) return [];
    return answerLabel(snapshot, answer.turn, this.#viewer.speaker, this.#waited.has(answer.turn));
  }

  // -- blocks, and what is shown of them in full

  #printBlock(kind: BlockKind, lines: readonly StyledLine[], whole: WholeText | null): void {
    this.#screen.printBlock(kind, lines);
    if (!whole) return;
    this.#wholes.push(whole);
    if (this.#wholes.length > maxWholes) this.#wholes.shift();
    this.#expanded = 0;
    this.#view.setExpansion(() => this.#expand());
  }

  /** The last block that was shortened; at the next call the one before it. */
  #expand(): readonly string[] {
    const whole = this.#wholes.at(-1 - this.#expanded) ?? this.#wholes.at(-1);
    this.#expanded = (this.#expanded + 1) % Math.max(1, this.#wholes.length);
    return whole ? ['', ...this.#paint(whole(this.#view.columns))] : [];
  }

  #paint(lines: readonly StyledLine[]): readonly string[] {
    return lines.map((line) => paint(line, this.#view.hasColors));
  }
}
