// Mutants that no test can distinguish from the code, each with the reason.

export interface EqualMutant {
  readonly file: string;
  readonly operator: string;
  /** The beginning of the text that the mutant replaces. */
  readonly from: string;
  readonly why: string;
}

export const equalMutants: readonly EqualMutant[] = [];
