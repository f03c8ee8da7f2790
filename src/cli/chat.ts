// `npm run chat`: a terminal at a session. Lines are said; Ctrl-C cancels what was said, twice forces, and leaves when nothing runs.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Client, connect } from '../client/client.ts';
import { ConnectionClosed } from '../client/errors.ts';
import { randomRefs } from '../client/refs.ts';
import { systemSources } from '../sources/system.ts';
import { defaultUrl } from './address.ts';
import { createNames } from './names.ts';
import { createScreen } from './screen.ts';
import { interruptedCode, onSignal } from './signals.ts';
import { createTalk } from './talk.ts';
import { createView } from './view.ts';

const usage = `belay chat [URL]      (${defaultUrl})

  --session NAME    which session to join (main)
  --token TOKEN     who you are, where the gateway asks for it; or BELAY_TOKEN

Ctrl-C cancels the running turn, twice forces, and leaves when nothing runs. Ctrl-D leaves when everything has ended.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { session: { type: 'string', default: 'main' }, token: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return void process.stdout.write(usage);
  const token = values.token ?? process.env['BELAY_TOKEN'];
  const mine = new Set<string | null>();
  const refs = () => {
    const ref = randomRefs();
    mine.add(ref);
    return ref;
  };
  const client = await connect({ url: positionals[0] ?? defaultUrl, refs, reconnect: false, ...(token && { token }) });
  const code = await converse(client, values.session, (ref) => mine.has(ref));
  if (code !== interruptedCode) await client.close(); // who insists does not wait for a goodbye
  process.exit(code);
}

type IsMine = (ref: string | null) => boolean;

/** Until the one who types is done, or the connection is: the exit code. */
async function converse(client: Client, name: string, isMine: IsMine): Promise<number> {
  const { promise: done, resolve: leave } = Promise.withResolvers<number>();
  const { stdin: input, stdout: output } = process;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  let state: 'open' | 'closed' = 'open'; // the input
  onSignal(systemSources.clock, ['SIGINT'], interrupt);
  const lines = createInterface({ input, ...(isTerminal && { output }), terminal: isTerminal, prompt: 'you> ' });
  const session = client.session(name);
  const prompt = {
    get isWanted() {
      return isTerminal && state === 'open' && !talk.isBusy;
    },
    show: () => lines.prompt(true),
  };
  const talk = createTalk(session, () => screen.rest());
  const screen = createScreen(output, prompt);
  const view = createView(screen, createNames(), { speaker: client.speaker, isMine });
  session.on('*', (frame) => view.show(frame));

  function interrupt(): void {
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
  function close(): void {
    screen.hide();
    state = 'closed';
  }
  lines.on('SIGINT', interrupt); // a terminal in raw mode sends no signal
  lines.on('line', (line) => {
    if (line.trim() !== '') talk.say(line);
    else if (prompt.isWanted) prompt.show();
  });
  lines.on('close', () => {
    close();
    void talk.ended().then(() => leave(0));
  });
  session.joined.then(
    () => isTerminal && screen.line(`Joined ${session.id} as ${client.speaker}. Ctrl-C cancels, Ctrl-D leaves.`),
    () => leave(1), // a line has said why
  );

  const end = await Promise.race([done, client.closed]);
  close();
  lines.close();
  if (typeof end === 'number') return end;
  screen.line(end.message);
  return 1;
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    const isUnreachable = error instanceof ConnectionClosed && error.reason === null;
    const hint = isUnreachable ? ' Is a gateway running? Start one with: npm start' : '';
    console.error(`${error instanceof Error ? error.message : error}${hint}`);
    process.exit(1);
  });
}
