// One chat at a terminal: the parts of `belay chat`, from the joined session to the screen, and what each key and line does.
import type { Client } from '../client/client.ts';
import { CommandRefused, NotConnected } from '../client/errors.ts';
import type { ClientSession } from '../client/joined-session.ts';
import type { EscapeTarget } from '../client/view/escape-target.ts';
import { GatewayTime } from '../client/view/gateway-time.ts';
import { hasRunningTools } from '../client/view/live-tree.ts';
import { SessionView } from '../client/view/session-view.ts';
import type { NodeView, TurnView } from '../client/view/snapshot.ts';
import { msSince } from '../core/sources/monotonic-time.ts';
import type { Clock } from '../core/sources/sources.ts';
import { errorText } from '../core/text/error-text.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { showNames, withShownNames } from '../wire/shown-names.ts';
import { AskedQuestions } from './asked-questions.ts';
import { ChatCommands, type NextSession } from './chat-commands.ts';
import { chatCompletion } from './chat-completion.ts';
import type { ChatConsole, ChatScreen } from './chat-console.ts';
import type { ChatRequests } from './chat-requests.ts';
import { InterruptibleTurns } from './interruptible-turns.ts';
import type { ModelChoice } from './model-choice.ts';
import { OlderTurns } from './older-turns.ts';
import { interruptedCode, leaveMs } from './signals.ts';
import { SlashCommands } from './slash-commands.ts';
import { TypedLines } from './typed-lines.ts';
import { viewerOf } from './viewer.ts';

export interface ChatOptions {
  readonly client: Client;
  readonly sessionName: string;
  /** Whether to print the history of the session first. */
  readonly resume: boolean;
  /** The secret of an invite link that lets the speaker in; undefined: there is none. */
  readonly invite: string | undefined;
  /** Whether a person sits there. Otherwise lines are read to the end of the input. */
  readonly isTerminal: boolean;
  readonly chatConsole: ChatConsole;
  readonly clock: Clock;
  /** Whether this chat has sent the command with the ref. */
  readonly isMine: (ref: string | null) => boolean;
  readonly requests: ChatRequests;
  /** See `SlashCommandsOptions`. */
  readonly inviteHref: (session: string, secret: string) => string;
  /** What was chosen with `/model`: it holds for the sessions that the chat goes to. */
  readonly model: ModelChoice;
  /** What Escape and Ctrl-C stop. */
  readonly escape: EscapeTarget;
  /** The folder in which typed paths begin. */
  readonly folder: string;
}

/** Turns that `--resume` prints, and `/older` before them: some screens. */
const resumedTurns = 10;

/** The exit code of the chat, or the session that it goes to. */
export type ChatEnd = number | NextSession;

/** A chat from the joined session to its end. The constructor starts it; `run` waits for its end. */
export class ChatTerminal {
  readonly #options: ChatOptions;
  readonly #session: ClientSession;
  readonly #view: SessionView;
  readonly #turns: InterruptibleTurns;
  readonly #screen: ChatScreen;
  readonly #typed: TypedLines;
  readonly #slash: SlashCommands;
  readonly #exit = Promise.withResolvers<ChatEnd>();
  readonly #commands: ChatCommands;
  readonly #questions: AskedQuestions | null;
  readonly #older = new OlderTurns();
  readonly #ageMs: (node: string) => number | null;
  readonly #stopListening: () => void;
  #inputState: 'open' | 'closed' = 'open';
  /** The request after which the chat has asked whether to leave, since the last typed line: the same one again leaves. Null: it has not asked. */
  #askedToLeave: 'interrupt' | 'exit' | null = null;

