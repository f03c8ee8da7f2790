// Names of the commands as a person types them: through npm in a checkout, as `belay` if the package is installed.

/** The sources run in a checkout, the built files in a package. */
export const isCheckout = import.meta.url.endsWith('.ts');

const inCheckout = {
  serve: 'npm start',
  chat: 'npm run chat',
  run: 'npm run belay -- run',
} as const;

/** The command with its arguments, as it is typed. */
export function commandLine(command: keyof typeof inCheckout, ...args: readonly string[]): string {
  if (!isCheckout) return ['belay', command, ...args].join(' ');
  const typed = inCheckout[command];
  return [typed, ...(args.length > 0 && !typed.includes(' -- ') ? ['--'] : []), ...args].join(' ');
}
