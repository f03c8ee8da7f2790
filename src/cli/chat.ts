// `belay chat` (`npm run chat`): a terminal at a session. Lines are said; Ctrl-C cancels what runs, twice forces, and leaves when nothing runs.
import { createInterface } from 'node:readline';
import type { Policy } from '../../machines/vocabulary.ts';
import { type Client, connect } from '../client/client.ts';
import { platformSources } from '../client/client-sources.ts';
import { CommandRefused, ConnectionClosed, NotConnected } from '../client/errors.ts';
import type { ClientState } from '../client/reconnecting-link.ts';
import { systemSources } from '../sources/system.ts';
import { createView } from './chat-view.ts';
import { inSentences } from './command-failure.ts';
import { called } from './command-names.ts';
import { readFlags } from './config.ts';
import { defaultUrl } from './default-address.ts';
import { createTalk } from './interrupts.ts';
import { createLive } from './live-tree.ts';
import { createNames } from './node-names.ts';
import { createAsked } from './open-questions.ts';
import { createScreen } from './screen.ts';
import { interruptedCode, onSignal } from './signals.ts';
import { createSlash, slashUsage } from './slash-commands.ts';

const usage = `belay chat [URL]       a terminal at a session of a gateway (${defaultUrl})

  --session NAME     which session to join (main); one that exists is gone on with
  --resume           show first what was said in it before
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN
  --help

Lines are said. Ctrl-C cancels what you have running, twice forces, and leaves when nothing runs. Ctrl-D leaves when everything has ended.

${slashUsage}
`;

const flags = {
  session: { type: 'string', default: 'main' },
  resume: { type: 'boolean', default: false },
  token: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const { clock } = systemSources;

const policies: Readonly<Record<Policy, string>> = {
  anyone: 'anyone may stop the bot',
  owner: 'each stops what is theirs',
};

export async function chatCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = readFlags(args, flags, true);
  if (values['help']) return void process.stdout.write(usage);
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const token = values['token'] ?? process.env['BELAY_TOKEN'];
  const mine = new Set<string | null>();
  const createRef = () => {
    const ref = platformSources.createRef();
    mine.add(ref);
    return ref;
  };
  const url = positionals[0] ?? defaultUrl;
  // somebody at a terminal can wait for a gateway that comes back; a script is told that it has gone
  const client = await connect({
    url,
    createRef,
    reconnect: isTerminal,
    ...(token ? { token: String(token) } : {}),
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  const place = { name: String(values['session']), resume: values['resume'] === true, isTerminal };
  const code = await converse(client, place, (ref) => mine.has(ref));
  if (code !== interruptedCode) await client.close(); // who insists does not wait for a goodbye
  process.exit(code);
}

function unreachable(error: unknown): unknown {
  if (!(error instanceof ConnectionClosed) || error.reason !== null) return error;
  return new Error(`${error.message} Is a gateway running? Start one with: ${called('serve')}`, { cause: error });
}

interface Place {
  readonly name: string;
  readonly resume: boolean;
  readonly isTerminal: boolean;
}

/** Until the one who types is done, or the connection is: the exit code. */
async function converse(
  client: Client,
  { name, resume, isTerminal }: Place,
  isMine: (ref: string | null) => boolean,
): Promise<number> {
  const { promise: done, resolve: leave } = Promise.withResolvers<number>();
  const { stdin: input, stdout: output } = process;
  const { speaker } = client;
  let state: 'open' | 'closed' = 'open'; // the input
  onSignal(clock, ['SIGINT'], interrupt);

  const lines = createInterface({ input, ...(isTerminal && { output }), terminal: isTerminal, prompt: 'you> ' });
  const prompt = {
    get isWanted() {
      return isTerminal && state === 'open' && !talk.isBusy;
    },
    get isTyping() {
      return lines.line !== undefined && lines.line.length > 0;
    },
    show: () => lines.prompt(true),
  };
  const screen = createScreen(output, prompt);
  const failed = (error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error);
    screen.line(`! ${error instanceof NotConnected ? 'There is no connection now: nothing was sent.' : sentence}`);
  };

  const session = client.session(name, resume ? { after: 0 } : {});
  const [names, live, asked] = [createNames(), createLive(), createAsked()];
  const view = createView(screen, names, { speaker, isMine });
  const hasMore = () => live.all().some(({ owner }) => owner === speaker);
  const talk = createTalk({ session, hasMore, rested: () => screen.rest(), failed });
  let policy: string | null = null;
  const slash = createSlash({
    session,
    speaker,
    roles: () => client.roles,
    policy: () => policy,
    live,
    asked,
    talk,
    now: () => clock.now(),
    line: (text) => screen.line(text),
    leave: () => leave(0),
    failed: (error) => {
      if (!(error instanceof CommandRefused)) failed(error); // what is refused is a frame, which the view tells
    },
  });

  session.on('*', (frame) => {
    live.learn(frame);
    asked.learn(frame);
    if (frame.type === 'joined') policy = policies[frame.policy];
    view.show(frame);
  });
  const stopReplay = session.on('replayed', () => {
    stopReplay(); // one who comes back after a break has been here before
    if (resume) screen.line(`-- so far in ${session.id}; from here on it happens now --`);
  });
  client.on('state', (next) => {
    const told = stateLine(next);
    if (told !== null && state === 'open') screen.line(told);
  });

  function interrupt(): void {
    if (client.state.kind === 'reconnecting') return leave(interruptedCode); // nobody would hear a cancel
    switch (talk.interrupt()) {
      case 'cancelling':
        return screen.line('Received interrupt. Cancelling all running tools...');
      case 'forcing':
        return screen.line('Received interrupt again. Forcing...');
      case 'again':
        return leave(interruptedCode);
      case 'idle':
        return leave(0);
    }
  }
  function typed(line: string): void {
    screen.typed();
    if (line.trim() !== '' && !slash(line)) talk.say(line.startsWith('//') ? line.slice(1) : line);
    if (prompt.isWanted) screen.rest();
  }
  function close(): void {
    state = 'closed';
    screen.close();
  }
  if (isTerminal) {
    // before the line editor echoes it: what is typed begins on a line of its own, whatever streams
    input.prependListener('keypress', (text?: string, key?: { ctrl?: boolean }) => {
      if (text !== undefined && text >= ' ' && !key?.ctrl) screen.typing();
    });
  }
  lines.on('SIGINT', interrupt); // a terminal in raw mode sends no signal
  lines.on('line', typed);
  lines.on('close', () => {
    if (state === 'closed') return;
    close();
    void talk.ended().then(() => leave(0));
  });
  session.joined.then(
    () => {
      if (!isTerminal) return;
      screen.line(`Joined ${session.id} as ${speaker}. Ctrl-C cancels, Ctrl-D leaves, /help tells the rest.`);
      if (!resume && live.all().length > 0) slash('/tree');
    },
    () => leave(1), // a line has said why
  );

  const end = await Promise.race([done, client.closed]);
  close();
  lines.close();
  if (typeof end === 'number') return end;
  screen.line(end.message);
  return 1;
}

/** What is told of the connection; null: nothing. */
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

if (import.meta.main) await inSentences(chatCommand);
