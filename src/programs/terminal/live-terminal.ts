// The terminal of a chat: reads keys, and draws the live region below what is printed.
import { styleText } from 'node:util';
import { addMs, msBetween, msUntil } from '../../core/sources/monotonic-time.ts';
import type { Disarm, MonotonicTime } from '../../core/sources/sources.ts';
import { makePrintable } from '../../core/text/printable.ts';
import { InputBox } from './input-box.ts';
import { wrapWords } from './input-rows.ts';
import type { TerminalInput } from './key-decoder.ts';
import { KeyReader } from './key-reader.ts';
import { LiveParts } from './live-parts.ts';
import { LiveRegion, wrapsAgain } from './live-region.ts';
import { PrintedLines } from './printed-lines.ts';
import { safeLine } from './safe-line.ts';
import { TerminalModes } from './terminal-modes.ts';
import type { LiveTerminalOptions, TerminalHandlers } from './terminal-options.ts';
import type { Complete, KeyQuestion, RenderLines, Style, TerminalView } from './terminal-view.ts';

/** The time between two redraws, in milliseconds. */
const redrawMs = 80;
/** The time between two redraws in which nothing has changed but the time, in milliseconds. */
const tickMs = 100;
/** Nothing is drawn until the size has been the same for this time, in milliseconds. */
const resizeMs = 60;
/** After this time without SIGCONT, in milliseconds, a process that wanted to be suspended was not. */
const resumeMs = 100;
/** SIGCONT and the end of that time may come one after the other, in milliseconds. */
const repeatedMs = 500;

export class LiveTerminal implements TerminalView {
  readonly #options: LiveTerminalOptions;
  readonly #handlers: TerminalHandlers;
  readonly #modes: TerminalModes;
  readonly #region: LiveRegion;
  readonly #keys: KeyReader;
  readonly #box: InputBox;
  readonly #parts: LiveParts;
  /** When the typed text was begun. */
  #typedSince: MonotonicTime;
  #expand: (() => readonly string[]) | null = null;
  readonly #printed = new PrintedLines();
  #state: 'open' | 'resizing' | 'suspended' | 'closed' = 'open';
  /** When it was drawn last; null: it was not drawn yet. */
  #drawnAt: MonotonicTime | null = null;
  /** When it was continued last; null: it was never suspended. */
  #continuedAt: MonotonicTime | null = null;
  #redraw: Disarm | null = null;
  #tick: Disarm = () => {};
  #endResize: Disarm = () => {};

