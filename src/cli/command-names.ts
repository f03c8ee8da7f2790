// How the commands are called where they are said to a person: through npm in a checkout, by their own name where the package is installed.

const isCheckout = import.meta.url.endsWith('.ts');

const inCheckout = { serve: 'npm start', chat: 'npm run chat', run: 'npm run belay -- run' } as const;

/** The command with its arguments, as it is typed. */
export function called(command: keyof typeof inCheckout, ...args: readonly string[]): string {
  if (!isCheckout) return ['belay', command, ...args].join(' ');
  const typed = inCheckout[command];
  return [typed, ...(args.length > 0 && !typed.includes(' -- ') ? ['--'] : []), ...args].join(' ');
}
