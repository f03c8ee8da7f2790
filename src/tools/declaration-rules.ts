// Rules for the declaration of a tool: checked where it is defined, where it is registered, and against the limits of its runtime.
import { fieldsOf } from '../collections/untrusted-fields.ts';
import type { Tool } from './tool.ts';

/** A part of a tool's declaration is missing or wrong. `field` names the part. */
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

/** The names of functions that model endpoints accept. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** The longest delay of a timer: a 32-bit number of milliseconds, some 24 days. */
export const maxTimeoutMs = 2 ** 31 - 1;

type Declaration = Readonly<Record<string, unknown>>;

interface Rule {
  readonly field: string;
  readonly holds: (value: unknown, parts: Declaration) => boolean;
  readonly message: string;
}

/** A whole number of milliseconds, from `least` to the longest that a timer can be. */
export const isMilliseconds = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= maxTimeoutMs;
const isFunction = (value: unknown) => typeof value === 'function';
const isOptionalFunction = (value: unknown) => value === undefined || isFunction(value);

/** There is no default for access, cancel and effect: a stop relies on each, and only the tool's author knows it. */
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
    holds: (value) => isMilliseconds(value, 0) || isFunction(value),
    message: `needs a \`timeoutMs\` from 0 (never) to ${maxTimeoutMs}, in whole milliseconds, or a function that gives it.`,
  },
  {
    field: 'stopMs',
    holds: (value) => value === undefined || isMilliseconds(value, 0),
    message: `has a \`stopMs\` that is not from 0 to ${maxTimeoutMs}, in whole milliseconds.`,
  },
  { field: 'run', holds: isFunction, message: 'has no `run`.' },
  ...['supersedes', 'approval', 'cleanup'].map((field) => ({
    field,
    holds: isOptionalFunction,
    message: `has a \`${field}\` that is no function.`,
  })),
];

/** Parts that `defineTool` makes and every call needs; the author of a tool that was made without it gives them. */
const callableRules: readonly Rule[] = [
  {
    field: 'access',
    holds: (value) => value !== 'exclusive',
    message:
      'has the `access` `exclusive`, which only `defineTool` knows: give a function that returns the key of a call.',
  },
  {
    field: 'parse',
    holds: isFunction,
    message: 'has no `parse`, which checks its arguments: `defineTool` makes one.',
  },
];

const knownFields: readonly string[] = rules.map(({ field }) => field);

/** Throws `ToolDeclarationError` for a part that no tool has: a misspelled part would have no effect. */
export function assertKnownFields(parts: object): void {
  const unknown = Object.keys(parts).find((part) => !knownFields.includes(part));
  if (unknown === undefined) return;
  const { name } = fieldsOf(parts);
  throw new ToolDeclarationError(`has a part \`${unknown}\`, which no tool has.`, {
    tool: String(name),
    field: unknown,
  });
}

function assertRules(all: readonly Rule[], tool: object): void {
  const parts = fieldsOf(tool);
  const name = typeof parts['name'] === 'string' ? parts['name'] : '(without a name)';
  for (const { field, holds, message } of all) {
    if (!holds(parts[field], parts)) throw new ToolDeclarationError(message, { tool: name, field });
  }
}

/** Checks a definition. Throws `ToolDeclarationError` for the first part that is missing or wrong. */
export const assertDeclared = (tool: object): void => assertRules(rules, tool);

/** Checks a tool that is ready to be called. Throws `ToolDeclarationError` for the first part that is missing or wrong. */
export const assertComplete = (tool: object): void => assertRules([...rules, ...callableRules], tool);

/** The limits of a runtime for what a tool declares, in milliseconds. */
export interface RuntimeLimits {
  /** The longest region that a shielded tool may declare. */
  readonly shieldMs: number;
  /** The stop budget of a call. */
  readonly toolCancelMs: number;
}

/**
 * Checks a tool against the limits of its runtime: a shutdown waits for the longest shield, and a call that is killed after its stop
 * budget has been abandoned before. Throws `ToolDeclarationError`.
 */
export function assertWithinLimits(tool: Tool, { shieldMs, toolCancelMs }: RuntimeLimits): void {
  const { name, shieldMaxMs = 0, stopMs = 0 } = tool;
  const reject = (field: string, ms: number, most: string) => {
    throw new ToolDeclarationError(`has a \`${field}\` of ${ms}, which must be ${most}.`, { tool: name, field });
  };
  if (shieldMaxMs > shieldMs) reject('shieldMaxMs', shieldMaxMs, `at most limits.shieldMs (${shieldMs})`);
  if (stopMs >= toolCancelMs) reject('stopMs', stopMs, `less than limits.toolCancelMs (${toolCancelMs})`);
}
