// A call that is over, in a few lines: its title, how it ended and when, and the beginning of what it has returned.
import { describeMedia } from '../../../machines/content.ts';
import { readArguments } from '../../client/view/call-arguments.ts';
import { ranMs } from '../../client/view/node-names.ts';
import { statusMarks, statusOf } from '../../client/view/node-status.ts';
import type { CallResult, CallView, SessionSnapshot } from '../../client/view/snapshot.ts';
import { outputLines } from '../../core/text/plain-output.ts';
import { makePrintable } from '../../core/text/printable.ts';
import { countText } from '../../core/words/count-text.ts';
import { durationText } from '../../core/words/durations.ts';
import { clipLine, withMargin, wrapLine } from './line-width.ts';
import { callTitle, fitTitle, remarkOf, toneStyles } from './node-titles.ts';
import { lineOf, plainText, type StyledLine, span, type TextStyle, type WholeText } from './styled-text.ts';

/** Lines of output that are shown of a call. One more is shown rather than counted. */
const shownLines = 3;
/** Lines of a diff, from its first change on. */
const shownDiffLines = 8;
const gutter = '│ ';

export interface CallBlock {
  readonly lines: readonly StyledLine[];
  /** All of it, for Ctrl-O; null: the lines are all. */
  readonly whole: WholeText | null;
}

/** Renders a call that has a result. `speaker`: who reads it. */
export function callBlock(snapshot: SessionSnapshot, call: CallView, speaker: string, columns: number): CallBlock {
  const result = call.lateResult ?? call.result;
  const output = styledOutput(result?.output ?? call.output, columns - 4);
  const isFailed = statusOf(snapshot, call.node, speaker).tone === 'failed';
  const content = [...(result ? errorLines(result) : []), ...(result ? mediaLines(result) : [])];
  const preview = previewOf(output, isFailed);
  const title = titleLine(snapshot, call, speaker, columns);
  const body = [...content, ...preview].map((line) => clipLine([span(`  ${gutter}`, 'soft'), ...line], columns));
  const hasInner = innerCalls(snapshot, call).length > 0;
  const isWhole = preview.length === output.length && !isTitleCut(call, title) && !hasInner;
  return {
    lines: [title, ...body],
    whole: isWhole ? null : (width) => wholeCall(snapshot, call, speaker, width),
  };
}

function titleLine(snapshot: SessionSnapshot, call: CallView, speaker: string, columns: number): StyledLine {
  const status = statusOf(snapshot, call.node, speaker);
  const style = toneStyles[status.tone];
  const ms = ranMs(snapshot, call.node.id);
  const facts = [...(ms === null ? [] : [durationText(ms)]), ...innerFacts(snapshot, call), remarkOf(status)].filter(
    (text) => text !== '',
  );
  const head = [span(`${statusMarks[status.tone]} `, style)];
  const rest = facts.length === 0 ? [] : [span(` · ${facts.join(' · ')}`, status.tone === 'done' ? 'soft' : style)];
  return fitTitle(head, callTitle(call, speaker), rest, columns);
}

/** Returns the number of calls that a sub-agent has made, and of those that have failed, in words. */
function innerFacts(snapshot: SessionSnapshot, call: CallView): readonly string[] {
  const calls = innerCalls(snapshot, call);
  const failed = calls.filter(({ node }) => node.outcome === 'failed').length;
  if (calls.length === 0) return [];
  return [`${countText(calls.length, 'tool')}${failed === 0 ? '' : `, ${failed} failed`}`];
}

const innerCalls = ({ turns }: SessionSnapshot, call: CallView): readonly CallView[] =>
  turns.filter(({ node }) => node.parent === call.node.id).flatMap((turn) => turn.calls);

const isTitleCut = ({ arguments: text }: CallView, title: StyledLine): boolean =>
  (text ?? '').length > 60 && title.some((piece) => piece.text.endsWith('…'));

function errorLines({ outcome, message, code }: CallResult): readonly StyledLine[] {
  if (outcome === 'completed' || (message === null && code === null)) return [];
  const [first = '', ...rest] = outputLines(message ?? '');
  const named = code === null ? first : first === '' ? code : `${first} (${code})`;
  return [named, ...rest].map((line) => lineOf(line, 'bad'));
}

const mediaLines = ({ parts }: CallResult): readonly StyledLine[] =>
  parts.flatMap((part) => (part.type === 'text' ? [] : [lineOf(makePrintable(describeMedia(part)), 'soft')]));

/** The beginning of an output; of one that has failed the end, where the error stands; of a diff the first changes. */
function previewOf(output: readonly StyledLine[], isFailed: boolean): readonly StyledLine[] {
  const from = Math.max(0, output.findIndex(isHunk));
  const count = from > 0 ? shownDiffLines : shownLines;
  if (output.length <= shownLines + 1) return output;
  const shown = isFailed ? output.slice(-count) : output.slice(from, from + count);
  const hidden = output.length - shown.length;
  if (hidden === 0) return output;
  const note = lineOf(`… ${countText(hidden, isFailed ? 'earlier line' : 'more line')} (Ctrl-O)`, 'soft');
  return isFailed ? [note, ...shown] : [...shown, note];
}

/** All that is known of a call, wrapped at the columns. */
export function wholeCall(
  snapshot: SessionSnapshot,
  call: CallView,
  speaker: string,
  columns: number,
): readonly StyledLine[] {
  const result = call.lateResult ?? call.result;
  const inside = columns - gutter.length - 2;
  const content = [
    ...outputLines(argumentsText(call)).map((line) => lineOf(line)),
    ...innerCalls(snapshot, call).map((inner) => titleLine(snapshot, inner, speaker, inside)),
    ...(result ? [...errorLines(result), ...mediaLines(result)] : []),
    ...styledOutput(result?.output ?? call.output, columns - 4),
  ];
  const margin = span(`  ${gutter}`, 'soft');
  return [
    titleLine(snapshot, call, speaker, columns),
    ...withMargin(
      content.flatMap((line) => wrapLine(line, inside)),
      margin,
      margin,
    ),
  ];
}

/** The arguments as a person reads them: those that are text alone without quotes. */
function argumentsText({ arguments: text }: CallView): string {
  const values = readArguments(text ?? '');
  if (!values) return text ?? '';
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

const hunk = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

/** Characters of JSON that are read to be indented; a longer output stays as it is. */
const maxJsonChars = 200_000;

/** Returns all lines of an output, neither cut nor wrapped. JSON that fits into the columns stays on its line. */
function styledOutput(output: string, columns: number): readonly StyledLine[] {
  const isShort = output.trim().length <= columns;
  const lines = outputLines((isShort ? null : indentJson(output)) ?? output);
  const isDiff = lines.some((line) => hunk.test(line));
  return lines.map((line) => lineOf(line, isDiff ? diffStyle(line) : 'soft'));
}

/** Whether a line begins a part of a diff. */
const isHunk = (line: StyledLine): boolean => hunk.test(plainText(line));

/** Puts JSON on several lines; null: the output is no JSON, or has lines already. */
function indentJson(output: string): string | null {
  const text = output.trim();
  if (!/^[[{]/.test(text) || text.includes('\n') || text.length > maxJsonChars) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

/** The signs at the beginning of a line say the same as its color. */
function diffStyle(line: string): TextStyle {
  if (/^(\+\+\+|---|diff |index )/.test(line)) return 'soft';
  if (line.startsWith('@@')) return 'code';
  if (line.startsWith('+')) return 'good';
  return line.startsWith('-') ? 'bad' : 'soft';
}
