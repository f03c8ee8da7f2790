// Checks that what a tool declares is true, by running it: for its author, under any test runner or none.
//
//   const report = await toolContract(tool, () => ({ good: { path: 'a.txt' }, endless: { path: 'pipe' }, roots: [newFolder()] }));
//
// It throws `ContractBroken` with what is not true. What it cannot see is what the tool does to the world beyond its folders and
// processes, and whether `endless` arguments reach every place in which the tool waits.
import { getEventListeners } from 'node:events';
import { systemSources } from '../sources/system.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Tool, ToolContext, ToolEnd } from '../tools/tool.ts';
import { byClient, type RecordedCall, recordingContext } from './recording-context.ts';
import { changedPaths, folderState, livingChildren, processesOf } from './side-effects.ts';

export interface ContractCase {
  /** Arguments of a call that ends as completed. */
  readonly good: object;
  /** Arguments that are refused, and what the refusal must name: the field, or the limit. */
  readonly bad?: readonly { readonly input: unknown; readonly names: string }[];
  /** Arguments of a call that goes on until it is stopped, where there is one. */
  readonly endless?: object;
  /** Folders that the call may touch. */
  readonly roots?: readonly string[];
  /** How soon a call has to end after its signal, in milliseconds: the stop budget of a runtime, 1 500, by default. */
  readonly stopMs?: number;
  /** How soon a killable call has to end when it is to be killed, in milliseconds: the budget of a runtime under `force`, 250, by default. */
  readonly killMs?: number;
  /** How long the good call may take, in milliseconds; 30 000 by default. */
  readonly completeMs?: number;
  /** What the tool asks of its context (`ask`, `status`, `cancelAgent`). */
  readonly context?: Partial<ToolContext>;
}

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

/** What the tool declares is not true; the message has each thing on a line of its own. */
export class ContractBroken extends Error {
  override readonly name = 'ContractBroken';
  readonly report: ContractReport;

  constructor(report: ContractReport) {
    const lines = report.broken.map(({ check, why }) => `- ${check}: ${why}`);
    super([`The tool \`${report.tool}\` does not keep its contract.`, ...lines].join('\n'));
    this.report = report;
  }
}

/** Nothing to try. */
class Skipped extends Error {}

function assert(holds: unknown, why: string): asserts holds {
  if (!holds) throw new Error(why);
}

type End = ToolEnd | { readonly kind: 'rejected'; readonly output: string };

interface Entered {
  readonly end: End;
  /** False where the call had ended before `act` was through. */
  readonly acted: boolean;
  readonly watched: RecordedCall;
}

/** Long enough for what a tool does a little later by mistake. */
const silenceMs = 20;
/** The call is running by then, if it runs at all. */
const enteredMs = 100;
const slackMs = 50;

const pause = (ms: number) => new Promise<null>((resolve) => void systemSources.clock.after(ms, () => resolve(null)));

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value);

function parsed(tool: Tool, args: object): unknown {
  const given = tool.parse(args);
  assert(given.ok, `the arguments ${shown(args)} are refused`);
  return given.input;
}

/** The sentences of what does not hold. */
const unless = (...rules: readonly (readonly [holds: boolean, why: string])[]): string[] =>
  rules.filter(([holds]) => !holds).map(([, why]) => why);

/**
 * Runs a call as a runtime does, up to its end and its cleanup, and holds what it leaves behind against the declaration. Throws all that
 * is wrong, `judge` included.
 */
