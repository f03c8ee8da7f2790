// The verdict on one requirement of docs/protocol.md, and the errors by which a check gives it.

export interface Requirement {
  /** Names it for good: reports and options have it. */
  readonly id: string;
  /** The sentence of the page, after "MUST". */
  readonly must: string;
}

export type CheckVerdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed' | 'not applicable'; readonly because: string };

/** The peer does not keep the requirement. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** The requirement cannot be checked with this peer. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** Throws a Violation unless the condition holds. `message` says what was found. */
export function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Violation(message);
}

/** Returns the verdict of a check that threw. */
export const verdictOf = (error: unknown): CheckVerdict => ({
  kind: error instanceof NotApplicable ? 'not applicable' : 'failed',
  because: error instanceof Error ? error.message : String(error),
});

/** Returns the line of a requirement in the report. */
export function reportLine({ id, must }: Requirement, verdict: CheckVerdict): string {
  const line = `${verdict.kind.padEnd(14)} ${id.padEnd(20)} ${must}`;
  return verdict.kind === 'ok' ? line : `${line}\n${' '.repeat(15)}${verdict.because}`;
}
