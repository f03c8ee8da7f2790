// Checks that a tool's declaration is true, by running it: for its author, under any test runner or none.
//
//   const report = await toolContract(tool, () => ({ good: { path: 'a.txt' }, endless: { path: 'pipe' }, roots: [newFolder()] }));
//
// It cannot see what the tool does to the world beyond its folders and processes, nor whether `endless` arguments reach every place in
// which the tool waits.

import { KeepAlive } from '../adapters/processes/terminate.ts';
import { namesOf } from '../core/collections/fields.ts';
import type { Tool } from '../core/contracts/tool.ts';
import { errorText } from '../core/text/error-text.ts';
import { contractChecks } from './contract-checks.ts';
import { type CheckName, CheckSkipped, ContractBroken, type ContractReport } from './contract-report.ts';
import type { ContractCase } from './contract-run.ts';

/**
 * Runs all checks.
 * @param make Makes the case of each check anew, so that each has fresh folders.
 * @returns Rejects with `ContractBroken` if a part of the declaration is not true.
 */
export async function toolContract(
  tool: Tool,
  make: ContractCase | (() => ContractCase | Promise<ContractCase>),
): Promise<ContractReport> {
  const kept: CheckName[] = [];
  const broken: { check: CheckName; why: string }[] = [];
  const skipped: { check: CheckName; why: string }[] = [];
  using keepAlive = new KeepAlive();
  keepAlive.hold();
  for (const check of namesOf(contractChecks)) {
    // `keys` returns strings
    const theCase = typeof make === 'function' ? await make() : make;
    try {
      await contractChecks[check](tool, theCase);
      kept.push(check);
    } catch (error) {
      (error instanceof CheckSkipped ? skipped : broken).push({ check, why: errorText(error) });
    }
  }
  const report = { tool: tool.name, kept, broken, skipped };
  if (broken.length > 0) throw new ContractBroken(report);
  return report;
}
