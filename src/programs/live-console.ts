// A chat at a terminal: the live region with the input, the state of the connection, and notices about the next key.
import type { ClientState } from '../client/reconnecting-link.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { addMs, msUntil } from '../core/sources/monotonic-time.ts';
import type { Clock } from '../core/sources/sources.ts';
import { leftText } from '../core/words/durations.ts';
import type { ChatConsole, ConsoleHandlers } from './chat-console.ts';
import { LivePrinter } from './live-printer.ts';
import { LiveScreen } from './live-screen.ts';
import { DrawQueue } from './terminal/draw-queue.ts';
import { historyPath, InputHistory } from './terminal/input-history.ts';
import { LiveTerminal } from './terminal/live-terminal.ts';
import type { LiveTerminalOptions } from './terminal/terminal-options.ts';
import type { Viewer } from './viewer.ts';

export interface LiveConsoleOptions extends Pick<LiveTerminalOptions, 'input' | 'output'> {
  readonly clock: Clock;
}

const noHandlers: ConsoleHandlers = {
  onText: () => false,
  onInterrupt: () => {},
  onEscape: () => {},
  onEnd: () => {},
  onGone: () => {},
};

export class LiveConsole implements ChatConsole {
  readonly view: LiveTerminal;
  readonly screen: LiveScreen;
  readonly #clock: Clock;
  readonly #queue = new DrawQueue();
  #handlers = noHandlers;
  /** The state of the connection that was printed last. */
  #shown: 'connected' | 'lost' = 'connected';

  constructor({ input, output, clock }: LiveConsoleOptions) {
    this.#clock = clock;
    const history = new InputHistory(historyPath());
    const options = { input, output, clock, history, prompt: 'you> ', environment: process.env };
    this.view = new LiveTerminal(options, {
      onSubmit: (text) => this.#handlers.onText(text),
      onInterrupt: (hasText) => this.#handlers.onInterrupt(hasText),
      onEscape: () => this.#handlers.onEscape(),
      onEndOfInput: () => this.#handlers.onEnd(),
      onClosed: () => this.#handlers.onGone(),
    });
    this.screen = new LiveScreen(this.view, this.#queue);
  }

  listen(handlers: ConsoleHandlers): void {
    this.#handlers = handlers;
  }

  createPrinter(
    viewer: Viewer,
    getSnapshot: () => SessionSnapshot,
    ageMs: (node: string) => number | null,
  ): LivePrinter {
    return new LivePrinter({ view: this.view, screen: this.screen, queue: this.#queue, viewer, getSnapshot, ageMs });
  }

  showConnection(state: ClientState): void {
    const { style } = this.view;
    if (state.kind === 'open') {
      if (this.#shown === 'lost') this.screen.writeBelowText('The connection is back.');
      this.#shown = 'connected';
      this.view.setStatusOverride(null);
      this.view.showNotice(null); // it may say that there is no connection
    }
    if (state.kind === 'connecting') this.view.setStatusOverride(() => [style('yellow', `${lost} Connecting …`)]);
    if (state.kind !== 'reconnecting') return;
    if (this.#shown === 'connected') this.screen.writeBelowText(state.because.message);
    this.#shown = 'lost';
    const nextAt = addMs(this.#clock.elapsed(), state.inMs);
    this.view.setStatusOverride(() => [
      style('yellow', `${lost} Try ${state.failures} in ${leftText(msUntil(this.#clock, nextAt))}. Ctrl-C leaves.`),
    ]);
  }

  showNotice(line: string): void {
    this.view.showNotice(line);
  }

  clearInput(): void {
    this.view.clearInput();
  }

  returnWords(text: string): void {
    this.view.returnWords(text);
  }

  clearScreen(): void {
    this.screen.endOutput();
    this.view.clearScreen();
  }

  close(): void {
    this.#queue.flush();
    this.screen.endOutput();
    this.view.close();
  }
}

const lost = 'Connection lost: what runs is unknown.';
