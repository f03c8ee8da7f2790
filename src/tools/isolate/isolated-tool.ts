// Makes a tool whose code runs in a thread or a process of its own: code that may block, spin, crash or eat memory.
//
// 1. The host's event loop never waits for it: it handles a cancel, and all other sessions, meanwhile.
// 2. It is asked to stop (its signal), and ended by force after the grace: so such a tool is `killable`.
// 3. Arguments and results are copied: by structured clone into a thread, as JSON into a process.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import { namesOf } from '../../collections/names-of.ts';
import { passedEnvironment } from '../../process/environment.ts';
import { ToolDeclarationError } from '../declaration-rules.ts';
import { defineTool, type ToolDefinition } from '../define-tool.ts';
import type { Tool, ToolContext, ToolEnd } from '../tool.ts';
import type { IsolatedCall } from './isolate-messages.ts';
import type { IsolateOptions } from './isolate-options.ts';
import { runInProcess } from './isolate-process.ts';
import type { IsolateResult } from './isolate-report.ts';
import { runInThread } from './isolate-thread.ts';

export type IsolationKind = 'thread' | 'process';

export interface Isolation {
  /**
   * `process` by default: it is ended whatever it does, and its memory is its own. A thread starts sooner, and can be ended unless it is
   * blocked in the system; code that fills its heap may end the host.
   */
  readonly kind?: IsolationKind | undefined;
  /** The module with the code, as a file: URL or an absolute path. */
  readonly module: URL | string;
  /** The name of the exported function, an `IsolatedRun`; `run` by default. */
  readonly export?: string | undefined;
  /**
   * The limit of its heap, in MiB; 256 by default. Buffers outside the heap are not counted. Only a process is certain to keep it: where
   * native code (`JSON.parse`, for one) exceeds it in a thread, V8 may end the whole host.
   */
  readonly memoryMb?: number | undefined;
  /** From the request to stop to the end by force, in milliseconds; 1 000 by default. Less than the runtime's `limits.toolCancelMs`. */
  readonly termGraceMs?: number | undefined;
  /** Variables of the host's environment that it sees, beyond the usual few. */
  readonly passEnvironment?: readonly string[] | undefined;
}

/** The parts of a tool without those that its isolation decides. */
export type IsolatedDefinition<Schema, Input> = Omit<
  ToolDefinition<Schema, Input>,
  'run' | 'cancel' | 'shieldMaxMs' | 'stopMs'
> & {
  readonly isolate: Isolation;
};

const least = { memoryMb: 16, termGraceMs: 0 };
const most = { memoryMb: 65_536, termGraceMs: 60_000 };

const runners = { thread: runInThread, process: runInProcess };

/** Makes an isolated tool. Throws `ToolDeclarationError` where a part is missing or wrong, and where there is no such module. */
export function isolatedTool<Schema extends z.ZodObject>(
  definition: IsolatedDefinition<Schema, z.output<Schema>>,
): Tool;
export function isolatedTool(definition: IsolatedDefinition<JsonSchema, unknown>): Tool;
export function isolatedTool({ isolate, ...parts }: IsolatedDefinition<z.ZodObject | JsonSchema, unknown>): Tool {
  const { kind = 'process', module, export: exportName = 'run', passEnvironment = [] } = isolate;
  const { memoryMb = 256, termGraceMs = 1_000 } = isolate;
  const reject = (sentence: string): never => {
    throw new ToolDeclarationError(`has an \`isolate\` with ${sentence}`, { tool: parts.name, field: 'isolate' });
  };
  if (!Object.hasOwn(runners, kind)) reject('a `kind` that is neither `thread` nor `process`.');
  const given = { memoryMb, termGraceMs };
  for (const field of namesOf(given)) {
    const value = given[field];
    const isGood = Number.isInteger(value) && value >= least[field] && value <= most[field];
    if (!isGood)
      reject(`a \`${field}\` of ${value}: it must be a whole number from ${least[field]} to ${most[field]}.`);
  }
  const url = fileUrlOf(module) ?? reject('a `module` that is neither a file: URL nor an absolute path.');
  if (!existsSync(fileURLToPath(url))) reject(`a \`module\` that does not exist: ${url.href}`);
  const environment = passedEnvironment(passEnvironment);
  return defineTool({
    ...parts,
    input: parts.input as JsonSchema, // `defineTool` accepts either, by an overload for each
    cancel: 'killable',
    stopMs: termGraceMs,
    async run(input, context) {
      if (context.signal.aborted) return { kind: 'stopped', output: '' };
      const { session, turn, call, speaker, roots, depth } = context;
      const identity = { session, turn, call, speaker, roots, depth };
      const isolated: IsolatedCall = { module: url.href, exportName, input, identity };
      const result = await runners[kind](isolated, optionsOf(context, { memoryMb, termGraceMs, environment }));
      return toToolEnd(result, context.signal.aborted);
    },
  });
}

const optionsOf = (
  { signal, kill, clock, output, recordProcess }: ToolContext,
  limits: Pick<IsolateOptions, 'memoryMb' | 'termGraceMs' | 'environment'>,
): IsolateOptions => ({ ...limits, signal, kill, clock, onOutput: output, onStarted: recordProcess });

function toToolEnd({ end, reason, forced, printed }: IsolateResult, isStopped: boolean): ToolEnd {
  if (end) return end;
  if (isStopped) return { kind: 'stopped', output: printed, forced: forced || undefined };
  return {
    kind: 'failed',
    code: 'tool_failed',
    message: reason,
    output: printed === '' ? reason : `${printed}\n${reason}`,
  };
}

/** Returns the file: URL of a module. Null: it has none. */
function fileUrlOf(module: URL | string): URL | null {
  const text = String(module);
  const url = text.startsWith('/') ? pathToFileURL(text) : URL.parse(text);
  return url?.protocol === 'file:' ? url : null;
}
