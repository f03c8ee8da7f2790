// Tests of a tool's contract, one for each check of src/testing: `toolContract(title, () => theCase)`.
import { describe, test } from 'vitest';
import { type CheckName, type ContractCase, contractChecks } from '../../src/testing/tool-contract.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface ToolCase extends ContractCase {
  readonly tool: Tool;
}

/** Milliseconds after the signal: more than a runtime gives, for a machine that is busy with other tests. */
const stopMs = 5_000;

export const contractTitles: Readonly<Record<CheckName, string>> = {
  declaration: 'its declaration is whole [tool.contract]',
  arguments: 'it takes good arguments, and refuses wrong ones by the name of what is wrong [tool.contract]',
  key: 'the same arguments get the same keys and the same question each time [tool.contract]',
  completes: 'a call completes, and leaves nothing behind [tool.signal] [cancel.clean]',
  fired: 'a signal that has fired before it starts lets it do nothing [tool.signal] [cancel.fence]',
  early: 'a signal right behind its start ends it, one way or the other [tool.signal]',
  endless: 'a call that would go on for ever ends with its signal, and is cleaned up [tool.signal] [cancel.bounded]',
  forced: 'so does one that is to be killed now, and there is something to kill [cancel.bounded]',
  shield: 'a shielded region is no longer than declared, and the signal fires at its end [cancel.shield]',
};

/** The checks that have something to try for every tool; of the others those that this case is made for. */
const isTried = (check: CheckName, { tool, endless }: ToolCase): boolean => {
  if (check === 'shield') return tool.cancel === 'shielded';
  if (check === 'forced') return tool.cancel === 'killable' && endless !== undefined;
  return check !== 'endless' || endless !== undefined;
};

/** `make` is called for each test anew. */
export function toolContract(title: string, make: () => ToolCase | Promise<ToolCase>): void {
  describe(`${title} keeps the contract of a tool`, () => {
    for (const check of Object.keys(contractChecks) as CheckName[]) {
      test(contractTitles[check], async () => {
        const theCase = await make();
        if (isTried(check, theCase)) await contractChecks[check](theCase.tool, { stopMs, killMs: stopMs, ...theCase });
      });
    }
  });
}
