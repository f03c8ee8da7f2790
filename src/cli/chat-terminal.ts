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
import { onOutputClosed } from './closed-output.ts';
import { InterruptibleTurns } from './interruptible-turns.ts';
import { LinePrompt } from './line-prompt.ts';
import { Screen } from './screen.ts';
import { SessionPrinter } from './session-printer.ts';
import { endingSignals, interruptedCode, leaveMs, onSignal } from './signals.ts';
import { SlashCommands } from './slash-commands.ts';
import { TypedLines } from './typed-lines.ts';
import { forceTypedStops } from './typed-stops.ts';
import { leaveQuestion } from './work-elsewhere.ts';

export interface ChatOptions {
  readonly client: Client;
  readonly sessionName: string;
  /** Whether to print the history of the session first. */
  readonly resume: boolean;
  /** Whether input and output are a terminal: with a prompt, and the keys of a line editor. Otherwise lines are read to the end of the input. */
  readonly isTerminal: boolean;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly clock: Clock;
  /** Whether this chat has sent the command with the ref. */
  readonly isMine: (ref: string | null) => boolean;
}

/** A chat from the joined session to its end. The constructor starts it; `run` waits for its end. */
export class ChatTerminal {
  readonly #options: ChatOptions;
  readonly #session: ClientSession;
  readonly #view: SessionView;
  readonly #turns: InterruptibleTurns;
  readonly #lines: Interface;
  readonly #prompt: LinePrompt;
  readonly #screen: Screen;
  readonly #typed: TypedLines;
  readonly #slash: SlashCommands;
  readonly #exit = Promise.withResolvers<number>();
  #inputState: 'open' | 'closed' = 'open';
  /** Whether the chat has asked if it shall leave, since the last typed line. */
  #hasAskedToLeave = false;

