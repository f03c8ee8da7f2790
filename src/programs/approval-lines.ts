// Writes the text of an approval so that a person can read it: arguments in JSON become a line for each, with the command as it would be typed.
import { makePrintable } from '../core/text/printable.ts';

/** `Run shell with {…}?`, as the gateway asks for a call of a tool that has no question of its own. */
const callPattern = /^(Run [\w-]+) with (\{.*\})\?$/s;

/** Returns the lines of the text, with all that it says. */
export function approvalLines(text: string): readonly string[] {
  const [, asked = '', json = ''] = callPattern.exec(text) ?? [];
  const fields = fieldsIn(json);
  if (fields === null) return makePrintable(text).split('\n');
  return [`${asked}?`, ...fields.flatMap(([name, value]) => fieldLines(name, value))];
}

/** Null: the text is no JSON object, or one that says more than its fields do: a name may stand in it twice. */
function fieldsIn(json: string): readonly (readonly [string, unknown])[] | null {
  try {
    const value: unknown = JSON.parse(json);
    return JSON.stringify(value) === json ? Object.entries(value as object) : null; // the pattern has found braces around it
  } catch {
    return null;
  }
}

function fieldLines(name: string, value: unknown): readonly string[] {
  const text = makePrintable(typeof value === 'string' ? value : JSON.stringify(value));
  const [first = '', ...others] = text.split('\n');
  return [`${makePrintable(name)}: ${first}`, ...others.map((line) => `  ${line}`)];
}
