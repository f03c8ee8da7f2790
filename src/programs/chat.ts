// `belay chat` (`npm run chat`): a terminal at a session. Lines are said; Ctrl-C cancels what was said here, twice forces, and leaves when nothing of it runs.

import { type Client, connect } from '../client/client.ts';
import { platformSources } from '../client/client-sources.ts';
import { ConnectionClosed } from '../client/errors.ts';
import { type EscapeTarget, escapeTargets } from '../client/view/escape-target.ts';
import { systemSources } from '../core/sources/system.ts';
import { addressWithoutKey } from '../wire/gateway-key.ts';
import { type InviteLink, inviteHref, parseInviteHref } from '../wire/invite-href.ts';
import type { NextSession } from './chat-commands.ts';
import { ChatRequests } from './chat-requests.ts';
import { type ChatEnd, ChatTerminal } from './chat-terminal.ts';
import { onOutputClosed } from './closed-output.ts';
import { commandLine } from './command-names.ts';
import { defaultUrl, gatewayUrl } from './default-address.ts';
import { readFlags } from './flags.ts';
import { type GatewayAddress, type GatewayReply, GatewayRequests, GatewayUnreachable } from './gateway-requests.ts';
import { ModelChoice } from './model-choice.ts';
import { PlainConsole } from './plain-console.ts';
import { runAsProgram } from './run-as-program.ts';
import { endingSignals, interruptedCode, leaveMs, onSignal } from './signals.ts';
import { slashHelp } from './slash-help.ts';
import { onUncaughtException } from './uncaught-exceptions.ts';
import { frameValidator } from './validate-frames.ts';

const usage = `belay chat [URL]       a terminal at a session of a gateway (${defaultUrl});
                       an invite link lets you into its session

  --session NAME     which session to join (main); one that exists is continued
  --resume           show its last turns first
  --escape WHAT      what Escape and Ctrl-C stop: turn (the default), or tools: the turn goes on with their results; or BELAY_ESCAPE
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN
  --help

Lines are said. Ctrl-C cancels what was said here, twice forces; while nothing of it runs it asks, and leaves when it comes again.
Escape cancels, too. Ctrl-D leaves when everything has ended. Alt-Enter starts a new line of a message.

${slashHelp.join('\n')}
`;

const flags = {
  session: { type: 'string' },
  resume: { type: 'boolean', default: false },
  token: { type: 'string' },
  escape: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Runs a chat until its end, and exits the process. Rejects if there is no connection, or a flag is wrong. */
export async function chatCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = readFlags(args, flags, { allowPositionals: true });
  if (values['help']) return void process.stdout.write(usage);
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const hasLiveRegion = isTerminal && process.env['TERM'] !== 'dumb';
  const escapeStops = escapeOf(values['escape'] ?? (process.env['BELAY_ESCAPE'] || 'turn'));
  const ownRefs = new Set<string | null>();
  const token = values['token'] ?? process.env['BELAY_TOKEN'];
  const [typed = defaultUrl] = positionals;
  const first = firstSession(values['session'], parseInviteHref(typed));
  const address = {
    url: gatewayUrl(typed),
    token: typeof token === 'string' && token !== '' ? token : undefined,
  };
  const client = await connectToGateway({ ...address, isTerminal, onRef: (ref) => ownRefs.add(ref) });
  const requests = new ChatRequests(address);
  const model = new ModelChoice();
  const { clock } = systemSources;
  const chatConsole = hasLiveRegion
    ? new (await import('./live-console.ts')).LiveConsole({ input: stdin, output: stdout, clock })
    : new PlainConsole(stdin, stdout);
  let chat: ChatTerminal | null = null;
  onSignal(clock, endingSignals, (name) => (name === 'SIGINT' ? chat?.interrupt() : chat?.stopAndLeave(name)));
  onOutputClosed(clock, () => chat?.stopAndLeave('its output was closed'));
  onUncaughtException(clock, { limitMs: 2 * leaveMs }, () => chat?.stopAndLeave('its program has failed'));
  let end: ChatEnd = { ...first, resume: values['resume'] === true };
  while (typeof end === 'object') {
    chat = new ChatTerminal({
      client,
      isTerminal,
      chatConsole,
      clock,
      requests,
      inviteHref: (session, secret) => inviteHref(pageOfGateway(address.url), session, secret),
      model,
      sessionName: end.session,
      resume: end.resume,
      invite: end.invite,
      escape: escapeStops,
      folder: process.env['INIT_CWD'] ?? process.cwd(), // npm starts its scripts in the folder of the package
      isMine: (ref) => ownRefs.has(ref),
    });
    end = await chat.run();
  }
  if (end !== interruptedCode) await client.close(); // an interrupt does not wait for the gateway
  process.exit(end || process.exitCode); // it is 1 after an exception that nobody has caught
}