  constructor(options: ChatOptions) {
    const { client, sessionName, resume, invite, clock, isMine } = options;
    this.#options = options;
    this.#session = client.session(sessionName, { ...(resume && { last: resumedTurns }), invite });
    this.#view = new SessionView(withShownNames(this.#session));
    this.#turns = new InterruptibleTurns(this.#session, () => client.features.includes('cancel_lane'));
    this.#typed = new TypedLines({
      session: this.#session,
      turns: this.#turns,
      files: { folder: options.folder, store: (bytes) => options.requests.storeBlob(sessionName, bytes) },
      model: options.model,
      onAttached: (files) => this.#screen.writeBelowText(`  with ${files.join(', ')}`),
      onUnread: (error) => this.#reportUnread(error),
    });
    const openedAt = clock.elapsed();
    const gatewayTime = new GatewayTime(() => msSince(clock, openedAt));
    this.#ageMs = gatewayTime.ageMs;
    this.#screen = options.chatConsole.screen;
    this.#commands = this.#createCommands();
    this.#slash = new SlashCommands({
      client,
      session: this.#session,
      view: this.#view,
      turns: this.#turns,
      steer: (text) => this.#typed.say(text, 'steer'),
      more: new Map([...this.#commands.commands, ['/older', () => this.#printOlder()]]),
      screen: this.#screen,
      inviteHref: options.inviteHref,
      ageMs: gatewayTime.ageMs,
      exit: (stopsWork) => this.#leaveByCommand(stopsWork),
      onError: (error) => this.#printError(error),
    });
    const viewer = viewerOf(this.#session, { speaker: client.speaker, isMine }, resume);
    const printer = options.chatConsole.createPrinter(viewer, this.#view.getSnapshot, gatewayTime.ageMs);
    gatewayTime.connect(client);
    gatewayTime.follow(this.#session, { isReplayed: resume });
    this.#session.on('*', (frame: ServerFrame) => {
      const snapshot = this.#view.getSnapshot();
      if (this.#older.note(showNames(frame), snapshot)) printer.print(showNames(frame), snapshot);
    });
    this.#session.on('cancel_accepted', (frame) => this.#returnWords(frame));
    forceTypedStops(this.#session, () => this.#forceStop());
    this.#turns.onIdle(() => this.#screen.endOutput());
    this.#turns.onError((error) => this.#printError(error));
    this.#stopListening = client.on('state', (state) => options.chatConsole.showConnection(state));
    this.#questions = this.#createQuestions();
    this.#listenToInput();
    this.#reportJoin();
  }

  /**
   * Resolves with the exit code as soon as the person has left, or the client has closed for good; or with the session that the person goes to. Then
   * this one was left, and what runs there goes on.
   */
  async run(): Promise<ChatEnd> {
    const end = await Promise.race([this.#exit.promise, this.#options.client.closed]);
    this.#stopListening();
    this.#questions?.close();
    if (typeof end === 'object' && 'session' in end) {
      this.#leaveFor(end);
      return end;
    }
    this.#options.chatConsole.close();
    this.#view.close();
    if (typeof end === 'number') return end;
    this.#screen.writeLine(end.message);
    return 1;
  }

  /** Handles Ctrl-C. */
  interrupt(): void {
    if (!this.#isConnected) return this.#exit.resolve(interruptedCode); // no cancel can be sent
    const hasDropped = this.#typed.interrupt();
    if (!this.#turns.isBusy && this.#stopAcknowledgement()) return;
    switch (this.#turns.interrupt(undefined, this.#interruptTarget)) {
      case 'cancelling':
        return this.#screen.writeBelowText('Received interrupt. Cancelling all running tools...');
      case 'forcing':
        return this.#screen.writeBelowText('Received interrupt again. Forcing...');
      case 'repeated':
        return this.#exit.resolve(interruptedCode);
      case 'idle':
        return hasDropped ? this.#screen.writeLine('Nothing was said.') : this.#leaveOrAsk();
    }
  }

  /** Where no tool of this terminal's turns runs, or the gateway cannot stop tools alone, the turn is stopped. */
  get #interruptTarget(): EscapeTarget {
    const { client, escape: escapeStops } = this.#options;
    const { nodes } = this.#view.getSnapshot();
    const hasTools = this.#turns.ids.some((turn) => hasRunningTools(nodes, turn));
    return escapeStops === 'tools' && hasTools && client.features.includes('cancel_tools') ? 'tools' : 'turn';
  }

  /** Words that were typed here and stopped before they started go back into the input; not those that newer words replace. */
  #returnWords({ queue = [], source }: ServerFrameOf<'cancel_accepted'>): void {
    const { turns } = this.#view.getSnapshot();
    const refOf = (id: string) =>
      turns.find(({ node }) => node.id === id)?.ref ??
      turns.flatMap(({ inputs }) => inputs).find((each) => each.id === id)?.ref;
    const stopped = source === 'superseded' ? [] : queue.filter(({ fate }) => fate === 'cancelled');
    const lines = stopped.flatMap(({ input }) => this.#typed.takeLine(refOf(input) ?? null) ?? []);
    if (lines.length > 0) this.#options.chatConsole.returnWords(lines.join('\n'));
  }

  /** A stop phrase was typed again before its stop has settled. */
  #forceStop(): void {
    this.#screen.writeLine('Forcing...');
    this.#turns.stop('session', { force: true });
  }

  /** The words to this speaker on a stop, while they stream. */
  get #acknowledgement(): TurnView | undefined {
    return this.#view
      .getSnapshot()
      .turns.find(
        ({ kind, node }) =>
          kind === 'acknowledgement' && node.state === 'running' && node.owner === this.#options.client.speaker,
      );
  }

  /** Stops the words on a stop. False: there are none. */
  #stopAcknowledgement(): boolean {
    const running = this.#acknowledgement;
    if (!running) return false;
    this.#turns.stop(running.node.id, { force: false });
    return true;
  }

  /** Leaves at the second interrupt in a row, after a line that says so, and whose work runs on. Without a person it leaves at once if nothing runs. */
  #leaveOrAsk(): void {
    const { client, chatConsole, isTerminal } = this.#options;
    const question = leaveQuestion(this.#view.getSnapshot().nodes, client.speaker);
    if (this.#askedToLeave === 'interrupt' || (question === null && !isTerminal)) return this.#exit.resolve(0);
    this.#askedToLeave = 'interrupt';
    chatConsole.showNotice(question ?? 'Ctrl-C again leaves.');
  }

  /**
   * Handles `/exit`. At a terminal it says what runs, and asks: `/exit stop` stops what is the speaker's and leaves, `/exit` again leaves it running. In
   * a pipe it says what runs on, and leaves.
   */
  #leaveByCommand(stopsWork: boolean): void {
    const { client, clock, isTerminal } = this.#options;
    const exit = () => this.#exit.resolve(0);
    const roots = this.#view.getSnapshot().nodes.filter(({ parent }) => parent === null);
    const isOpening = isTerminal && this.#turns.isOpening;
    if (!this.#isConnected || (roots.length === 0 && !isOpening)) return exit();
    if (stopsWork) {
      this.#turns.stop('mine', { force: false });
      clock.after(leaveMs, exit);
      void this.#turns.waitForStop().then(exit);
      return;
    }
    const running = roots.length === 0 ? 'Your words are on their way' : workNames(roots, client.speaker, '');
    if (!isTerminal || this.#askedToLeave === 'exit') {
      if (!isTerminal) this.#screen.writeLine(`${running}. ${roots.length === 1 ? 'It runs' : 'They run'} on.`);
      return exit();
    }
    this.#askedToLeave = 'exit';
    this.#screen.writeLine(
      `${running}. Stop what is yours? /exit stop stops it and leaves; /exit again leaves it running.`,
    );
  }

  #createCommands(): ChatCommands {
    const { client, sessionName, requests, model, clock, chatConsole } = this.#options;
    const commands = new ChatCommands({
      requests,
      model,
      clock,
      session: sessionName,
      speaker: client.speaker,
      view: this.#view,
      screen: this.#screen,
      clearScreen: () => chatConsole.clearScreen(),
      goTo: (next) => this.#exit.resolve(next),
      fork: (turn) => this.#session.fork(turn),
      onError: (error) => this.#printError(error),
    });
    chatConsole.view?.setCompletion(chatCompletion(this.#options.folder, this.#view, commands));
    return commands;
  }

  /** Makes the questions of the terminal; null: nobody sits at one who could be asked. */
  #createQuestions(): AskedQuestions | null {
    const { client, clock, chatConsole } = this.#options;
    const { view: terminal } = chatConsole;
    const onError = (error: unknown) => this.#printError(error);
    const asked = { session: this.#session, view: this.#view, speaker: client.speaker, clock, onError };
    return terminal && new AskedQuestions({ terminal, ...asked });
  }

  #leaveFor({ session }: NextSession): void {
    const { sessionName } = this.#options;
    const rest = this.#turns.isBusy ? ` What you have started in ${sessionName} runs on.` : '';
    this.#screen.writeLine(`You leave ${sessionName} for ${session}.${rest}`);
    this.#view.close();
    this.#session.leave().catch(() => {}); // without a connection there is nothing to leave
  }

  /** Nobody sits here any more, or the process has to end: stops what was said here, and leaves. */
  stopAndLeave(why: string): void {
    const { clock } = this.#options;
    const exit = () => this.#exit.resolve(interruptedCode);
    if (!this.#isConnected) return exit(); // no cancel can be sent
    if (!this.#turns.isStopping && this.#turns.interrupt(`the chat has ended: ${why}`, 'all') === 'idle') return exit();
    clock.after(leaveMs, exit);
    void this.#turns.waitForStop().then(exit);
  }

  #listenToInput(): void {
    this.#options.chatConsole.listen({
      onText: (text) => this.#enterText(text),
      onInterrupt: (hasText) => {
        if (hasText && !(this.#isConnected && this.#isBusy)) this.#options.chatConsole.clearInput();
        else this.interrupt();
      },
      onEscape: () => {
        if (this.#isConnected && this.#isBusy && !this.#turns.isStopping) this.interrupt();
      },
      onEnd: () => this.#leaveAtEnd(),
      onGone: () => this.stopAndLeave('its terminal was closed'),
    });
  }

  get #isConnected(): boolean {
    return this.#options.client.state.kind === 'open';
  }

  /** Whether something that was said here runs, or the words on its stop. */
  get #isBusy(): boolean {
    return this.#turns.isBusy || this.#typed.isWaiting || this.#acknowledgement !== undefined;
  }

  /** Leaves as soon as everything that was said here has ended, and its receipts have come. */
  #leaveAtEnd(): void {
    if (this.#inputState === 'closed') return;
    this.#inputState = 'closed';
    if (this.#options.isTerminal && this.#turns.isBusy)
      this.#options.chatConsole.showNotice('Leaving as soon as everything has ended. Ctrl-C stops it.');
    void this.#typed.said
      .then(() => this.#turns.waitForTurns())
      .then(() => this.#turns.waitForStop())
      .then(() => this.#exit.resolve(0));
  }

  #enterText(text: string): boolean {
    if (this.#askedToLeave !== 'exit' || text.trim() !== '/exit') this.#askedToLeave = null;
    if (text.trim() === '' || this.#slash.run(text)) return true;
    const { chatConsole } = this.#options;
    if (chatConsole.view !== null && !this.#isConnected) {
      chatConsole.showNotice('There is no connection: nothing was sent, and the text stays here.');
      return false;
    }
    this.#typed.say(text);
    return true;
  }

  #reportJoin(): void {
    const { client, isTerminal, resume } = this.#options;
    const { id, joined } = this.#session;
    if (resume) {
      const stop = this.#session.on('replayed', () => {
        stop(); // only the first replay is the history
        const older = this.#older.hasMore ? '; /older prints turns before these' : '';
        this.#screen.writeLine(`-- the history of ${id} ends here${older} --`);
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

  /** Prints turns before those that are printed, as a block of its own: what has scrolled up stays as it is. */
  #printOlder(): void {
    const { client, chatConsole, requests } = this.#options;
    const { id } = this.#session;
    if (!this.#older.hasMore) return this.#screen.writeLine('There are no older turns.');
    const viewer = { speaker: client.speaker, isMine: () => false };
    this.#older
      .read((page) => requests.earlierFacts(id, page), resumedTurns)
      .then((frames) => {
        this.#screen.writeLine(`-- older turns of ${id} --`);
        const printer = chatConsole.createPrinter(viewer, this.#view.getSnapshot, this.#ageMs);
        for (const { frame, snapshot } of frames) printer.print(frame, snapshot);
        const more = this.#older.hasMore ? '; /older prints turns before these' : '';
        this.#screen.writeBelowText(`-- the older turns end here${more} --`);
      })
      .catch((error: unknown) => this.#printError(error));
  }

  #printError(error: unknown): void {
    if (error instanceof CommandRefused) return; // the printer shows the frame of the refusal
    const sentence = error instanceof NotConnected ? 'There is no connection now: nothing was sent.' : errorText(error);
    this.#screen.writeProblem(sentence);
  }

  #reportUnread(error: unknown): void {
    this.#printError(error);
    this.#screen.writeBelowText(
      'Nothing was said. A word that begins with @@ is said with one @, and nothing is read for it.',
    );
  }
}

/** Calls `force` when words of this connection repeat a stop that earlier words of it have caused, and that has not settled. */
function forceTypedStops(session: Pick<ClientSession, 'on'>, force: () => void): void {
  const unsettled = new Set<string>();
  session.on('*', (frame) => {
    if (frame.type === 'cancel_settled') unsettled.delete(frame.cancel);
    if (frame.type !== 'stop_phrase') return;
    if (frame.repeated && unsettled.has(frame.cancel)) force();
    else unsettled.add(frame.cancel);
  });
}

/** Returns the line that asks before leaving, like `bob's turn is running. Ctrl-C again leaves; it runs on.` Null: nothing runs. */
function leaveQuestion(nodes: readonly NodeView[], speaker: string): string | null {
  const roots = nodes.filter(({ parent }) => parent === null);
  if (roots.length === 0) return null;
  const they = roots.length === 1 ? 'it runs' : 'they run';
  return `${workNames(roots, speaker, ' from elsewhere')}. Ctrl-C again leaves; ${they} on.`;
}

/** Names what runs, like `Your turn and bob's shell are running`. `from`: after the speaker's own work. */
function workNames(roots: readonly NodeView[], speaker: string, from: string): string {
  const nameOf = ({ owner, name }: NodeView) =>
    owner === speaker ? `Your ${name ?? 'turn'}${from}` : `${owner}'s ${name ?? 'turn'}`;
  const groups = [...Map.groupBy(roots, nameOf)];
  const names = groups.map(([name, { length }]) => (length === 1 ? name : `${name} (${length})`)).join(', ');
  return `${names} ${roots.length === 1 ? 'is' : 'are'} running`;
}
