// One chat at a terminal: the parts of `belay chat`, from the joined session to the screen, and what each key and line does.
import { createInterface, type Interface } from 'node:readline';
import type { Client } from '../client/client.ts';
import { CommandRefused, NotConnected } from '../client/errors.ts';
import type { ClientSession } from '../client/joined-session.ts';
import type { ClientState } from '../client/reconnecting-link.ts';
import { SessionView } from '../client/view/session-view.ts';
import type { ServerFrame } from '../protocol/server-frames.ts';
import type { Clock } from '../sources/sources.ts';
import { errorText } from '../text/error-text.ts';
import { InterruptibleTurns } from './interruptible-turns.ts';
import { type Prompt, Screen } from './screen.ts';
import { SessionPrinter } from './session-printer.ts';
import { interruptedCode, onSignal } from './signals.ts';
import { SlashCommands } from './slash-commands.ts';
import { leaveQuestion } from './work-elsewhere.ts';

export interface ChatOptions {
  readonly client: Client;
  readonly sessionName: string;
  /** Print the history of the session first. */
  readonly resume: boolean;
  /** Whether a person sits there: with a prompt, and the keys of a line editor. */
  readonly isTerminal: boolean;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly clock: Clock;
  /** Whether a ref is of a command of this chat. */
  readonly isMine: (ref: string | null) => boolean;
}

/** The prompt of the line editor: shown while a person may type and nothing of theirs runs. */
class LinePrompt implements Prompt {
  readonly #lines: Interface;
  readonly #turns: InterruptibleTurns;
  #state: 'open' | 'closed';

  constructor(lines: Interface, turns: InterruptibleTurns, isTerminal: boolean) {
    this.#lines = lines;
    this.#turns = turns;
    this.#state = isTerminal ? 'open' : 'closed';
  }

  get isWanted(): boolean {
    return this.#state === 'open' && !this.#turns.isBusy;
  }

  get hasInput(): boolean {
    return this.#lines.line !== undefined && this.#lines.line.length > 0;
  }

  show(): void {
    this.#lines.prompt(true);
  }

  close(): void {
    this.#state = 'closed';
  }
}

export class ChatTerminal {
  readonly #options: ChatOptions;
  readonly #session: ClientSession;
  readonly #view: SessionView;
  readonly #turns: InterruptibleTurns;
  readonly #lines: Interface;
  readonly #prompt: LinePrompt;
  readonly #screen: Screen;
  readonly #slash: SlashCommands;
  readonly #exit = Promise.withResolvers<number>();
  /** Of the input. */
  #state: 'open' | 'closed' = 'open';
  /** Since the last line of the person. */
  #hasAskedToLeave = false;

