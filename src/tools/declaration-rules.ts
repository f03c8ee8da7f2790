// What a tool must declare before a runtime takes it: checked where it is defined and where it is registered, and against the runtime that offers it.
import type { Tool } from './tool.ts';

/** A tool left out, or got wrong, a part of its declaration. `field` names the part. */
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

/** What model endpoints accept as a function's name. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** The longest delay of a timer: a 32-bit number of milliseconds, some 24 days. */
export const maxTimeoutMs = 2 ** 31 - 1;

type Parts = Readonly<Record<string, unknown>>;

interface Rule {
  readonly field: string;
  readonly holds: (value: unknown, parts: Parts) => boolean;
  readonly sentence: string;
}

/** Whole, and no longer than a timer can be. */
export const isMilliseconds = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= maxTimeoutMs;
const isFunction = (value: unknown) => typeof value === 'function';
const isOptionalFunction = (value: unknown) => value === undefined || isFunction(value);

/** There is no default for access, cancel and effect: each is a promise to whoever stops the call, and only its author can make it. */
const rules: readonly Rule[] = [
  {
    field: 'name',
    holds: (value) => typeof value === 'string' && namePattern.test(value),
    sentence: 'needs a `name` of 1 to 64 letters, digits, `_` and `-`.',
  },
  {
    field: 'description',
    holds: (value) => typeof value === 'string' && value.trim() !== '',
    sentence: 'needs a `description`: it is all that the model knows of it.',
  },
  {
    field: 'input',
    holds: (value) => typeof value === 'object' && value !== null,
    sentence: 'needs an `input` schema.',
  },
  {
    field: 'access',
    holds: (value) => value === 'parallel' || value === 'exclusive' || isFunction(value),
    sentence: 'does not declare its `access`: `parallel`, `exclusive`, or a function that gives the key of a call.',
  },
  {
    field: 'cancel',
    holds: (value) => value === 'abortable' || value === 'killable' || value === 'shielded',
    sentence:
      'does not declare its `cancel` contract: `abortable` (it ends by its signal), `killable` (it owns processes) or `shielded` (abortable, but for its declared regions).',
  },
  {
    field: 'shieldMaxMs',
    holds: (value, { cancel }) => (cancel === 'shielded' ? isMilliseconds(value, 1) : value === undefined),
    sentence: 'needs a `shieldMaxMs`, in whole milliseconds, where it is `shielded`, and none elsewhere.',
  },
  {
    field: 'effect',
    holds: (value) => value === 'none' || value === 'some',
    sentence: 'does not declare its `effect`: `none` (it only reads) or `some`.',
  },
  {
    field: 'timeoutMs',
    holds: (value) => isMilliseconds(value, 0) || isFunction(value),
    sentence: `needs a \`timeoutMs\` from 0 (never) to ${maxTimeoutMs}, in whole milliseconds, or a function that gives it.`,
  },
  {
    field: 'stopMs',
    holds: (value) => value === undefined || isMilliseconds(value, 0),
    sentence: `has a \`stopMs\` that is not from 0 to ${maxTimeoutMs}, in whole milliseconds.`,
  },
  { field: 'run', holds: isFunction, sentence: 'has no `run`.' },
  ...['supersedes', 'approval', 'cleanup'].map((field) => ({
    field,
    holds: isOptionalFunction,
    sentence: `has a \`${field}\` that is no function.`,
  })),
];

/** What `defineTool` makes, and a call cannot do without: a tool that was put together by hand has it from its author. */
const callableRules: readonly Rule[] = [
  {
    field: 'access',
    holds: (value) => value !== 'exclusive',
    sentence:
      'has the `access` `exclusive`, which only `defineTool` knows: give a function that gives the key of a call.',
  },
  {
    field: 'parse',
    holds: isFunction,
    sentence: 'has no `parse`, which checks its arguments: `defineTool` makes one.',
  },
];

const known: readonly string[] = rules.map(({ field }) => field);

/** Throws `ToolDeclarationError` for a part that no tool has: a promise that was misspelled would be kept by nobody. */
export function assertKnownParts(parts: object): void {
  const unknown = Object.keys(parts).find((part) => !known.includes(part));
  if (unknown === undefined) return;
  const { name } = parts as Parts;
  throw new ToolDeclarationError(`has a part \`${unknown}\`, which no tool has.`, {
    tool: String(name),
    field: unknown,
  });
}

function assertRules(all: readonly Rule[], tool: object): void {
  const parts = tool as Parts;
  const name = typeof parts['name'] === 'string' ? parts['name'] : '(without a name)';
  for (const { field, holds, sentence } of all) {
    if (!holds(parts[field], parts)) throw new ToolDeclarationError(sentence, { tool: name, field });
  }
}

/** Throws `ToolDeclarationError` for the first part that is missing or wrong. */
export const assertDeclared = (tool: object): void => assertRules(rules, tool);

/** Of a tool that is ready to be called. Throws `ToolDeclarationError` for the first part that is missing or wrong. */
export const assertComplete = (tool: object): void => assertRules([...rules, ...callableRules], tool);

/** Those limits of a runtime that a tool's own bounds lie within. */
export interface RuntimeLimits {
  /** The longest region that a shielded tool may declare. */
  readonly shieldMs: number;
  /** The stop budget of a call. */
  readonly toolCancelMs: number;
}

/**
 * Throws `ToolDeclarationError` for a bound that does not fit: a shutdown waits for the longest shield, and a call that is killed behind
 * its stop budget has been abandoned before.
 */
export function assertWithinLimits(tool: Tool, { shieldMs, toolCancelMs }: RuntimeLimits): void {
  const { name, shieldMaxMs = 0, stopMs = 0 } = tool;
  const refuse = (field: string, ms: number, most: string) => {
    throw new ToolDeclarationError(`has a \`${field}\` of ${ms}, which must be ${most}.`, { tool: name, field });
  };
  if (shieldMaxMs > shieldMs) refuse('shieldMaxMs', shieldMaxMs, `at most limits.shieldMs (${shieldMs})`);
  if (stopMs >= toolCancelMs) refuse('stopMs', stopMs, `less than limits.toolCancelMs (${toolCancelMs})`);
}
