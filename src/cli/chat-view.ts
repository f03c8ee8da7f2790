// What a chat shows of a session: the text of its turns as it streams, one block at a time, and lines for everything else.
import type { ServerFrame } from '../protocol/server-frames.ts';
import type { Names } from './node-names.ts';
import { printable, renderLines, type Viewer } from './render-line.ts';
import type { Screen } from './screen.ts';

export interface View {
  show(frame: ServerFrame): void;
}

interface Block {
  readonly turn: string;
  readonly index: number;
  text: string;
  shown: number;
  state: 'open' | 'ended';
}

export function createView(screen: Screen, names: Names, viewer: Viewer): View {
  /** In the order in which they began. The first one streams; the others wait until it has ended, or nobody could read either. */
  const blocks: Block[] = [];

  function put(turn: string, index: number, offset: number, text: string): Block | null {
    if (!names.isRoot(turn)) return null; // a sub-agent's words are its caller's to read
    const known = blocks.find((each) => each.turn === turn && each.index === index);
    const block: Block = known ?? { turn, index, text: '', shown: 0, state: 'open' };
    if (!known) blocks.push(block);
    if (offset <= block.text.length) block.text = block.text.slice(0, offset) + text;
    return block;
  }
  function flow(): void {
    for (let [block] = blocks; block; [block] = blocks) {
      const fresh = block.text.slice(block.shown);
      if (fresh !== '') {
        if (block.shown === 0) screen.text(addressOf(block.turn));
        block.shown = block.text.length;
        screen.text(printable(fresh));
      }
      if (block.state === 'open') return;
      blocks.shift();
      if (blocks.length > 0) screen.rest();
    }
  }
  /** Others' answers say whose they are. */
  function addressOf(turn: string): string {
    const owner = names.ownerOf(turn);
    return owner === null || owner === viewer.speaker ? '' : `(to ${owner}) `;
  }

  return {
    show(frame) {
      names.learn(frame);
      switch (frame.type) {
        case 'joined':
          for (const piece of frame.blocks) put(piece.turn, piece.index, piece.offset, piece.text);
          break;
        case 'text_delta':
          put(frame.turn, frame.index, frame.offset, frame.text);
          break;
        case 'model_ended': {
          const block = put(frame.turn, frame.index, 0, frame.text); // what was lost on the way, too
          if (block) block.state = 'ended';
          break;
        }
        case 'turn_ended':
          for (const block of blocks) if (block.turn === frame.turn) block.state = 'ended';
          break;
        default:
      }
      flow();
      for (const line of renderLines(frame, names, viewer)) screen.line(line);
    },
  };
}
