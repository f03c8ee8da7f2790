// Makes a tool whose code runs in a thread or a process of its own: code that may block, loop without end, crash or fill its memory.
//
// 1. The host's event loop never waits for the code: it handles cancels and all other sessions meanwhile.
// 2. The code is asked to stop by its signal, and killed after the grace: such a tool is `killable`.
// 3. Arguments and results are copied: by structured clone into a thread, as JSON into a process.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { JsonSchema } from '../../../../machines/tool-declaration.ts';
import { namesOf } from '../../../core/collections/fields.ts';
import type { Tool, ToolContext, ToolEnd } from '../../../core/contracts/tool.ts';
import { ToolDeclarationError } from '../../../core/tools/declaration-rules.ts';
import { defineTool, type ToolDefinition } from '../../../core/tools/define-tool.ts';
import { passedEnvironment } from '../../processes/environment.ts';
import type { IsolatedCall } from './isolate-messages.ts';
import type { IsolateOptions } from './isolate-options.ts';
import { runInProcess } from './isolate-process.ts';
import type { IsolateResult } from './isolate-report.ts';
import { runInThread } from './isolate-thread.ts';

export type IsolationKind = 'thread' | 'process';

export interface Isolation {
  /**
   * `process` (the default): it can always be killed, and has its own memory. `thread`: it starts faster, but cannot be terminated during
   * a blocking system call, and code that fills its heap may end the host.
   */
  readonly kind?: IsolationKind | undefined;
  /** The module with the code, as a file: URL or an absolute path. */
  readonly module: URL | string;
  /** The name of the exported function, an `IsolatedRun`; `run` by default. */
  readonly export?: string | undefined;
  /**
   * The limit of its heap, in MiB; 256 by default. Buffers outside the heap are not counted. Only in a process is the host safe: if native
   * code (for example `JSON.parse`) exceeds the limit in a thread, V8 may end the whole host.
   */
  readonly memoryMb?: number | undefined;
  /** Time from the request to stop until the kill, in milliseconds; 1 000 by default. It must be less than the runtime's `limits.toolCancelMs`. */
  readonly termGraceMs?: number | undefined;
  /** Names of environment variables that the code receives, in addition to those that every child process gets (process/environment.ts). */
  readonly passEnvironment?: readonly string[] | undefined;
}

/** The definition of a tool, without the parts that `isolatedTool` sets itself. */
export type IsolatedDefinition<Schema, Input> = Omit<
  ToolDefinition<Schema, Input>,
  'run' | 'cancel' | 'shieldMaxMs' | 'stopMs'
> & {
  readonly isolate: Isolation;
};

const minimums = { memoryMb: 16, termGraceMs: 0 };
const maximums = { memoryMb: 65_536, termGraceMs: 60_000 };

const runners = { thread: runInThread, process: runInProcess };

/** Makes an isolated tool. Throws `ToolDeclarationError` if a part is missing or wrong, or if the module does not exist. */
export function isolatedTool<Schema extends z.ZodObject>(
  definition: IsolatedDefinition<Schema, z.output<Schema>>,
): Tool;
export function isolatedTool(definition: IsolatedDefinition<JsonSchema, unknown>): Tool;
export function isolatedTool({ isolate, ...parts }: IsolatedDefinition<z.ZodObject | JsonSchema, unknown>): Tool {
  const { kind = 'process', module, export: exportName = 'run', passEnvironment = [] } = isolate;
  const { memoryMb = 256, termGraceMs = 1_000 } = isolate;
  const reject = (problem: string): never => {
    throw new ToolDeclarationError(`has an \`isolate\` with ${problem}`, { tool: parts.name, field: 'isolate' });
  };
  if (!Object.hasOwn(runners, kind)) reject(`the \`kind\` ${kind}: it must be \`thread\` or \`process\`.`);
  const given = { memoryMb, termGraceMs };
  for (const field of namesOf(given)) {
    const value = given[field];
    const isGood = Number.isInteger(value) && value >= minimums[field] && value <= maximums[field];
    if (!isGood)
      reject(`a \`${field}\` of ${value}: it must be a whole number from ${minimums[field]} to ${maximums[field]}.`);
  }
  const url = fileUrlOf(module) ?? reject(`the \`module\` ${module}: it must be a file: URL or an absolute path.`);
  if (!existsSync(fileURLToPath(url))) reject(`a \`module\` that does not exist: ${url.href}`);
  const environment = passedEnvironment(passEnvironment);
  return defineTool({
    ...parts,
    input: parts.input as JsonSchema, // `defineTool` accepts either kind of schema, by one overload each
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

/** Returns the file: URL of a module; null if it is neither such a URL nor an absolute path. */
function fileUrlOf(module: URL | string): URL | null {
  const text = String(module);
  const url = text.startsWith('/') ? pathToFileURL(text) : URL.parse(text);
  return url?.protocol === 'file:' ? url : null;
}
