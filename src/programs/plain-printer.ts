// Prints a session without a live region: the text of its root turns as it streams, one block at a time, and plain lines for everything else.

import { isAcknowledgementTurn, isRootTurn, ownerOf } from '../client/view/node-names.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { blockOf } from '../client/view/turn-changes.ts';
import type { ServerFrame } from '../wire/server-frames.ts';
import type { PlainScreen } from './plain-screen.ts';
import { renderLines } from './render-line.ts';
import type { Viewer } from './viewer.ts';

/** A text block that is being printed, or waits until the one before it is closed. */
interface QueuedBlock {
  readonly turn: string;
  readonly index: number;
  /** Characters that have been printed. */
  printed: number;
}

export class PlainPrinter {
  readonly #screen: PlainScreen;
  readonly #viewer: Viewer;
  /** In the order in which they began. The first one streams; mixed, none of them could be read. */
  readonly #blocks: QueuedBlock[] = [];

  constructor(screen: PlainScreen, viewer: Viewer) {
    this.#screen = screen;
    this.#viewer = viewer;
  }

  /** `snapshot`: the session after the frame. */
  print(frame: ServerFrame, snapshot: SessionSnapshot): void {
    if (frame.type === 'joined') for (const { turn, index } of frame.blocks) this.#queue(turn, index, snapshot);
    if (frame.type === 'text_delta' || frame.type === 'model_ended') this.#queue(frame.turn, frame.index, snapshot);
    this.#printText(snapshot);
    for (const line of renderLines(frame, snapshot, this.#viewer)) this.#screen.writeLine(line);
    // nobody at this terminal waits for its end
    if (frame.type === 'turn_ended' && isAcknowledgementTurn(snapshot, frame.turn)) this.#screen.endOutput();
  }

  #queue(turn: string, index: number, snapshot: SessionSnapshot): void {
    if (!isRootTurn(snapshot, turn)) return; // the text of a sub-agent is for its caller
    if (this.#blocks.some((block) => block.turn === turn && block.index === index)) return;
    this.#blocks.push({ turn, index, printed: 0 });
  }

  #printText(snapshot: SessionSnapshot): void {
    for (let [block] = this.#blocks; block; [block] = this.#blocks) {
      const { turn, index } = block;
      const held = blockOf(snapshot, turn, index);
      const fresh = held?.text.slice(block.printed) ?? '';
      if (fresh !== '') {
        if (block.printed === 0) {
          this.#screen.startText();
          this.#screen.writeText(this.#addressOf(turn, snapshot));
        }
        block.printed += fresh.length;
        this.#screen.writeText(fresh);
      }
      if (held?.state === 'streaming') return;
      this.#blocks.shift();
    }
  }

  /** Replies to others begin with their name. */
  #addressOf(turn: string, snapshot: SessionSnapshot): string {
    const owner = ownerOf(snapshot, turn);
    return owner === null || owner === this.#viewer.speaker ? '' : `(to ${owner}) `;
  }
}
