// `belay drain HOST`: has a host of a cluster give its sessions to the others, and shut down.
import { printLine } from '../core/text/print-line.ts';
import { ConfigError } from './config-error.ts';
import { gatewayFlags, gatewayUsage, readToken, readUrl } from './gateway-flags.ts';
import { GatewayRequests } from './gateway-requests.ts';
import { readCommandArguments } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay drain HOST      a host of a cluster gives its sessions to the others and shuts down, as at SIGTERM

HOST is its name, as belay hosts prints it, or its id. Any host of the cluster may be asked. What runs at the host may end, for bus.drainMs; what still runs then is stopped.

${gatewayUsage}
  --help

With tokens it needs one of a speaker with the role moderator or emergency.
`;

const flags = { ...gatewayFlags, help: { type: 'boolean' } } as const;

/** Drains a host, and prints that it does. Rejects if the gateway cannot be reached, or the host does not drain. */
export async function drainCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags, least: 1, most: 1 });
  if (!read) return;
  const gateway = new GatewayRequests({ url: readUrl(read.values), token: readToken(read.values) });
  const { status, body, message } = await gateway.send('POST', '/api/hosts/drain', {
    body: { host: read.positionals[0] },
  });
  if (status !== 202) throw new ConfigError(`The host does not drain: ${message}`);
  const { name, isNew } = body;
  printLine(
    isNew === true
      ? `${name} drains: its sessions move to the other hosts, and it shuts down. belay hosts shows what it holds.`
      : `${name} is draining already.`,
  );
}

if (import.meta.main) await runAsProgram(drainCommand);
