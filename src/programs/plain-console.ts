// A chat without a live region: lines of a pipe or of a terminal that cannot move its cursor, and lines as output.
import { createInterface, type Interface } from 'node:readline';
import type { ClientState } from '../client/reconnecting-link.ts';
import type { ChatConsole, ConsoleHandlers } from './chat-console.ts';
import { PlainPrinter } from './plain-printer.ts';
import { PlainScreen } from './plain-screen.ts';
import type { Viewer } from './viewer.ts';

export class PlainConsole implements ChatConsole {
  readonly view = null;
  readonly screen: PlainScreen;
  readonly #lines: Interface;
  #state: 'open' | 'closed' = 'open';
  #handlers: ConsoleHandlers | null = null;

  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
    this.screen = new PlainScreen(output);
    this.#lines = createInterface({ input, terminal: false });
  }

  createPrinter(viewer: Viewer): PlainPrinter {
    return new PlainPrinter(this.screen, viewer);
  }

  /** Called again, it calls the later handlers instead. */
  listen(handlers: ConsoleHandlers): void {
    const isFirst = this.#handlers === null;
    this.#handlers = handlers;
    if (!isFirst) return;
    this.#lines.on('error', () => this.#handlers?.onGone());
    this.#lines.on('line', (line) => void this.#handlers?.onText(line));
    this.#lines.on('close', () => {
      if (this.#state === 'closed') return;
      this.#state = 'closed';
      this.#handlers?.onEnd();
    });
  }

  /** Repeated failures are shown once. */
  showConnection(state: ClientState): void {
    if (this.#state === 'closed') return;
    if (state.kind === 'open') this.screen.writeLine('The connection is back.');
    if (state.kind === 'reconnecting' && state.failures === 1)
      this.screen.writeLine(`${state.because.message} Waiting for it to come back; Ctrl-C leaves.`);
  }

  showNotice(line: string): void {
    this.screen.writeLine(line);
  }

  clearInput(): void {}

  returnWords(): void {}

  clearScreen(): void {}

  close(): void {
    this.#state = 'closed';
    this.#lines.close();
  }
}
