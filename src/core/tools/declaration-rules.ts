// Rules for the declaration of a tool: checked when it is defined, when it is registered, and against the limits of its runtime.
import { fieldsOf } from '../collections/fields.ts';
import type { Tool } from '../contracts/tool.ts';

/** A field of a tool's declaration is missing, wrong or unknown. `field` is its name. */
export class ToolDeclarationError extends Error {
  override readonly name = 'ToolDeclarationError';
  readonly tool: string;
  readonly field: string;

  constructor(message: string, { tool, field, cause }: { tool: string; field: string; cause?: unknown }) {
    super(`The tool \`${tool}\` ${message}`, { cause });
    this.tool = tool;
    this.field = field;
  }
}

/** The function names that model endpoints accept. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** The longest delay of a timer: a 32-bit number of milliseconds, some 24 days. */
export const maxTimeoutMs = 2 ** 31 - 1;

type Declaration = Readonly<Record<string, unknown>>;

interface Rule {
  readonly field: string;
  readonly holds: (value: unknown, declaration: Declaration) => boolean;
  readonly message: string;
}

/** Whether a value is a whole number of milliseconds from `min` to the longest delay of a timer. */
export const isMilliseconds = (value: unknown, min: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= maxTimeoutMs;
const isFunction = (value: unknown) => typeof value === 'function';
const isOptionalFunction = (value: unknown) => value === undefined || isFunction(value);

/** `access`, `cancel` and `effect` have no default: every stop relies on them, and only the author of the tool knows them. */
const rules: readonly Rule[] = [
  {
    field: 'name',
    holds: (value) => typeof value === 'string' && namePattern.test(value),
    message: 'needs a `name` of 1 to 64 letters, digits, `_` and `-`.',
  },
  {
    field: 'description',
    holds: (value) => typeof value === 'string' && value.trim() !== '',
    message: 'needs a `description`: the model knows nothing else of it.',
  },
  {
    field: 'input',
    holds: (value) => typeof value === 'object' && value !== null,
    message: 'needs an `input` schema.',
  },
  {
    field: 'access',
    holds: (value) => value === 'parallel' || value === 'exclusive' || isFunction(value),
    message: 'does not declare its `access`: `parallel`, `exclusive`, or a function that returns the key of a call.',
  },
  {
    field: 'cancel',
    holds: (value) => value === 'abortable' || value === 'killable' || value === 'shielded',
    message:
      'does not declare its `cancel` contract: `abortable` (it ends by its signal), `killable` (it owns processes) or `shielded` (abortable, but for its declared regions).',
  },
  {
    field: 'shieldMaxMs',
    holds: (value, { cancel }) => (cancel === 'shielded' ? isMilliseconds(value, 1) : value === undefined),
    message: 'needs a `shieldMaxMs`, in whole milliseconds, where it is `shielded`, and none elsewhere.',
  },
  {
    field: 'effect',
    holds: (value) => value === 'none' || value === 'some',
    message: 'does not declare its `effect`: `none` (it only reads) or `some`.',
  },
  {
    field: 'timeoutMs',
    holds: (value) => value === 'default' || isMilliseconds(value, 0) || isFunction(value),
    message: `needs a \`timeoutMs\` from 0 (never) to ${maxTimeoutMs}, in whole milliseconds, \`default\`, or a function that returns them.`,
  },
  {
    field: 'stopMs',
    holds: (value) => value === undefined || isMilliseconds(value, 0),
    message: `has a \`stopMs\` that is not from 0 to ${maxTimeoutMs}, in whole milliseconds.`,
  },
  {
    field: 'stopBudgetMs',
    holds: (value) => value === undefined || isMilliseconds(value, 1),
    message: `has a \`stopBudgetMs\` that is not from 1 to ${maxTimeoutMs}, in whole milliseconds.`,
  },
  { field: 'run', holds: isFunction, message: 'has no `run`.' },
  ...['supersedes', 'approval', 'cleanup'].map((field) => ({
    field,
    holds: isOptionalFunction,
    message: `has a \`${field}\` that is not a function.`,
  })),
];

/** Rules for fields that `defineTool` derives. A tool that is made without it has to provide them itself. */
const callableRules: readonly Rule[] = [
  {
    field: 'access',
    holds: (value) => value !== 'exclusive',
    message:
      'has the `access` `exclusive`, which only `defineTool` knows. Declare a function that returns the key of a call.',
  },
  {
    field: 'parse',
    holds: isFunction,
    message:
      'has no `parse`, which checks the arguments of a call. Provide one, or use `defineTool`: `defineTool` makes one.',
  },
];

const knownFields: readonly string[] = rules.map(({ field }) => field);

/** Throws `ToolDeclarationError` for an unknown field: a misspelled one would have no effect. */
export function assertKnownFields(tool: object): void {
  const unknown = Object.keys(tool).find((field) => !knownFields.includes(field));
  if (unknown === undefined) return;
  const { name } = fieldsOf(tool);
  throw new ToolDeclarationError(
    `has an unknown field \`${unknown}\`. The fields of a tool are ${knownFields.join(', ')}.`,
    {
      tool: String(name),
      field: unknown,
    },
  );
}

/** Shows a wrong value: a short literal, or else its type. */
function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return typeof value;
}