  constructor(options: ChatOptions) {
    const { client, sessionName, resume, isTerminal, input, output, clock, isMine } = options;
    this.#options = options;
    this.#listenToEndings(); // before the session is joined: from then on a person may stop it
    this.#session = client.session(sessionName, { after: resume ? 0 : undefined });
    this.#view = new SessionView(this.#session);
    this.#turns = new InterruptibleTurns(this.#session);
    this.#lines = createInterface({
      input,
      output: isTerminal ? output : undefined,
      terminal: isTerminal,
      prompt: 'you> ',
    });
    this.#typed = new TypedLines({
      session: this.#session,
      turns: this.#turns,
      onUnread: (error) => this.#reportUnread(error),
    });
    this.#prompt = new LinePrompt(this.#lines, this.#turns, isTerminal);
    this.#screen = new Screen(output, this.#prompt);
    this.#slash = new SlashCommands({
      client,
      session: this.#session,
      view: this.#view,
      turns: this.#turns,
      screen: this.#screen,
      clock,
      exit: () => this.#exit.resolve(0),
      onError: (error) => this.#printError(error),
    });
    const printer = new SessionPrinter(
      this.#screen,
      { speaker: client.speaker, isMine },
      { showsReasoning: isTerminal },
    );
    this.#session.on('*', (frame: ServerFrame) => printer.print(frame, this.#view.getSnapshot()));
    forceTypedStops(this.#session, () => this.#forceStop());
    this.#turns.onIdle(() => this.#screen.endOutput());
    this.#turns.onError((error) => this.#printError(error));
    client.on('state', (state) => this.#printState(state));
    this.#listenToInput();
    this.#reportJoin();
  }

  /** Resolves with the exit code as soon as the person has left, or the client has closed for good. */
  async run(): Promise<number> {
    const end = await Promise.race([this.#exit.promise, this.#options.client.closed]);
    this.#close();
    this.#lines.close();
    this.#view.close();
    if (typeof end === 'number') return end;
    this.#screen.writeLine(end.message);
    return 1;
  }

  /** Handles Ctrl-C. */
  interrupt(): void {
    const { client } = this.#options;
    if (client.state.kind === 'reconnecting') return this.#exit.resolve(interruptedCode); // no cancel can be sent
    const hasDropped = this.#typed.interrupt();
    if (!this.#turns.isBusy && this.#stopAcknowledgement()) return;
    switch (this.#turns.interrupt()) {
      case 'cancelling':
        return this.#screen.writeLine('Received interrupt. Cancelling all running tools...');
      case 'forcing':
        return this.#screen.writeLine('Received interrupt again. Forcing...');
      case 'repeated':
        return this.#exit.resolve(interruptedCode);
      case 'idle':
        return hasDropped ? this.#screen.writeLine('Nothing was said.') : this.#leaveOrAsk();
    }
  }

  /** A stop phrase was typed again before its stop has settled. */
  #forceStop(): void {
    this.#screen.writeLine('Forcing...');
    this.#turns.stop('session', { force: true });
  }

  /** Stops the words to this speaker on a stop, while they stream. False: there are none. */
  #stopAcknowledgement(): boolean {
    const running = this.#view
      .getSnapshot()
      .turns.find(
        ({ kind, node }) =>
          kind === 'acknowledgement' && node.state === 'running' && node.owner === this.#options.client.speaker,
      );
    if (!running) return false;
    this.#turns.stop(running.node.id, { force: false });
    return true;
  }

  /** Leaves; while the work of others runs only at the second interrupt in a row, after a line that says whose work it is. */
  #leaveOrAsk(): void {
    const question = leaveQuestion(this.#view.getSnapshot().nodes, this.#options.client.speaker);
    if (question === null || this.#hasAskedToLeave) return this.#exit.resolve(0);
    this.#hasAskedToLeave = true;
    this.#screen.writeLine(question);
  }

  #listenToEndings(): void {
    const { clock } = this.#options;
    onSignal(clock, endingSignals, (name) => (name === 'SIGINT' ? this.interrupt() : this.#stopAndLeave(name)));
    onOutputClosed(clock, () => this.#stopAndLeave('its output was closed'));
  }

  /** Nobody sits here any more, or the process has to end: stops what was said here, and leaves. */
  #stopAndLeave(why: string): void {
    const { client, clock } = this.#options;
    const exit = () => this.#exit.resolve(interruptedCode);
    if (client.state.kind === 'reconnecting') return exit(); // no cancel can be sent
    if (!this.#turns.isStopping && this.#turns.interrupt(`the chat has ended: ${why}`) === 'idle') return exit();
    clock.after(leaveMs, exit);
    void this.#turns.waitForStop().then(exit);
  }

  #listenToInput(): void {
    const { input, isTerminal } = this.#options;
    if (isTerminal) {
      // before the line editor echoes the key, so that typed text starts on a line of its own while text streams
      input.prependListener('keypress', (text?: string, key?: { ctrl?: boolean }) => {
        if (text !== undefined && text >= ' ' && !key?.ctrl) this.#screen.onFirstKey();
      });
    }
    this.#lines.on('error', () => this.#stopAndLeave('its terminal was closed')); // it cannot be read, or be set back to its mode
    this.#lines.on('SIGINT', () => this.interrupt()); // a terminal in raw mode sends no signal
    this.#lines.on('line', (line) => this.#enterLine(line));
    this.#lines.on('close', () => {
      if (this.#inputState === 'closed') return;
      this.#close();
      void this.#typed.said.then(() => this.#turns.waitForTurns()).then(() => this.#exit.resolve(0));
    });
  }

  #enterLine(line: string): void {
    this.#hasAskedToLeave = false;
    this.#screen.onLineTyped();
    if (line.trim() !== '' && !this.#slash.run(line)) this.#typed.say(line);
    if (this.#prompt.isWanted) this.#screen.endOutput();
  }

  #reportJoin(): void {
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
      (error: unknown) => {
        // the printer has shown why
        if (error instanceof CommandRefused && error.code === 'access_denied')
          this.#screen.writeLine('Join a session of your own: --session NAME.');
        this.#exit.resolve(1);
      },
    );
  }

  #printError(error: unknown): void {
    if (error instanceof CommandRefused) return; // the printer shows the frame of the refusal
    const sentence = error instanceof NotConnected ? 'There is no connection now: nothing was sent.' : errorText(error);
    this.#screen.writeLine(`! ${sentence}`);
  }

  #reportUnread(error: unknown): void {
    this.#printError(error);
    this.#screen.writeLine('Nothing was said. Write @@NAME:… to say it without reading anything.');
  }

  #printState(state: ClientState): void {
    const line = stateLine(state);
    if (line !== null && this.#inputState === 'open') this.#screen.writeLine(line);
  }

  #close(): void {
    this.#inputState = 'closed';
    this.#prompt.close();
    this.#screen.close();
  }
}

/** Returns the line for a state after the first connection; null: none is shown. Repeated failures are shown once. */
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
