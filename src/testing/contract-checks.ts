// The checks of a tool's contract, by name. A check throws an error that says which part of the declaration is not true.
import { fieldsOf } from '../core/collections/fields.ts';
import { cancelErrorOf } from '../core/contracts/cancel-error.ts';
import type { Tool } from '../core/contracts/tool.ts';
import { systemSources } from '../core/sources/system.ts';
import { createRegistry } from '../core/tools/registry.ts';
import { type CheckName, CheckSkipped } from './contract-report.ts';
import {
  assertHolds,
  brokenRules,
  type ContractCallEnd,
  type ContractCase,
  type ContractRunOptions,
  type FinishedCall,
  parseArguments,
  runCase,
  valueText,
} from './contract-run.ts';
import { clientCause, type RecordedCall } from './recording-context.ts';
import { livingChildren, processesOf } from './side-effects.ts';

/** Milliseconds between the start of an endless call and its stop. */
const startupMs = 100;

const isStopped = ({ kind }: ContractCallEnd) => kind === 'stopped' || kind === 'rejected';

interface StopOptions extends Pick<ContractRunOptions, 'endMs' | 'since'> {
  stop(recorded: RecordedCall): void | Promise<void>;
  readonly findFaults?: (finished: FinishedCall) => string[];
}

/** Stops the endless call while it runs, and checks that it ends as stopped. */
async function stopEndless(
  tool: Tool,
  contractCase: ContractCase,
  { stop, findFaults = () => [], ...timing }: StopOptions,
): Promise<void> {
  if (!contractCase.endless) throw new CheckSkipped('the case has no `endless` arguments');
  await runCase(tool, contractCase, {
    ...timing,
    args: contractCase.endless,
    act: async (recorded) => {
      await new Promise<void>((resolve) => void systemSources.clock.after(startupMs, resolve));
      await stop(recorded);
    },
    findFaults: (finished) => {
      const { end, acted } = finished;
      return acted
        ? [...brokenRules([isStopped(end), `it was stopped, but ends as ${end.kind}`]), ...findFaults(finished)]
        : [`the endless call ended before it was stopped, as ${end.kind}: ${end.output}`];
    },
  });
}

/** Evaluates the functions of a declaration for the good call. */
function declaredKeys(tool: Tool, { good, roots = [] }: ContractCase) {
  const context = { session: 'session_1', speaker: 'ada', roots };
  const input = parseArguments(tool, good);
  return {
    access: tool.access === 'parallel' ? 'parallel' : tool.access(input, context),
    supersedes: tool.supersedes?.(input, context),
    approval: tool.approval?.(input, context),
  };
}

const isKey = (key: unknown) =>
  [fieldsOf(key)['folder'], fieldsOf(key)['name']].some((part) => typeof part === 'string');

/** Each check runs one call, or none. It throws `CheckSkipped` if it does not apply to the tool or the case. */
export const contractChecks: Readonly<Record<CheckName, (tool: Tool, contractCase: ContractCase) => Promise<void>>> = {
  /** The registry accepts the declaration. */
  async declaration(tool) {
    const [declared] = createRegistry([tool]).declarations();
    assertHolds(
      declared?.parameters['type'] === 'object',
      `its \`input\` must be a schema of the type object, not ${valueText(declared?.parameters['type'])}`,
    );
  },

  /** Good arguments are accepted; bad ones are rejected with a message that names the field or the limit. */
  async arguments(tool, { good, bad = [] }) {
    parseArguments(tool, good);
    for (const { input, names } of [...bad, { input: null, names: 'object' }, { input: 'text', names: 'object' }]) {
      const result = tool.parse(input);
      assertHolds(!result.ok, `it accepts the wrong arguments ${valueText(input)}`);
      assertHolds(result.message.includes(names), `the message "${result.message}" does not contain "${names}"`);
    }
  },

  /** The functions of the declaration return values of the right type, and the same ones each time. */
  async key(tool, contractCase) {
    const keys = declaredKeys(tool, contractCase);
    const { access, supersedes, approval } = keys;
    assertHolds(typeof access === 'string' || isKey(access), `\`access\` must return a key, not ${valueText(access)}`);
    assertHolds(
      !tool.supersedes || typeof supersedes === 'string',
      `\`supersedes\` must return a string, not ${valueText(supersedes)}`,
    );
    assertHolds(
      !tool.approval || approval === null || typeof approval?.text === 'string',
      `\`approval\` must return a question with a \`text\`, or null, not ${valueText(approval)}`,
    );
    assertHolds(
      valueText(declaredKeys(tool, contractCase)) === valueText(keys),
      '`access`, `supersedes` or `approval` returns another value each time for the same arguments',
    );
  },

  /** The good call ends as completed. */
  completes: (tool, contractCase) =>
    runCase(tool, contractCase, {
      args: contractCase.good,
      act: null,
      findFaults: ({ end }) =>
        brokenRules([end.kind === 'completed', `the good call ends as ${end.kind}: ${end.output}`]),
    }),

  /** A call whose signal fired before its start does nothing. */
  fired(tool, contractCase) {
    const context = { ...contractCase.context, signal: AbortSignal.abort(cancelErrorOf(clientCause)) };
    return runCase(
      tool,
      { ...contractCase, context },
      {
        args: contractCase.good,
        act: async () => {},
        findFaults: ({ end, recorded }) =>
          brokenRules(
            [isStopped(end), `it runs although its signal had fired before, and ends as ${end.kind}`],
            [recorded.processes.length === 0, 'it starts a process although its signal had fired before'],
          ),
        mayChange: false,
      },
    );
  },

  /** A call that is stopped right after its start ends within its stop budget, however it ends. */
  early: (tool, contractCase) =>
    runCase(tool, contractCase, {
      args: contractCase.good,
      act: async (recorded) => recorded.stopCall(),
      findFaults: () => [],
    }),

  /** An endless call that is stopped while it runs ends as stopped. */
  endless: (tool, contractCase) => stopEndless(tool, contractCase, { stop: (recorded) => recorded.stopCall() }),

  /** An endless call of a killable tool ends soon after `kill`. */
  async forced(tool, contractCase) {
    if (tool.cancel !== 'killable') throw new CheckSkipped('it is not declared killable');
    const before = new Set(livingChildren());
    let ownedProcesses: readonly number[] = [];
    await stopEndless(tool, contractCase, {
      async stop(recorded) {
        const children = livingChildren().filter((pid) => !before.has(pid));
        const groups = recorded.processes.map(({ group }) => group);
        ownedProcesses = [...groups, ...children, ...(await processesOf(recorded.context.call))];
        recorded.stopCall();
        recorded.kill.abort(cancelErrorOf(clientCause));
        recorded.skipGrace.abort(cancelErrorOf(clientCause));
      },
      endMs: contractCase.killMs ?? 250,
      since: 'it was to be killed',
      findFaults: ({ recorded }) =>
        brokenRules([
          recorded.usesKill || ownedProcesses.length > 0,
          'it is declared killable, but neither listens to `kill` nor owns a process',
        ]),
    });
  },

  /** A call of a shielded tool that is stopped inside its region ends within its stop budget after that region. */
  async shield(tool, contractCase) {
    if (tool.cancel !== 'shielded') throw new CheckSkipped('it is not declared shielded');
    await runCase(tool, contractCase, {
      args: contractCase.good,
      act: async (recorded) => {
        await recorded.firstRegion;
        recorded.stopCall();
      },
      findFaults: ({ acted }) => brokenRules([acted, 'it is declared shielded, but the good call starts no region']),
    });
  },
};