function assertRules(all: readonly Rule[], tool: object): void {
  const fields = fieldsOf(tool);
  const name = typeof fields['name'] === 'string' ? fields['name'] : '(without a name)';
  for (const { field, holds, message } of all) {
    if (!holds(fields[field], fields))
      throw new ToolDeclarationError(`${message} Its \`${field}\` is ${describeValue(fields[field])}.`, {
        tool: name,
        field,
      });
  }
}

/** Checks the fields that an author declares. Throws `ToolDeclarationError` for the first that is missing or wrong. */
export const assertDeclared = (tool: object): void => assertRules(rules, tool);

/** Checks every field that a call needs. Throws `ToolDeclarationError` for the first that is missing or wrong. */
export const assertComplete = (tool: object): void => assertRules([...rules, ...callableRules], tool);

/** The limits that a runtime sets to the declarations of its tools, in milliseconds. */
export interface RuntimeLimits {
  /** The largest `shieldMaxMs` that a tool may declare. */
  readonly shieldMs: number;
  /** The stop budget of a call. */
  readonly toolCancelMs: number;
  /** The longest wait of a shutdown. */
  readonly shutdownMs: number;
}

/**
 * Checks a tool against the limits of its runtime, because a shutdown waits for the longest shield, and a call that has not stopped within
 * its budget is abandoned before a longer `stopMs` would pass. Throws `ToolDeclarationError`.
 */
export function assertStopLimits(tool: Tool, { shieldMs, toolCancelMs, shutdownMs }: RuntimeLimits): void {
  const { name, shieldMaxMs = 0, stopMs = 0, stopBudgetMs } = tool;
  const reject = (field: string, ms: number, limit: string) => {
    throw new ToolDeclarationError(`has a \`${field}\` of ${ms}, which must be ${limit}.`, { tool: name, field });
  };
  if (shieldMaxMs > shieldMs) reject('shieldMaxMs', shieldMaxMs, `at most limits.shieldMs (${shieldMs})`);
  if (stopBudgetMs !== undefined && stopBudgetMs >= shutdownMs)
    reject('stopBudgetMs', stopBudgetMs, `less than limits.shutdownMs (${shutdownMs})`);
  if (stopMs < (stopBudgetMs ?? toolCancelMs)) return;
  const budget =
    stopBudgetMs === undefined ? `limits.toolCancelMs (${toolCancelMs})` : `its stopBudgetMs (${stopBudgetMs})`;
  reject('stopMs', stopMs, `less than ${budget}`);
}
