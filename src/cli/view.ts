// What a chat shows of a session: the text of its turns as it streams, and lines for everything else.
import type { ServerFrame } from '../protocol/frames.ts';
import type { Names } from './names.ts';
import { printable, renderLines, type Viewer } from './render-line.ts';
import type { Screen } from './screen.ts';

export interface View {
  show(frame: ServerFrame): void;
}

export function createView(screen: Screen, names: Names, viewer: Viewer): View {
  /** The block that streams, and how much of it is on the screen. */
  let block = { turn: '', index: -1, shown: 0 };

  function stream(turn: string, index: number, offset: number, text: string): void {
    if (!names.isRoot(turn)) return; // a sub-agent's words are its caller's to read
    if (block.turn !== turn || block.index !== index) block = { turn, index, shown: 0 };
    const fresh = text.slice(Math.max(0, block.shown - offset));
    if (fresh === '') return;
    block.shown = offset + text.length;
    screen.text(printable(fresh));
  }

  return {
    show(frame) {
      names.learn(frame);
      if (frame.type === 'text_delta') stream(frame.turn, frame.index, frame.offset, frame.text);
      if (frame.type === 'model_ended') stream(frame.turn, frame.index, 0, frame.text); // what was lost on the way
      if (frame.type === 'joined')
        for (const piece of frame.blocks) stream(piece.turn, piece.index, piece.offset, piece.text);
      for (const line of renderLines(frame, names, viewer)) screen.line(line);
    },
  };
}
