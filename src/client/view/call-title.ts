// Short titles of calls: the name of the tool or agent, and the argument that distinguishes it from its siblings.
import { readArguments } from './call-arguments.ts';
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

/** Returns the title of a call in one line: its name and the argument that distinguishes it from its siblings. `text`: its arguments, as JSON. */
export function titleOfCall(name: string, text: string): string {
  const detail = argumentDetail(text);
  return detail === '' ? name : `${name}: ${detail}`;
}

/** Returns the argument that distinguishes a call from others, in one line; empty if the arguments say nothing in a few words. */
export function argumentDetail(text: string): string {
  const values = readArguments(text);
  if (!values) return shortenLine(text === '{}' ? '' : text);
  const folder = typeof values['cwd'] === 'string' ? `${values['cwd']}: ` : '';
  const key = telling.find((name) => typeof values[name] === 'string') ?? Object.keys(values)[0];
  const value = key === undefined ? '' : values[key];
  return shortenLine(`${folder}${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

/** Returns a text in one line of 80 characters at most. */
export function shortenLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}
