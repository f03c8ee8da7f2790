// Lays the typed text out in rows of a screen, with the place of the cursor in them.
import { displayWidth } from '../../core/text/display-width.ts';
import { charactersOf } from '../../core/text/graphemes.ts';
import { expandTabs } from '../../core/text/plain-output.ts';

export interface InputLayout {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface InputSize {
  readonly columns: number;
  /** Rows that are shown: of a longer text those around the cursor. */
  readonly maxRows: number;
}

/** Wraps the text at the columns. Each row but the first is indented by the width of the prompt. `cursor`: an index of the text. */
export function layOutInput(prompt: string, text: string, cursor: number, size: InputSize): InputLayout {
  const indent = displayWidth(prompt);
  const rows: string[] = [];
  let row = prompt;
  let width = indent;
  let place = { row: 0, column: indent };
  let index = 0;
  const startRow = () => {
    rows.push(row);
    row = ' '.repeat(indent);
    width = indent;
  };
  for (const character of charactersOf(text)) {
    const shown = expandTabs(character);
    const columns = character === '\n' ? 0 : displayWidth(shown);
    // one column is left for the cursor after the last character
    if (width + columns > size.columns - 1 && width > indent) startRow();
    if (index === cursor) place = { row: rows.length, column: width };
    if (character === '\n') startRow();
    else row += shown;
    width += columns;
    index += character.length;
  }
  if (index <= cursor) place = { row: rows.length, column: width };
  rows.push(row);
  return cutRows({ rows, cursor: place }, Math.max(1, size.maxRows));
}

function cutRows({ rows, cursor }: InputLayout, maxRows: number): InputLayout {
  if (rows.length <= maxRows) return { rows, cursor };
  const first = Math.min(Math.max(0, cursor.row - Math.floor(maxRows / 2)), rows.length - maxRows);
  return { rows: rows.slice(first, first + maxRows), cursor: { ...cursor, row: cursor.row - first } };
}

/** Returns the rows of an entered text as it is printed after the prompt: wrapped between words, and indented by the width of the prompt. */
export function wrapWords(prompt: string, text: string, columns: number): readonly string[] {
  const indent = displayWidth(prompt);
  const rows: string[] = [];
  for (const line of expandTabs(text).split('\n')) {
    let row = '';
    for (const word of line.match(/[^ ]+ *| +/g) ?? []) {
      const isFull = row.trim() !== '' && displayWidth(row) + displayWidth(word.trimEnd()) > columns - indent;
      if (isFull) rows.push(row.trimEnd());
      row = isFull ? word : row + word;
    }
    rows.push(row);
  }
  return rows.map((row, i) => (i === 0 ? prompt : ' '.repeat(indent)) + row);
}