  /** Sets the modes of the terminal and draws the input. */
  constructor(options: LiveTerminalOptions, handlers: TerminalHandlers) {
    const { input, output, clock, environment, history, prompt } = options;
    this.#options = options;
    this.#handlers = handlers;
    this.#typedSince = clock.elapsed();
    this.#modes = new TerminalModes(input, output);
    this.#parts = new LiveParts(this.style, () => this.hasColors);
    this.#region = new LiveRegion((text) => void output.write(text), wrapsAgain(environment));
    this.#box = new InputBox({
      prompt: this.style('bold', prompt),
      history,
      style: this.style,
      onChange: () => this.#draw(),
    });
    this.#keys = new KeyReader(
      input,
      clock,
      (keys) => this.#onKeys(keys),
      () => handlers.onClosed(),
    );
    output.on('resize', this.#onResize);
    process.on('SIGCONT', this.#onContinued);
    this.#modes.set();
    this.#draw();
  }

  get columns(): number {
    return this.#options.output.columns || 80;
  }

  get hasColors(): boolean {
    return this.#options.output.hasColors?.() ?? false;
  }

  readonly style = (styles: Style | readonly Style[], text: string): string =>
    this.hasColors ? styleText([styles].flat(), text, { validateStream: false }) : text;

  print(lines: readonly string[]): void {
    const keepsStyles = this.hasColors;
    this.#printed.add(lines.flatMap((line) => line.split('\n')).map((line) => safeLine(line, keepsStyles)));
    this.refresh();
  }

  printBelowTail(lines: readonly string[]): boolean {
    if (!this.#parts.has('tail')) return false;
    this.#printed.addWaitingWords(lines);
    this.refresh();
    return true;
  }

  setTail(render: RenderLines | null): void {
    this.#parts.set('tail', render);
    if (!render) this.#printed.endWait();
    this.refresh();
  }

  setStatus(render: RenderLines | null): void {
    this.#parts.set('status', render);
    this.refresh();
  }

  /** Shown in place of the status, until it is set to null. */
  setStatusOverride(render: RenderLines | null): void {
    this.#parts.set('override', render);
    this.refresh();
  }

  /** Shows a line above the input until the next key; null: none. */
  showNotice(line: string | null): void {
    this.#parts.setNotice(line);
    this.refresh();
  }

  refresh(): void {
    if (this.#state === 'closed') return this.#flush();
    if (this.#redraw !== null) return;
    const { clock } = this.#options;
    const wait = this.#drawnAt === null ? 0 : Math.max(0, msUntil(clock, addMs(this.#drawnAt, redrawMs)));
    this.#redraw = clock.after(wait, () => this.#draw());
  }

  openQuestion(question: KeyQuestion): () => void {
    const close = this.#parts.openQuestion(question);
    this.refresh();
    return () => {
      close();
      this.refresh();
    };
  }

  setExpansion(expand: () => readonly string[]): void {
    this.#expand = expand;
  }

  setCompletion(complete: Complete): void {
    this.#box.setCompletion(complete);
  }

  /** Prints what is not printed yet, removes the live region, and sets the modes back. Later lines are printed at once. */
  close(): void {
    if (this.#state === 'closed') return;
    const { output } = this.#options;
    for (const disarm of [this.#redraw, this.#tick, this.#endResize]) disarm?.();
    this.#keys.close();
    output.off('resize', this.#onResize);
    process.off('SIGCONT', this.#onContinued);
    this.#region.erase();
    this.#state = 'closed';
    this.#flush();
    this.#modes.reset();
  }

  /** Writes the printed lines that still wait, after the terminal is closed: there is no live region any more. */
  #flush(): void {
    this.#printed.endWait();
    const lines = this.#printed.takeLines();
    const text = lines.map((line) => `${line}\n`).join('');
    if (text !== '') this.#options.output.write(text);
  }

  #draw(): void {
    if (this.#state !== 'open') return;
    this.#redraw?.();
    this.#redraw = null;
    this.#tick();
    const { columns } = this;
    const size = { columns, rows: this.#options.output.rows || 24 };
    const { frame, isMoving } = this.#parts.compose(this.#box, size, this.#printed);
    this.#region.update(this.#printed.takeLines(), frame, columns);
    this.#drawnAt = this.#options.clock.elapsed();
    if (isMoving) this.#tick = this.#options.clock.after(tickMs, () => this.#draw());
  }

  #onKeys(keys: readonly TerminalInput[]): void {
    for (const key of keys) this.#press(key);
    this.#draw();
  }

  #press(input: TerminalInput): void {
    if (this.#state === 'closed') return;
    this.#parts.setNotice(null);
    const isEmpty = this.#box.text === '';
    if (input.kind === 'text' && isEmpty && this.#answer(input.text)) return;
    if (input.kind === 'key' && isEmpty && input.ctrl && input.name === 'd') return this.#handlers.onEndOfInput();
    if (this.#box.isSearching) return void this.#box.press(input);
    if (input.kind === 'key' && input.ctrl && this.#pressControl(input.name)) return;
    const result = this.#box.press(input);
    if (isEmpty) this.#typedSince = this.#options.clock.elapsed();
    if (result === 'submit') this.#submit();
    if (result === 'unknown' && input.kind === 'key' && input.name === 'escape') this.#handlers.onEscape();
  }

  #answer(text: string): boolean {
    const keys = this.#parts.question?.keys ?? {};
    const key = text.toLowerCase();
    return (Object.hasOwn(keys, key) && keys[key]?.()) ?? false;
  }

  /** The keys that do not edit. */
  #pressControl(name: string): boolean {
    switch (name) {
      case 'c':
        this.#handlers.onInterrupt(this.#box.text !== '');
        return true;
      case 'z':
        this.#suspend();
        return true;
      case 'l':
        this.clearScreen();
        return true;
      case 'o':
        this.#showWhole();
        return true;
      default:
        return false;
    }
  }

  #showWhole(): void {
    const expand = this.#parts.question?.expand ?? this.#expand;
    if (expand) this.print(expand());
    else this.showNotice('Nothing was shortened so far.');
  }

  /** Empties the screen; the scrollback stays. */
  clearScreen(): void {
    this.#options.output.write('\u001b[H\u001b[2J');
    this.#region.forget();
    this.refresh();
  }

  /** Empties the input; Ctrl-Y brings the text back. */
  clearInput(): void {
    this.#box.clear();
    this.refresh();
  }

  /** Puts a text back into the input, before what is typed there. */
  returnWords(text: string): void {
    this.#box.set([text, this.#box.text].filter((part) => part !== '').join('\n'));
    this.refresh();
  }

  #submit(): void {
    const { text } = this.#box;
    if (text.trim() === '') return this.#box.set('');
    const { count } = this.#printed;
    const isAnswer = this.#parts.question?.onText?.(text, this.#typedSince) ?? false;
    if (!isAnswer && !this.#handlers.onSubmit(text)) return;
    this.#box.commit();
    const words = wrapWords(this.style('bold', this.#options.prompt), makePrintable(text), this.columns);
    if (this.#parts.has('tail') && this.#printed.count === count) this.#printed.addWaitingWords(words);
    else this.#printed.addWords(words, count);
    this.refresh();
  }

  #suspend(): void {
    this.#region.erase();
    this.#state = 'suspended';
    this.#modes.suspend();
    // where nobody could continue the process it was not suspended
    this.#options.clock.after(resumeMs, () => {
      if (this.#state === 'suspended') this.#onContinued();
    });
  }

  readonly #onContinued = (): void => {
    if (this.#state === 'closed') return;
    const now = this.#options.clock.elapsed();
    const isRepeated = this.#continuedAt !== null && msBetween(this.#continuedAt, now) < repeatedMs;
    this.#continuedAt = now;
    if (isRepeated) return;
    this.#state = 'open';
    this.#region.forget();
    this.#modes.set();
    this.#draw();
  };

  readonly #onResize = (): void => {
    if (this.#state === 'closed' || this.#state === 'suspended') return;
    this.#region.onResize(this.columns);
    this.#state = 'resizing';
    this.#endResize();
    this.#endResize = this.#options.clock.after(resizeMs, () => {
      if (this.#state === 'resizing') this.#state = 'open';
      this.#draw();
    });
  };
}
