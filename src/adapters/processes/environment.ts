// Filters the host's environment for a child process: what a command needs to work, and none of the host's secrets.
import type { CommandUser } from './command-user.ts';

/** Where commands are found, who and where the user is, language and time zone. API keys, tokens and addresses are left out. */
const passedNames = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'] as const;

/** Where certificates are: without them a program behind a company's proxy cannot connect. */
const certificateNames = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
] as const;

/** By which proxy the network is reached; many programs read one case only. */
const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'] as const;
const bothCases = proxyNames.flatMap((name) => [name, name.toLowerCase()]);

/** A name and a password before the host: `http://ann:secret@proxy:8080`. */
const hasCredentials = (value: string): boolean => value.includes('@');

/**
 * Returns the environment of a child process. A proxy whose address has a password is left out: `names` can let it through.
 * @param names Further variables that the configuration lets through.
 * @param user Another user that the process runs as.
 */
export function passedEnvironment(
  names: readonly string[] = [],
  user?: CommandUser | undefined,
  from: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const proxies = bothCases.filter((name) => !hasCredentials(from[name] ?? ''));
  const entries = [...passedNames, ...certificateNames, ...proxies, ...names].flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = user ? { HOME: user.home, USER: user.name, LOGNAME: user.name } : {};
  return { ...Object.fromEntries(entries), ...own, TERM: 'dumb' };
}
