// Lists what `npm run verify` runs: scripts of package.json, in their order.

export interface VerifyStep {
  readonly script: string;
  readonly args: readonly string[];
}

const step = (script: string, ...args: readonly string[]): VerifyStep => ({ script, args });

export const commitSteps: readonly VerifyStep[] = [step('lint'), step('types'), step('test'), step('examples')];

/** The long programs that the documents name, each whole. CONTRIBUTING.md has the minutes of each. */
export const longSteps: readonly VerifyStep[] = [
  step('test:core'),
  step('test:package'),
  step('test:bad-input'),
  step('test:standing'),
  step('test:hostile'),
  step('test:agents'),
  step('conformance', '--self'),
  step('prove'),
  step('prove', '--plants'),
  step('prove', '--mutate', '--sample', '40'),
  step('prove', '--soak', 'both'),
  step('bench'),
];
