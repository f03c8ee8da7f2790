// `belay chat` (`npm run chat`): a terminal at a session. Lines are said; Ctrl-C cancels what was said here, twice forces, and leaves when nothing of it runs.
import { type Client, connect } from '../client/client.ts';
import { platformSources } from '../client/client-sources.ts';
import { ConnectionClosed } from '../client/errors.ts';
import { systemSources } from '../sources/system.ts';
import { ChatTerminal } from './chat-terminal.ts';
import { commandLine } from './command-names.ts';
import { defaultUrl } from './default-address.ts';
import { readFlags } from './flags.ts';
import { PlainConsole } from './plain-console.ts';
import { runAsProgram } from './run-as-program.ts';
import { interruptedCode } from './signals.ts';
import { slashUsage } from './slash-commands.ts';
import { frameValidator } from './validate-frames.ts';

const usage = `belay chat [URL]       a terminal at a session of a gateway (${defaultUrl})

  --session NAME     which session to join (main); one that exists is continued
  --resume           show its history first
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN
  --help

Lines are said. Ctrl-C cancels what was said here, twice forces, and leaves when nothing of it runs: while other work runs it asks first.
Ctrl-D leaves when everything has ended.

${slashUsage}
`;

const flags = {
  session: { type: 'string', default: 'main' },
  resume: { type: 'boolean', default: false },
  token: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Runs a chat until its end, and exits the process. Rejects if there is no connection, or a flag is wrong. */
export async function chatCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = readFlags(args, flags, { allowPositionals: true });
  if (values['help']) return void process.stdout.write(usage);
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const hasLiveRegion = isTerminal && process.env['TERM'] !== 'dumb';
  const ownRefs = new Set<string | null>();
  const token = values['token'] ?? process.env['BELAY_TOKEN'];
  const client = await connectToGateway({
    url: positionals[0] ?? defaultUrl,
    token: typeof token === 'string' ? token : undefined,
    isTerminal,
    onRef: (ref) => ownRefs.add(ref),
  });
  const terminal = new ChatTerminal({
    client,
    sessionName: String(values['session']),
    resume: values['resume'] === true,
    isTerminal,
    chatConsole: hasLiveRegion
      ? new (await import('./live-console.ts')).LiveConsole({
          input: stdin,
          output: stdout,
          clock: systemSources.clock,
        })
      : new PlainConsole(stdin, stdout),
    clock: systemSources.clock,
    isMine: (ref) => ownRefs.has(ref),
  });
  const code = await terminal.run();
  if (code !== interruptedCode) await client.close(); // an interrupt does not wait for the gateway
  process.exit(code);
}

interface ConnectionInput {
  readonly url: string;
  readonly token: string | undefined;
  readonly isTerminal: boolean;
  readonly onRef: (ref: string) => void;
}

async function connectToGateway({ url, token, isTerminal, onRef }: ConnectionInput): Promise<Client> {
  const createRef = () => {
    const ref = platformSources.createRef();
    onRef(ref);
    return ref;
  };
  try {
    // a person can wait for a gateway that comes back; a script ends with its connection
    return await connect({
      url,
      token: token || undefined,
      reconnect: isTerminal,
      createRef,
      validateFrame: await frameValidator(),
    });
  } catch (error) {
    if (!(error instanceof ConnectionClosed) || error.reason !== null) throw error;
    const hint = `Is a gateway running? Start one with: ${commandLine('serve')}. For one of another user, give the whole address that it has printed.`;
    throw new Error(`${error.message} ${hint}`, { cause: error });
  }
}

if (import.meta.main) await runAsProgram(chatCommand);
