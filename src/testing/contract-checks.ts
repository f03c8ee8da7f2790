// Checks of a tool's contract, each by its name. A check throws what is wrong.
import { systemSources } from '../sources/system.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { type CheckName, CheckSkipped } from './contract-report.ts';
import {
  assertHolds,
  brokenRules,
  type CallEnd,
  type ContractCase,
  type FinishedCall,
  parseArguments,
  type RunOptions,
  runCase,
  valueText,
} from './contract-run.ts';
import { clientCause, type RecordedCall } from './recording-context.ts';
import { livingChildren, processesOf } from './side-effects.ts';

/** Milliseconds after which the call is running, if it runs at all. */
const startupMs = 100;

const isStopped = ({ kind }: CallEnd) => kind === 'stopped' || kind === 'rejected';

interface StopOptions extends Pick<RunOptions, 'endMs' | 'since'> {
  stop(recorded: RecordedCall): void | Promise<void>;
  readonly findFaults?: (finished: FinishedCall) => string[];
}

/** Stops the endless call while it runs, and checks that the stop has ended it. */
async function stopEndless(
  tool: Tool,
  theCase: ContractCase,
  { stop, findFaults = () => [], ...limit }: StopOptions,
): Promise<void> {
  if (!theCase.endless) throw new CheckSkipped('the case has no `endless` arguments');
  await runCase(tool, theCase, {
    ...limit,
    args: theCase.endless,
    act: async (recorded) => {
      await new Promise<void>((resolve) => void systemSources.clock.after(startupMs, resolve));
      await stop(recorded);
    },
    findFaults: (finished) => {
      const { end, acted } = finished;
      return acted
        ? [...brokenRules([isStopped(end), `it was stopped, and ends as ${end.kind}`]), ...findFaults(finished)]
        : [`the endless call ended before it was stopped, as ${end.kind}: ${end.output}`];
    },
  });
}

function keysOf(tool: Tool, { good, roots = [] }: ContractCase) {
  const context = { session: 'session_1', speaker: 'ada', roots };
  const input = parseArguments(tool, good);
  return {
    access: tool.access === 'parallel' ? 'parallel' : tool.access(input, context),
    supersedes: tool.supersedes?.(input, context),
    approval: tool.approval?.(input, context),
  };
}

export const contractChecks: Readonly<Record<CheckName, (tool: Tool, theCase: ContractCase) => Promise<void>>> = {
  async declaration(tool) {
    const [declared] = createRegistry([tool]).declarations();
    assertHolds(declared?.parameters['type'] === 'object', 'its `input` is not the schema of an object');
  },

  async arguments(tool, { good, bad = [] }) {
    parseArguments(tool, good);
    for (const { input, names } of [...bad, { input: null, names: 'object' }, { input: 'text', names: 'object' }]) {
      const result = tool.parse(input);
      assertHolds(!result.ok, `it accepts ${valueText(input)}`);
      assertHolds(result.message.includes(names), `"${result.message}" does not name ${names}`);
    }
  },

  async key(tool, theCase) {
    const keys = keysOf(tool, theCase);
    const { access, supersedes, approval } = keys;
    assertHolds(typeof access === 'string' || typeof access.name === 'string', '`access` returns no key');
    assertHolds(!tool.supersedes || typeof supersedes === 'string', '`supersedes` returns no text');
    assertHolds(
      !tool.approval || approval === null || typeof approval?.text === 'string',
      '`approval` returns neither a question nor null',
    );
    assertHolds(valueText(keysOf(tool, theCase)) === valueText(keys), 'the same arguments get another key each time');
  },

  completes: (tool, theCase) =>
    runCase(tool, theCase, {
      args: theCase.good,
      act: null,
      findFaults: ({ end }) =>
        brokenRules([end.kind === 'completed', `the good call ends as ${end.kind}: ${end.output}`]),
    }),

  fired(tool, theCase) {
    const context = { ...theCase.context, signal: AbortSignal.abort(clientCause) };
    return runCase(
      tool,
      { ...theCase, context },
      {
        args: theCase.good,
        act: async () => {},
        findFaults: ({ end, recorded }) =>
          brokenRules(
            [isStopped(end), `it runs though its signal had fired, and ends as ${end.kind}`],
            [recorded.processes.length === 0, 'it starts a process though its signal had fired'],
          ),
        mayChange: false,
      },
    );
  },

  early: (tool, theCase) =>
    runCase(tool, theCase, {
      args: theCase.good,
      act: async (recorded) => recorded.stopCall(),
      findFaults: () => [],
    }),

  endless: (tool, theCase) => stopEndless(tool, theCase, { stop: (recorded) => recorded.stopCall() }),

  async forced(tool, theCase) {
    if (tool.cancel !== 'killable') throw new CheckSkipped('it is not killable');
    const before = new Set(livingChildren());
    let owned: readonly number[] = [];
    await stopEndless(tool, theCase, {
      async stop(recorded) {
        const children = livingChildren().filter((pid) => !before.has(pid));
        const groups = recorded.processes.map(({ group }) => group);
        owned = [...groups, ...children, ...(await processesOf(recorded.context.call))];
        recorded.stopCall();
        recorded.kill.abort(clientCause);
        recorded.skipGrace.abort(clientCause);
      },
      endMs: theCase.killMs ?? 250,
      since: 'it was to be killed',
      findFaults: ({ recorded }) =>
        brokenRules([
          recorded.usesKill || owned.length > 0,
          'it is declared killable, but neither listens to `kill` nor owns a process',
        ]),
    });
  },

  async shield(tool, theCase) {
    if (tool.cancel !== 'shielded') throw new CheckSkipped('it is not shielded');
    await runCase(tool, theCase, {
      args: theCase.good,
      act: async (recorded) => {
        await recorded.firstRegion;
        recorded.stopCall();
      },
      findFaults: ({ acted }) => brokenRules([acted, 'it is declared shielded, and the good call starts no region']),
    });
  },
};
