// Short titles of calls: the name of the tool or agent, and the argument that tells it from its siblings.
import type { CallView } from './snapshot.ts';

/** The arguments that say most, in the order in which they are looked for. */
const telling = ['command', 'task', 'path', 'url', 'query', 'pattern', 'code', 'prompt', 'question', 'text', 'name'];
const maxChars = 80;

export interface CallTitle {
  readonly name: string;
  /** One line; empty if the arguments say nothing in a few words. */
  readonly detail: string;
}

/** Returns the title of a call. */
export function titleOf({ node, arguments: text }: Pick<CallView, 'node' | 'arguments'>): CallTitle {
  return { name: node.name ?? 'call', detail: argumentDetail(text ?? '') };
}

/** Returns the argument that tells a call from others, in one line; empty if the arguments say nothing in a few words. */
export function argumentDetail(text: string): string {
  const values = parseArguments(text);
  if (!values) return shortenLine(text === '{}' ? '' : text);
  const folder = typeof values['cwd'] === 'string' ? `${values['cwd']}: ` : '';
  const key = telling.find((name) => typeof values[name] === 'string') ?? Object.keys(values)[0];
  const value = key === undefined ? '' : values[key];
  return shortenLine(`${folder}${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

/** Returns the arguments by name; null if they are no JSON object, as while they arrive. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Returns a text in one line of 80 characters at most. */
export function shortenLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}

/** Reads the question of an approval that names a tool and all of its arguments; null: it is in other words. */
export function readRunQuestion(
  text: string,
): { readonly name: string; readonly values: Readonly<Record<string, unknown>> } | null {
  const [, name = '', json = ''] = /^Run (\S+) with (\{.*\})\?$/s.exec(text) ?? [];
  const values = parseArguments(json);
  return values && { name, values };
}
