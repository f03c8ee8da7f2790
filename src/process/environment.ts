// What a call's process sees of the host's environment: what a command needs to work, and none of the host's secrets.

/** Where commands are found, who and where the user is, language and time zone. API keys, tokens and addresses stay behind. */
const passed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'] as const;

/** `names`: further variables that the configuration lets through. */
export function passedEnvironment(
  names: readonly string[] = [],
  from: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const entries = [...passed, ...names].flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(entries), TERM: 'dumb' };
}