async function enter(
  tool: Tool,
  { roots = [], stopMs = 1_500, completeMs = 30_000, context }: ContractCase,
  args: object,
  {
    act,
    judge,
    mayChange = tool.effect !== 'none',
    endMs = stopMs + (tool.shieldMaxMs ?? 0),
    since = 'its signal',
  }: {
    /** Null: it runs to its own end. */
    readonly act: ((watched: RecordedCall) => Promise<unknown>) | null;
    readonly judge: (entered: Entered) => string[];
    readonly mayChange?: boolean;
    /** How soon it has to end behind `act`, and what that is. */
    readonly endMs?: number;
    readonly since?: string;
  },
): Promise<void> {
  const input = parsed(tool, args);
  const before = await folderState(roots);
  const children = new Set(livingChildren());
  const watched = recordingContext({ roots, ...context }, tool);
  const { signal, kill, skipGrace, call } = watched.context;
  const run = new Promise<ToolEnd | string>((resolve) => resolve(tool.run(input, watched.context))).then(
    (end): End => (typeof end === 'string' ? { kind: 'completed', output: end } : end),
    (error: unknown): End => ({ kind: 'rejected', output: String(error) }),
  );
  let cleanup = Promise.resolve('done');
  const clean = () => {
    cleanup = new Promise((resolve) => resolve(tool.cleanup?.(byClient, input))).then(
      () => 'done',
      (error: unknown) => `its cleanup throws: ${error}`,
    );
  };
  if (tool.cleanup) signal.addEventListener('abort', clean, { once: true });
  const acted = act ? await Promise.race([act(watched).then(() => true), run.then(() => false)]) : true;
  const bound = act ? endMs : completeMs;
  const end = await Promise.race([run, pause(bound)]);
  assert(end, act ? `it has not ended ${bound} ms after ${since}` : `the good call has not ended after ${bound} ms`);
  signal.removeEventListener('abort', clean);
  const cleaned = (await Promise.race([cleanup, pause(stopMs)])) ?? `its cleanup has not ended after ${stopMs} ms`;

  const said = () => watched.outputs.length + watched.processes.length + watched.regions.length;
  const saidAtTheEnd = said();
  await pause(silenceMs);
  const listeners = [signal, kill, skipGrace].flatMap((one) => getEventListeners(one, 'abort'));
  const longest = Math.max(0, ...watched.regions.map(({ ms }) => ms ?? 0));
  const most = tool.shieldMaxMs ?? 0;
  const left = [...(await processesOf(call)), ...livingChildren().filter((pid) => !children.has(pid))];
  const changed = mayChange ? [] : changedPaths(before, await folderState(roots));
  const wrong = [
    ...unless(
      [cleaned === 'done', cleaned],
      [said() === saidAtTheEnd, 'it says something, or starts something, after its end'],
      [watched.clock.pending === 0, 'it leaves a timer'],
      [listeners.length === 0, 'it leaves a listener on its signal'],
      [watched.regions.every(({ ms }) => ms !== null), 'it ends inside a shielded region'],
      [longest <= most + slackMs, `a shielded region took ${longest} ms; its shieldMaxMs is ${most}`],
      [left.length === 0, `it leaves processes running: ${left.join(', ')}`],
      [changed.length === 0, `it has changed ${changed.join(', ')}, which it may not`],
    ),
    ...judge({ end, acted, watched }),
  ];
  if (wrong.length > 0) throw new Error(wrong.join('; '));
}

const isStopped = ({ kind }: End) => kind === 'stopped' || kind === 'rejected';

interface Stop {
  stop(watched: RecordedCall): void | Promise<void>;
  readonly judge?: (entered: Entered) => string[];
  readonly endMs?: number;
  readonly since?: string;
}

/** Stops a call that is under way, and sees that the stop has ended it. */
async function stopEndless(
  tool: Tool,
  theCase: ContractCase,
  { stop, judge = () => [], ...bound }: Stop,
): Promise<void> {
  if (!theCase.endless) throw new Skipped('the case has no `endless` arguments');
  await enter(tool, theCase, theCase.endless, {
    act: async (watched) => {
      await pause(enteredMs);
      await stop(watched);
    },
    ...bound,
    judge: (entered) => {
      const { end, acted } = entered;
      return acted
        ? [...unless([isStopped(end), `it was stopped, and ends as ${end.kind}`]), ...judge(entered)]
        : [`the endless call ended before it was stopped, as ${end.kind}: ${end.output}`];
    },
  });
}

