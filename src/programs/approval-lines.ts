// Writes a question so that a person can read it: the arguments of an approval become a line for each, with the command as it would be typed.
import { readArguments } from '../client/view/call-arguments.ts';
import type { QuestionView } from '../client/view/snapshot.ts';
import { writeOutHidden } from '../core/text/printable.ts';

/** Returns the lines of the question, with all that it says. */
export function approvalLines({ text, whole, name, arguments: args, remark }: QuestionView): readonly string[] {
  if (name === null || args === null) return textLines(whole ?? text);
  if (remark === null) return [...textLines(whole ?? text), ...argumentLines(args)];
  return [`Run ${writeOutHidden(name)}?`, ...argumentLines(args), ...(remark === '' ? [] : textLines(remark))];
}

const textLines = (text: string) => writeOutHidden(text).split('\n');

function argumentLines(text: string): readonly string[] {
  const values = readArguments(text);
  return values === null ? textLines(text) : Object.entries(values).flatMap(([name, value]) => fieldLines(name, value));
}

function fieldLines(name: string, value: unknown): readonly string[] {
  const [first = '', ...others] = textLines(typeof value === 'string' ? value : JSON.stringify(value));
  return [`${writeOutHidden(name)}: ${first}`, ...others.map((line) => `  ${line}`)];
}