/** Returns the session that the chat joins first, with the secret of an invite link. `link`: null if the address is none. Throws if `--session` names another one than the link. */
function firstSession(named: unknown, link: InviteLink | null): Pick<NextSession, 'session' | 'invite'> {
  if (!link) return { session: String(named ?? 'main') };
  const { session, secret: invite } = link;
  if (named === undefined || named === session) return { session, invite };
  throw new Error(`The link lets you into the session ${session}, and --session is ${named}. Leave out --session.`);
}

/** Reads what Escape and Ctrl-C stop. Throws for anything else. */
function escapeOf(value: unknown): EscapeTarget {
  const found = escapeTargets.find((target) => target === value);
  if (found) return found;
  throw new Error(`--escape (or BELAY_ESCAPE) is ${JSON.stringify(value)}, and must be ${escapeTargets.join(' or ')}.`);
}

interface ConnectionInput {
  readonly url: string;
  readonly token: string | undefined;
  readonly isTerminal: boolean;
  readonly onRef: (ref: string) => void;
}

/** Returns the address of the page of a gateway, which is beside its socket. */
function pageOfGateway(url: string): string {
  const page = new URL('/', url);
  page.protocol = page.protocol.replace('ws', 'http');
  return page.href;
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
      token,
      reconnect: isTerminal,
      createRef,
      validateFrame: await frameValidator(),
    });
  } catch (error) {
    if (!(error instanceof ConnectionClosed)) throw error;
    throw new Error(await connectionProblem({ url, token }, error), { cause: error });
  }
}

/** How long the gateway may take to say why, in milliseconds. */
const waitMs = 3_000;

/**
 * Resolves with a sentence on why a chat could not connect. A WebSocket does not say why its upgrade was refused, so the gateway is asked by HTTP.
 * `error`: of the connection.
 */
async function connectionProblem({ url, token }: GatewayAddress, error: ConnectionClosed): Promise<string> {
  const at = addressWithoutKey(url);
  if (!URL.canParse(url)) return `${url} is no address. Give one like ws://127.0.0.1:7077.`;
  if (error.reason === 'unauthorized') return refusedToken(at, token);
  if (error.reason !== null) return error.message;
  try {
    const requests = new GatewayRequests({ url, token, waitMs });
    return sentenceOf(await requests.send('GET', '/api/sessions', { query: { limit: '1' } }), at, error);
  } catch (problem) {
    if (problem instanceof GatewayUnreachable)
      return `Nothing listens at ${at}. Is a gateway running? Start one with: ${commandLine('serve')}.`;
    return refusedToken(at, token);
  }
}

function sentenceOf({ status, code, message, body }: GatewayReply, at: string, error: ConnectionClosed): string {
  if (code === 'not_local')
    return `The gateway at ${at} serves its own machine only, as it has no tokens: ask whoever runs it for one.`;
  if (code !== null && status !== 404) return `The gateway at ${at} does not let you in: ${message}`;
  if (status === 200 && body['sessions'] !== undefined)
    return `There is a gateway at ${new URL(at).host}, and not at the path ${new URL(at).pathname}: give the address that it has printed.`;
  return `What listens at ${new URL(at).host} is no gateway of Belay (status ${status}). ${error.message}`;
}

/** The gateway has replied 401, or closed the connection for the token. */
const refusedToken = (at: string, token: string | undefined): string =>
  token === undefined
    ? `The gateway at ${at} wants to know who you are: give your token with --token or BELAY_TOKEN, or, if it runs without tokens as another user, the whole address that it has printed.`
    : `The gateway at ${at} does not accept the token: it is wrong or has expired.`;

if (import.meta.main) await runAsProgram(chatCommand);