/** Each check by its name. They throw what is wrong. */
export const contractChecks: Readonly<Record<CheckName, (tool: Tool, theCase: ContractCase) => Promise<void>>> = {
  async declaration(tool) {
    const [declared] = createRegistry([tool]).declarations();
    assert(declared?.parameters['type'] === 'object', 'its `input` is not the schema of an object');
  },

  async arguments(tool, { good, bad = [] }) {
    parsed(tool, good);
    for (const { input, names } of [...bad, { input: null, names: 'object' }, { input: 'text', names: 'object' }]) {
      const given = tool.parse(input);
      assert(!given.ok, `it takes ${shown(input)}`);
      assert(given.message.includes(names), `"${given.message}" does not name ${names}`);
    }
  },

  async key(tool, { good, roots = [] }) {
    const context = { session: 'session_1', speaker: 'ada', roots };
    const ask = () => {
      const input = parsed(tool, good);
      return {
        access: tool.access === 'parallel' ? 'parallel' : tool.access(input, context),
        supersedes: tool.supersedes?.(input, context),
        approval: tool.approval?.(input, context),
      };
    };
    const { access, supersedes, approval } = ask();
    assert(typeof access === 'string' || typeof access.name === 'string', '`access` gives no key');
    assert(!tool.supersedes || typeof supersedes === 'string', '`supersedes` gives no text');
    assert(
      !tool.approval || approval === null || typeof approval?.text === 'string',
      '`approval` gives neither a question nor null',
    );
    assert(shown(ask()) === shown({ access, supersedes, approval }), 'the same arguments get another key each time');
  },

  completes: (tool, theCase) =>
    enter(tool, theCase, theCase.good, {
      act: null,
      judge: ({ end }) => unless([end.kind === 'completed', `the good call ends as ${end.kind}: ${end.output}`]),
    }),

  fired(tool, theCase) {
    const given: ContractCase = { ...theCase, context: { ...theCase.context, signal: AbortSignal.abort(byClient) } };
    return enter(tool, given, theCase.good, {
      act: async () => {},
      judge: ({ end, watched }) =>
        unless(
          [isStopped(end), `it runs though its signal had fired, and ends as ${end.kind}`],
          [watched.processes.length === 0, 'it starts a process though its signal had fired'],
        ),
      mayChange: false,
    });
  },

  early: (tool, theCase) =>
    enter(tool, theCase, theCase.good, { act: async (watched) => watched.cut(), judge: () => [] }),

  endless: (tool, theCase) => stopEndless(tool, theCase, { stop: (watched) => watched.cut() }),

  async forced(tool, theCase) {
    if (tool.cancel !== 'killable') throw new Skipped('it is not killable');
    const before = new Set(livingChildren());
    let owned: readonly number[] = [];
    await stopEndless(tool, theCase, {
      async stop(watched) {
        const children = livingChildren().filter((pid) => !before.has(pid));
        owned = [
          ...watched.processes.map(({ group }) => group),
          ...children,
          ...(await processesOf(watched.context.call)),
        ];
        watched.cut();
        watched.kill.abort(byClient);
        watched.skipGrace.abort(byClient);
      },
      endMs: theCase.killMs ?? 250,
      since: 'it was to be killed',
      judge: ({ watched }) =>
        unless([
          watched.isKillHeard || owned.length > 0,
          'it is declared killable, but neither listens to `kill` nor owns a process',
        ]),
    });
  },

  async shield(tool, theCase) {
    if (tool.cancel !== 'shielded') throw new Skipped('it is not shielded');
    await enter(tool, theCase, theCase.good, {
      act: async (watched) => {
        await watched.shielded;
        watched.cut();
      },
      judge: ({ acted }) => unless([acted, 'it is declared shielded, and the good call begins no region']),
    });
  },
};

/** A promise that waits for a timer of the clock does not keep the process alive; a check under way has to. */
function keepAlive(): () => void {
  const { port1 } = new MessageChannel();
  port1.ref();
  return () => port1.close();
}

/** `make` is called for each check anew, so that each has fresh folders. Throws `ContractBroken`. */
export async function toolContract(
  tool: Tool,
  make: ContractCase | (() => ContractCase | Promise<ContractCase>),
): Promise<ContractReport> {
  const kept: CheckName[] = [];
  const broken: { check: CheckName; why: string }[] = [];
  const skipped: { check: CheckName; why: string }[] = [];
  const letEnd = keepAlive();
  try {
    for (const check of Object.keys(contractChecks) as CheckName[]) {
      const theCase = typeof make === 'function' ? await make() : make;
      try {
        await contractChecks[check](tool, theCase);
        kept.push(check);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        (error instanceof Skipped ? skipped : broken).push({ check, why });
      }
    }
  } finally {
    letEnd();
  }
  const report = { tool: tool.name, kept, broken, skipped };
  if (broken.length > 0) throw new ContractBroken(report);
  return report;
}
