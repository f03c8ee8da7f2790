// Runs one call of a tool as a runtime does, and checks its side effects and listeners against the declaration.
import { addAbortListener, getEventListeners } from 'node:events';
import type { Tool, ToolContext, ToolEnd } from '../core/contracts/tool.ts';
import { systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import { parseToolEnd } from '../core/tools/parse-tool-end.ts';
import { clientCause, type RecordedCall, recordingContext } from './recording-context.ts';
import { changedPaths, folderState, livingChildren, processesOf } from './side-effects.ts';

export interface ContractCase {
  /** Arguments of a call that ends as completed. */
  readonly good: object;
  /** Arguments that must be rejected, and what the message must contain: the field, or the limit. */
  readonly bad?: readonly { readonly input: unknown; readonly names: string }[] | undefined;
  /** Arguments of a call that does not end before it is stopped, if the tool has such calls. */
  readonly endless?: object | undefined;
  /** Folders that the call may touch. */
  readonly roots?: readonly string[] | undefined;
  /** Milliseconds from a call's signal to its end: the stop budget of a runtime, 1 500, by default. */
  readonly stopMs?: number | undefined;
  /** Milliseconds from `kill` to the end of a killable call: the budget of a runtime under `force`, 250, by default. */
  readonly killMs?: number | undefined;
  /** Milliseconds that the good call may take; 30 000 by default. */
  readonly completeMs?: number | undefined;
  /** Parts of the context that the tool needs (`ask`, `status`, `cancelCall`). */
  readonly context?: Partial<ToolContext> | undefined;
}

/** The end of a call, or its rejection. */
export type ContractCallEnd = ToolEnd | { readonly kind: 'rejected'; readonly output: string };

export interface FinishedCall {
  readonly end: ContractCallEnd;
  /** Whether `act` was over before the call had ended. */
  readonly acted: boolean;
  readonly recorded: RecordedCall;
}

export interface ContractRunOptions {
  readonly args: object;
  /** Stops the call; null: it runs to its own end. */
  readonly act: ((recorded: RecordedCall) => Promise<unknown>) | null;
  /** Returns a sentence for each fault. */
  readonly findFaults: (finished: FinishedCall) => string[];
  /** Whether the call may change something below the roots. Default: as the effect of the tool declares. */
  readonly mayChange?: boolean | undefined;
  /** Milliseconds from the end of `act` to the end of the call. */
  readonly endMs?: number | undefined;
  /** Names the moment from which `endMs` counts. */
  readonly since?: string | undefined;
}

/** How long to wait after the end of a call for activity that must not come, in milliseconds. */
const settleMs = 20;
/** How late a timer may fire, in milliseconds. */
const slackMs = 50;

const pause = (ms: number) => new Promise<null>((resolve) => void systemSources.clock.after(ms, () => resolve(null)));

/** Throws an Error with the sentence if something does not hold. */
export function assertHolds(holds: unknown, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence);
}

/** Returns the sentences of the rules that do not hold. */
export const brokenRules = (...rules: readonly (readonly [holds: boolean, sentence: string])[]): string[] =>
  rules.filter(([holds]) => !holds).map(([, sentence]) => sentence);

/** Returns a value as JSON, for a message. */
export const valueText = (value: unknown): string => JSON.stringify(value) ?? String(value);

/** Parses arguments that the tool has to accept. */
export function parseArguments(tool: Tool, args: object): unknown {
  const result = tool.parse(args);
  assertHolds(result.ok, `the arguments ${valueText(args)} are refused`);
  return result.input;
}

/** What a call may change outside of its process: folders, and the children of this process. */
interface WorldState {
  /** Each path below the roots, with its state. */
  readonly folders: ReadonlyMap<string, string>;
  /** Pids. */
  readonly children: ReadonlySet<number>;
}

/** Resolves with the state of the world before a call. */
async function stateBefore(roots: readonly string[]): Promise<WorldState> {
  return { folders: await folderState(roots), children: new Set(livingChildren()) };
}

function startRun(tool: Tool, input: unknown, context: ToolContext): Promise<ContractCallEnd> {
  const run = new Promise<ToolEnd | string>((resolve) => resolve(tool.run(input, context)));
  return run.then(
    (end): ContractCallEnd => {
      const parsed = parseToolEnd(end);
      return parsed.ok ? parsed.end : { kind: 'rejected', output: `its end cannot be used: ${parsed.problem}` };
    },
    (error: unknown): ContractCallEnd => ({ kind: 'rejected', output: String(error) }),
  );
}