  constructor(options: ChatOptions) {
    const { client, sessionName, resume, isTerminal, input, output, clock, isMine } = options;
    this.#options = options;
    onSignal(clock, ['SIGINT'], () => this.interrupt()); // before the session is joined: from then on a person may stop it
    this.#session = client.session(sessionName, { after: resume ? 0 : undefined });
    this.#view = new SessionView(this.#session);
    this.#turns = new InterruptibleTurns(this.#session);
    this.#lines = createInterface({
      input,
      output: isTerminal ? output : undefined,
      terminal: isTerminal,
      prompt: 'you> ',
    });
    this.#prompt = new LinePrompt(this.#lines, this.#turns, isTerminal);
    this.#screen = new Screen(output, this.#prompt);
    this.#slash = new SlashCommands({
      ...{ client, session: this.#session, view: this.#view, turns: this.#turns, screen: this.#screen, clock },
      exit: () => this.#exit.resolve(0),
      onError: (error) => this.#printError(error),
    });
    const printer = new SessionPrinter(this.#screen, { speaker: client.speaker, isMine });
    this.#session.on('*', (frame: ServerFrame) => printer.print(frame, this.#view.getSnapshot()));
    this.#turns.onIdle(() => this.#screen.endOutput());
    this.#turns.onError((error) => this.#printError(error));
    client.on('state', (state) => this.#printState(state));
    this.#listenToInput();
    this.#greet();
  }

  /** Resolves with the exit code as soon as the person has left, or the connection has ended for good. */
  async run(): Promise<number> {
    const end = await Promise.race([this.#exit.promise, this.#options.client.closed]);
    this.#close();
    this.#lines.close();
    this.#view.close();
    if (typeof end === 'number') return end;
    this.#screen.writeLine(end.message);
    return 1;
  }

  /** Ctrl-C. */
  interrupt(): void {
    const { client } = this.#options;
    if (client.state.kind === 'reconnecting') return this.#exit.resolve(interruptedCode); // no cancel can be sent
    switch (this.#turns.interrupt()) {
      case 'cancelling':
        return this.#screen.writeLine('Received interrupt. Cancelling all running tools...');
      case 'forcing':
        return this.#screen.writeLine('Received interrupt again. Forcing...');
      case 'repeated':
        return this.#exit.resolve(interruptedCode);
      case 'idle':
        return this.#leaveOrAsk();
    }
  }

  /** Leaves; while the work of others runs only at the second interrupt in a row, after a line that says whose work it is. */
  #leaveOrAsk(): void {
    const question = leaveQuestion(this.#view.getSnapshot().nodes, this.#options.client.speaker);
    if (question === null || this.#hasAskedToLeave) return this.#exit.resolve(0);
    this.#hasAskedToLeave = true;
    this.#screen.writeLine(question);
  }

  #listenToInput(): void {
    const { input, isTerminal } = this.#options;
    if (isTerminal) {
      // before the line editor echoes the key: typed text begins on a line of its own, whatever streams
      input.prependListener('keypress', (text?: string, key?: { ctrl?: boolean }) => {
        if (text !== undefined && text >= ' ' && !key?.ctrl) this.#screen.onFirstKey();
      });
    }
    this.#lines.on('SIGINT', () => this.interrupt()); // a terminal in raw mode sends no signal
    this.#lines.on('line', (line) => this.#enterLine(line));
    this.#lines.on('close', () => {
      if (this.#state === 'closed') return;
      this.#close();
      void this.#turns.waitForTurns().then(() => this.#exit.resolve(0));
    });
  }

  #enterLine(line: string): void {
    this.#hasAskedToLeave = false;
    this.#screen.onLineTyped();
    if (line.trim() !== '' && !this.#slash.run(line)) this.#turns.say(line.startsWith('//') ? line.slice(1) : line);
    if (this.#prompt.isWanted) this.#screen.endOutput();
  }

  #greet(): void {
    const { client, isTerminal, resume } = this.#options;
    const { id, joined } = this.#session;
    if (resume) {
      const stop = this.#session.on('replayed', () => {
        stop(); // only the first replay is the history
        this.#screen.writeLine(`-- the history of ${id} ends here --`);
      });
    }
    joined.then(
      () => {
        if (!isTerminal) return;
        this.#screen.writeLine(
          `Joined ${id} as ${client.speaker}. Ctrl-C cancels, Ctrl-D leaves, /help lists the commands.`,
        );
        if (!resume && this.#view.getSnapshot().nodes.length > 0) this.#slash.run('/tree');
      },
      () => this.#exit.resolve(1), // a line has named the reason
    );
  }

  #printError(error: unknown): void {
    if (error instanceof CommandRefused) return; // it is a frame, which has a line
    const sentence = error instanceof NotConnected ? 'There is no connection now: nothing was sent.' : errorText(error);
    this.#screen.writeLine(`! ${sentence}`);
  }

  #printState(state: ClientState): void {
    const line = stateLine(state);
    if (line !== null && this.#state === 'open') this.#screen.writeLine(line);
  }

  #close(): void {
    this.#state = 'closed';
    this.#prompt.close();
    this.#screen.close();
  }
}

/** Null for a state that has no line. */
function stateLine(state: ClientState): string | null {
  switch (state.kind) {
    case 'reconnecting':
      return state.failures === 1 ? `${state.because.message} Waiting for it to come back; Ctrl-C leaves.` : null;
    case 'open':
      return 'The connection is back.';
    case 'connecting':
    case 'closed':
      return null;
  }
}
