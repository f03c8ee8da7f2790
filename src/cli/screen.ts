// Lines and streaming text on an output that may show a prompt. While somebody types, what comes waits, so that they see what they type.
import { clearLine, cursorTo } from 'node:readline';

export interface Screen {
  /** A whole line, on one of its own. */
  line(text: string): void;
  /** Goes on where the last text ended. */
  text(text: string): void;
  /** Nothing more comes for now: the prompt is shown where it is wanted. */
  rest(): void;
  /** Somebody begins to type: the prompt is shown, whatever streams. */
  typing(): void;
  /** A line has been typed: what has waited is written. */
  typed(): void;
  /** Takes the prompt away, for good; what waits is written. */
  close(): void;
}

export interface Prompt {
  /** Whether it is to be seen now. */
  readonly isWanted: boolean;
  /** Whether something has been typed behind it. */
  readonly isTyping: boolean;
  show(): void;
}

/** Pieces that wait while somebody types. Who types on and on sees the older ones above. */
const maxHeld = 1_000;

export function createScreen(output: NodeJS.WritableStream, prompt: Prompt): Screen {
  const held: (() => void)[] = [];
  let isAtStart = true;
  let isPrompted = false;
  let state: 'open' | 'closed' = 'open';

  function show(): void {
    if (state === 'closed') return;
    isPrompted = true;
    prompt.show();
  }
  function hide(): void {
    if (!isPrompted) return;
    clearLine(output, 0);
    cursorTo(output, 0);
    isPrompted = false;
  }
  function flush(): void {
    for (const write of held.splice(0)) write();
  }
  /** Now, or when nobody types any more. */
  function put(write: () => void): void {
    const waits = state === 'open' && isPrompted && prompt.isTyping;
    if (waits && held.length < maxHeld) return void held.push(write);
    hide();
    flush();
    write();
    if (waits) show();
  }
  const begin = () => {
    if (!isAtStart) output.write('\n');
    isAtStart = true;
  };
  const rest = () => {
    begin();
    if (prompt.isWanted) show();
  };

  return {
    line: (text) =>
      put(() => {
        begin();
        output.write(`${text}\n`);
        if (prompt.isWanted) show();
      }),
    text: (text) =>
      put(() => {
        hide();
        output.write(text);
        if (text !== '') isAtStart = text.endsWith('\n');
      }),
    rest: () => put(rest),
    typing() {
      if (isPrompted || state === 'closed') return;
      begin();
      show();
    },
    typed() {
      isPrompted = false; // the line that was typed stays, with its prompt
      isAtStart = true;
      flush();
    },
    close() {
      hide();
      state = 'closed';
      flush();
    },
  };
}