/** Runs the tool's cleanup when the signal fires; not if it has fired before the call. */
class ArmedCleanup implements Disposable {
  readonly #listener: Disposable | null;
  #result = Promise.resolve('done');

  constructor(tool: Tool, input: unknown, signal: AbortSignal) {
    const start = () => {
      this.#result = new Promise<void>((resolve) => resolve(tool.cleanup?.(clientCause, input))).then(
        () => 'done',
        (error: unknown) => `its cleanup throws: ${errorText(error)}`,
      );
    };
    this.#listener = signal.aborted ? null : addAbortListener(signal, start);
  }

  /** Resolves with `done`, or with a sentence on what the cleanup has thrown. */
  get result(): Promise<string> {
    return this.#result;
  }

  [Symbol.dispose](): void {
    this.#listener?.[Symbol.dispose]();
  }
}

const activityOf = ({ outputs, processes, regions }: RecordedCall) =>
  outputs.length + processes.length + regions.length;

/** Runs a call up to its end and its cleanup. Throws all that is wrong, `judge` included. */
export async function runCase(tool: Tool, contractCase: ContractCase, options: ContractRunOptions): Promise<void> {
  const { roots = [], stopMs = 1_500, completeMs = 30_000 } = contractCase;
  const { args, act, findFaults, endMs = stopMs + (tool.shieldMaxMs ?? 0), since = 'its signal' } = options;
  const input = parseArguments(tool, args);
  const before = await stateBefore(roots);
  const recorded = recordingContext({ roots, ...contractCase.context }, tool);
  const run = startRun(tool, input, recorded.context);
  const cleanup = new ArmedCleanup(tool, input, recorded.context.signal);
  const acted = act ? await Promise.race([act(recorded).then(() => true), run.then(() => false)]) : true;
  const limitMs = act ? endMs : completeMs;
  const end = await Promise.race([run, pause(limitMs)]);
  cleanup[Symbol.dispose]();
  assertHolds(
    end,
    act ? `it has not ended ${limitMs} ms after ${since}` : `the good call has not ended after ${limitMs} ms`,
  );
  const cleaned =
    (await Promise.race([cleanup.result, pause(stopMs)])) ?? `its cleanup has not ended after ${stopMs} ms`;
  const wrong = [
    ...brokenRules([cleaned === 'done', cleaned]),
    ...(await leftovers(tool, recorded, { before, roots, mayChange: options.mayChange ?? tool.effect !== 'none' })),
    ...findFaults({ end, acted, recorded }),
  ];
  if (wrong.length > 0) throw new Error(wrong.join('; '));
}

interface LeftoverOptions {
  readonly before: WorldState;
  readonly roots: readonly string[];
  /** Whether the call may change something below the roots. */
  readonly mayChange: boolean;
}

/** Returns sentences on what a call that has ended leaves behind. */
async function leftovers(
  tool: Tool,
  recorded: RecordedCall,
  { before, roots, mayChange }: LeftoverOptions,
): Promise<string[]> {
  const { clock, regions, context } = recorded;
  const activityAtEnd = activityOf(recorded);
  await pause(settleMs);
  const signals = [context.signal, context.kill, context.skipGrace];
  const listeners = signals.flatMap((signal) => getEventListeners(signal, 'abort'));
  const longestMs = Math.max(0, ...regions.map(({ ms }) => ms ?? 0));
  const { shieldMaxMs = 0 } = tool;
  const running = [
    ...(await processesOf(context.call)),
    ...livingChildren().filter((pid) => !before.children.has(pid)),
  ];
  const changed = mayChange ? [] : changedPaths(before.folders, await folderState(roots));
  return brokenRules(
    [activityOf(recorded) === activityAtEnd, 'it has output, or starts something, after its end'],
    [clock.pending === 0, 'it leaves a timer'],
    [listeners.length === 0, 'it leaves a listener on its signal'],
    [regions.every(({ ms }) => ms !== null), 'it ends inside a shielded region'],
    [longestMs <= shieldMaxMs + slackMs, `a shielded region took ${longestMs} ms; its shieldMaxMs is ${shieldMaxMs}`],
    [running.length === 0, `it leaves processes running: ${running.join(', ')}`],
    [changed.length === 0, `it has changed ${changed.join(', ')}, which its effect excludes`],
  );
}
