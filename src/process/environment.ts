// Filters the host's environment for a child process: what a command needs to work, and none of the host's secrets.

/** Where commands are found, who and where the user is, language and time zone. API keys, tokens and addresses are left out. */
const passedNames = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'] as const;

/**
 * Returns the environment of a child process.
 * @param names Further variables that the configuration lets through.
 */
export function passedEnvironment(
  names: readonly string[] = [],
  from: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const entries = [...passedNames, ...names].flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(entries), TERM: 'dumb' };
}
