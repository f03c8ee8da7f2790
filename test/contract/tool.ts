// Tests of a tool's contract, one for each check of src/testing: `toolContract(title, () => theCase)`.
import { describe, test } from 'vitest';
import type { Tool } from '../../src/core/contracts/tool.ts';
import { contractChecks } from '../../src/testing/contract-checks.ts';
import type { CheckName } from '../../src/testing/contract-report.ts';
import type { ContractCase } from '../../src/testing/contract-run.ts';
import { scaled } from '../support/time-scale.ts';

export interface ToolCase extends ContractCase {
  readonly tool: Tool;
}

/** Milliseconds after the signal: more than a runtime allows, for a machine that is busy with other tests. */
const stopMs = scaled(5_000);
/** Milliseconds of a call that nothing stops: a browser has to start in them. */
const completeMs = scaled(25_000);

export const contractTitles: Readonly<Record<CheckName, string>> = {
  declaration: 'its declaration is complete [tool.contract]',
  arguments: 'it accepts good arguments, and refuses wrong ones by the name of the field [tool.contract]',
  key: 'the same arguments get the same keys and the same question each time [tool.contract]',
  completes: 'a call completes, and leaves nothing behind [tool.signal] [cancel.clean]',
  fired: 'it does nothing after a signal that has fired before its start [tool.signal] [cancel.fence]',
  early: 'a signal right after its start ends it, as stopped or completed [tool.signal]',
  endless: 'an endless call ends with its signal, and is cleaned up [tool.signal] [cancel.bounded]',
  forced: 'so does one that is killed at once, and it owns something to kill [cancel.bounded]',
  shield: 'a shielded region is no longer than declared, and the signal fires at its end [cancel.shield]',
};

/** Does a check have something to try in this case? */
const isTried = (check: CheckName, { tool, endless }: ToolCase): boolean => {
  if (check === 'shield') return tool.cancel === 'shielded';
  if (check === 'forced') return tool.cancel === 'killable' && endless !== undefined;
  return check !== 'endless' || endless !== undefined;
};

/** Defines the tests. `make` makes the case of each test anew. */
export function testToolContract(title: string, make: () => ToolCase | Promise<ToolCase>): void {
  describe(`${title} keeps the contract of a tool`, () => {
    for (const check of Object.keys(contractChecks) as CheckName[]) {
      test(contractTitles[check], async () => {
        const theCase = await make();
        if (isTried(check, theCase))
          await contractChecks[check](theCase.tool, { stopMs, killMs: stopMs, completeMs, ...theCase });
      });
    }
  });
}
