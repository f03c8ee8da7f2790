// The input of a terminal: what is typed after the prompt, and what each key does to it.
import { makePrintable } from '../../core/text/printable.ts';
import { CompletionList } from './completion-list.ts';
import { HistorySearch } from './history-search.ts';
import type { InputHistory } from './input-history.ts';
import { type InputLayout, layOutInput } from './input-rows.ts';
import type { Key, TerminalInput } from './key-decoder.ts';
import { LineEditor } from './line-editor.ts';
import type { Complete, Style } from './terminal-view.ts';

export interface InputBoxOptions {
  readonly prompt: string;
  readonly history: InputHistory;
  readonly style: (styles: Style, text: string) => string;
  /** Called when completions have come. */
  readonly onChange: () => void;
}

/** `submit`: Enter was pressed. `unknown`: the key is not one of the input. */
export type PressResult = 'handled' | 'submit' | 'unknown';

type Edit = (editor: LineEditor) => void;

/** By the name of the key, with `ctrl-` and `alt-` before it. */
const edits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  ['left', (editor) => editor.moveLeft()],
  ['right', (editor) => editor.moveRight()],
  ['ctrl-b', (editor) => editor.moveLeft()],
  ['ctrl-f', (editor) => editor.moveRight()],
  ['ctrl-left', (editor) => editor.moveWordLeft()],
  ['ctrl-right', (editor) => editor.moveWordRight()],
  ['alt-left', (editor) => editor.moveWordLeft()],
  ['alt-right', (editor) => editor.moveWordRight()],
  ['alt-b', (editor) => editor.moveWordLeft()],
  ['alt-f', (editor) => editor.moveWordRight()],
  ['home', (editor) => editor.moveToLineStart()],
  ['end', (editor) => editor.moveToLineEnd()],
  ['ctrl-a', (editor) => editor.moveToLineStart()],
  ['ctrl-e', (editor) => editor.moveToLineEnd()],
  ['backspace', (editor) => editor.deleteBackward()],
  ['ctrl-h', (editor) => editor.deleteBackward()],
  ['delete', (editor) => editor.deleteForward()],
  ['ctrl-d', (editor) => editor.deleteForward()],
  ['ctrl-w', (editor) => editor.killWordBackward()],
  ['alt-backspace', (editor) => editor.killWordBackward()],
  ['ctrl-backspace', (editor) => editor.killWordBackward()],
  ['alt-d', (editor) => editor.killWordForward()],
  ['ctrl-delete', (editor) => editor.killWordForward()],
  ['ctrl-u', (editor) => editor.killToLineStart()],
  ['ctrl-k', (editor) => editor.killToLineEnd()],
  ['ctrl-y', (editor) => editor.insertKilled()],
  ['ctrl-j', (editor) => editor.insert('\n')],
  ['alt-enter', (editor) => editor.insert('\n')],
  ['ctrl-enter', (editor) => editor.insert('\n')],
]);

export class InputBox {
  readonly #options: InputBoxOptions;
  readonly #editor = new LineEditor();
  readonly #completions: CompletionList;
  #search: HistorySearch | null = null;

  constructor(options: InputBoxOptions) {
    this.#options = options;
    this.#completions = new CompletionList(this.#editor, options.onChange);
  }

  get text(): string {
    return this.#editor.text;
  }

  get isSearching(): boolean {
    return this.#search !== null;
  }

  set(text: string): void {
    this.#completions.close();
    this.#editor.set(text);
  }

  /** Empties the input; Ctrl-Y brings the text back. */
  clear(): void {
    this.#completions.close();
    this.#editor.clear();
  }

  setCompletion(complete: Complete): void {
    this.#completions.setCompletion(complete);
  }

  press(input: TerminalInput): PressResult {
    if (this.#search) return this.#pressInSearch(this.#search, input);
    if (input.kind !== 'key') {
      this.#completions.close();
      this.#editor.insert(makePrintable(input.text));
      return 'handled';
    }
    if (input.name === 'tab' || input.name === 'backtab') {
      this.#completions.next(input.name === 'backtab' || input.shift);
      return 'handled';
    }
    const wasOpen = this.#completions.isOpen;
    this.#completions.close();
    if (input.name === 'escape' && wasOpen) return 'handled';
    return this.#pressKey(input);
  }

  /** Lays out the prompt with the typed text, and the completions below it. */
  layOut(columns: number, maxRows: number): InputLayout {
    const { prompt, style } = this.#options;
    const label = this.#search ? [style('dim', this.#search.label)] : [];
    const below = [...label, ...this.#completions.rows(columns, style)].slice(0, Math.max(0, maxRows - 1));
    const text = this.#search?.found ?? this.#editor.text;
    const cursor = this.#search ? text.length : this.#editor.cursor;
    const input = layOutInput(prompt, text, cursor, { columns, maxRows: maxRows - below.length });
    return { ...input, rows: [...input.rows, ...below] };
  }

  /** Keeps the text in the history, and empties the input. */
  commit(): void {
    this.#options.history.add(this.#editor.text);
    this.set('');
  }

  #pressKey(key: Key): PressResult {
    const name = `${key.ctrl ? 'ctrl-' : ''}${key.alt ? 'alt-' : ''}${key.name}`;
    if (name === 'enter') return this.#enter(key.shift);
    if (name === 'up' || name === 'ctrl-p') this.#goUp();
    else if (name === 'down' || name === 'ctrl-n') this.#goDown();
    else if (name === 'ctrl-r') this.#search = new HistorySearch(this.#options.history);
    else {
      const edit = edits.get(name);
      if (!edit) return 'unknown';
      edit(this.#editor);
    }
    return 'handled';
  }

  /** Handles the Enter key: with Shift, or after a backslash at the end, it starts a new line. */
  #enter(withShift: boolean): PressResult {
    const editor = this.#editor;
    const hasBackslash = editor.cursor === editor.text.length && editor.text.endsWith('\\');
    if (!withShift && !hasBackslash) return 'submit';
    if (hasBackslash) editor.deleteBackward();
    editor.insert('\n');
    return 'handled';
  }

  #goUp(): void {
    if (this.#editor.moveUp()) return;
    const older = this.#options.history.older(this.#editor.text);
    if (older !== null) this.#editor.set(older);
  }

  #goDown(): void {
    if (this.#editor.moveDown()) return;
    const newer = this.#options.history.newer();
    if (newer !== null) this.#editor.set(newer);
  }

  #pressInSearch(search: HistorySearch, input: TerminalInput): PressResult {
    const result = search.press(input);
    if (result === 'taken' && search.found !== '') this.#editor.set(search.found);
    if (result !== 'open') this.#search = null;
    return 'handled';
  }
}
