// `belay hosts`: the hosts that share the store of a gateway, with what each holds and the age of its lease.
import type { DescribedHost } from '../core/session/directory-api.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { countText } from '../core/words/count-text.ts';
import { durationText } from '../core/words/durations.ts';
import { ConfigError } from './config-error.ts';
import { gatewayFlags, gatewayUsage, readToken, readUrl } from './gateway-flags.ts';
import { GatewayRequests } from './gateway-requests.ts';
import { readCommandArguments } from './read-store.ts';
import { runAsProgram } from './run-as-program.ts';

const usage = `belay hosts           the hosts that share the store of a gateway: what each holds, and when it has renewed its lease

${gatewayUsage}
  --json             for a program: JSON on standard output
  --help

With tokens it needs one of a speaker with the role moderator or emergency.
`;

const flags = { ...gatewayFlags, json: { type: 'boolean', default: false }, help: { type: 'boolean' } } as const;

/** Prints the hosts. Rejects if the gateway cannot be reached, or does not list them. */
export async function hostsCommand(args: readonly string[]): Promise<void> {
  const read = readCommandArguments(args, { usage, flags });
  if (!read) return;
  const gateway = new GatewayRequests({ url: readUrl(read.values), token: readToken(read.values) });
  const { body, message } = await gateway.send('GET', '/api/hosts');
  const { hosts: listed } = body;
  if (!Array.isArray(listed)) throw new ConfigError(`The gateway does not list its hosts: ${message}`);
  if (read.values['json'] === true) return printJson({ hosts: listed });
  for (const line of hostLines(listed as readonly DescribedHost[])) printLine(line); // as its route declares them
}

/** Returns the lines about the hosts. */
export function hostLines(hosts: readonly DescribedHost[]): readonly string[] {
  const living = hosts.filter(({ state }) => state !== 'gone').length;
  return [`${countText(hosts.length, 'host')}, ${living} with a lease that runs.`, ...hosts.map(lineOf)];
}

function lineOf({ name, pid, state, isAsked, sessions, activeTurns, lease }: DescribedHost): string {
  const process = pid === null ? '' : ` (pid ${pid})`;
  const states: Readonly<Record<DescribedHost['state'], string>> = {
    living: '',
    draining: ' DRAINING;',
    unreachable: ' DOES NOT REPLY;',
    gone: ' GONE;',
  };
  const held = [
    sessions === null ? null : `holds ${countText(sessions, 'session')}`,
    activeTurns === null ? null : `runs ${countText(activeTurns, 'turn')}`,
  ].filter((text) => text !== null);
  const renewed = lease && `its lease of ${durationText(lease.ms)} was renewed ${durationText(lease.ageMs)} ago`;
  const texts = [
    held.length > 0 ? held.join(', ') : 'what it holds is not known',
    ...(renewed === null ? [] : [renewed]),
  ];
  return `${name}${process}${isAsked ? ', the one asked' : ''}:${states[state]} ${texts.join('; ')}`;
}

if (import.meta.main) await runAsProgram(hostsCommand);
