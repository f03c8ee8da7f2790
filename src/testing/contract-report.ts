// Report on the checks of a tool's contract.

export type CheckName =
  | 'declaration'
  | 'arguments'
  | 'key'
  | 'completes'
  | 'fired'
  | 'early'
  | 'endless'
  | 'forced'
  | 'shield';

export interface ContractReport {
  readonly tool: string;
  readonly kept: readonly CheckName[];
  readonly broken: readonly { readonly check: CheckName; readonly why: string }[];
  /** Checks for which the tool, or the case, has nothing to try. */
  readonly skipped: readonly { readonly check: CheckName; readonly why: string }[];
}

/** A part of the tool's declaration is not true; the message has each on a line of its own. */
export class ContractBroken extends Error {
  override readonly name = 'ContractBroken';
  readonly report: ContractReport;

  constructor(report: ContractReport) {
    const lines = report.broken.map(({ check, why }) => `- ${check}: ${why}`);
    super([`The tool \`${report.tool}\` does not keep its contract.`, ...lines].join('\n'));
    this.report = report;
  }
}

/** A check has nothing to try. */
export class CheckSkipped extends Error {}
