// The screen of an emulated terminal: what a person would see of what a program has written.
import { Terminal } from '@xterm/headless';

export interface EmulatedScreen {
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves when everything that was written is on the screen. */
  settled(): Promise<void>;
  /** The lines of the scrollback and the screen, to the last one that is not empty, without spaces at their ends. A line that the terminal has wrapped is one. */
  lines(): readonly string[];
  /** The rows of the screen alone, likewise. */
  rows(): readonly string[];
  /** Where the cursor is on the screen, from 0. */
  cursor(): { readonly row: number; readonly column: number };
  size(): { readonly columns: number; readonly rows: number };
}

/** Creates a screen of that size. */
export function createEmulatedScreen(columns: number, rows: number): EmulatedScreen {
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  return {
    write: (text) => terminal.write(text),
    resize: (columns, rows) => terminal.resize(columns, rows),
    settled: () => new Promise((resolve) => terminal.write('', resolve)),
    lines: () => linesOf(terminal),
    rows: () => rowsOf(terminal),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
  };
}

function rowsOf({ buffer: { active }, rows }: Terminal): readonly string[] {
  const all = Array.from(
    { length: rows },
    (_, i) =>
      active
        .getLine(active.viewportY + i)
        ?.translateToString()
        .trimEnd() ?? '',
  );
  return all.slice(0, all.findLastIndex((row) => row !== '') + 1);
}

function linesOf({ buffer: { active } }: Terminal): readonly string[] {
  const lines: string[] = [];
  for (let i = 0; i < active.length; i++) {
    const line = active.getLine(i);
    const text = line?.translateToString() ?? '';
    if (line?.isWrapped) lines.push(`${lines.pop() ?? ''}${text}`);
    else lines.push(text);
  }
  const trimmed = lines.map((line) => line.trimEnd());
  return trimmed.slice(0, trimmed.findLastIndex((line) => line !== '') + 1);
}
