// Lines and streaming text on an output that may show a prompt.
import { clearLine, cursorTo } from 'node:readline';

export interface Screen {
  /** A whole line, on one of its own. */
  line(text: string): void;
  /** Goes on where the last text ended. */
  text(text: string): void;
  /** Nothing more comes for now: the prompt is shown where it is wanted. */
  rest(): void;
  /** Takes the prompt away. */
  hide(): void;
}

export interface Prompt {
  /** Whether it is to be seen now. */
  readonly isWanted: boolean;
  show(): void;
}

export function createScreen(output: NodeJS.WritableStream, prompt: Prompt): Screen {
  let isAtStart = true;
  const hide = () => {
    if (!prompt.isWanted) return;
    clearLine(output, 0);
    cursorTo(output, 0);
  };
  return {
    hide,
    line(text) {
      hide();
      output.write(`${isAtStart ? '' : '\n'}${text}\n`);
      isAtStart = true;
      if (prompt.isWanted) prompt.show();
    },
    text(text) {
      hide();
      output.write(text);
      isAtStart = text.endsWith('\n');
    },
    rest() {
      if (!isAtStart) output.write('\n');
      isAtStart = true;
      if (prompt.isWanted) prompt.show();
    },
  };
}
