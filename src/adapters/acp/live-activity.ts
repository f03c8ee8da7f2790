// Shows live what an outside agent does: its text as it comes, its thoughts, its plan, and its tool calls with their output and diffs.
//
// 1. Everything is made printable. What is not the agent's text stands on lines of its own, under a line in brackets that says what it is.
// 2. An agent sends the output of a tool call whole with each update: only what is new in it is shown.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { cutText } from '../../core/text/bound-text.ts';
import { LiveOutput, liveCutNote } from '../../core/text/live-output.ts';
import { makePrintable } from '../../core/text/printable.ts';
import type { PlanEntry, ToolCallUpdate, ToolContent } from './agent-updates.ts';

/** The limit of tool calls of the agent that are remembered. The oldest is dropped first. */
const maxToolCalls = 256;
const maxTitleChars = 200;
/** Characters of the output of one tool call, and of one diff, that are shown. */
const maxContentChars = 16_384;

interface KnownToolCall {
  readonly title: string;
  /** What is shown of its output and of its diffs. */
  readonly shown: string;
}

const planMarks: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>' };

export class LiveActivity {
  readonly #live: LiveOutput;
  readonly #toolCalls = new BoundedMap<string, KnownToolCall>(maxToolCalls);
  #plan = '';
  /** The source of the text that was shown last: `line`, `text`, `thought` or `output of <call>`. */
  #owner = 'line';
  /** Whether that text has ended its line. */
  #isLineEnded = true;

  /** @param maxChars The limit of everything that is shown, in characters, without the line that says that there is more. */
  constructor(maxChars: number, show: (text: string) => void) {
    this.#live = new LiveOutput(maxChars, show);
  }

  /** Returns the title that the agent gave to one of its tool calls. */
  titleOf(toolCallId: string): string | undefined {
    return this.#toolCalls.get(toolCallId)?.title;
  }

  showText(text: string): void {
    this.#push(text, 'text');
  }

  showThought(text: string): void {
    if (this.#owner !== 'thought') this.#showLine('[thought]');
    this.#push(text, 'thought');
  }

  /** Shows a plan, if it has changed. */
  showPlan(entries: readonly PlanEntry[]): void {
    const lines = entries.map(({ content, status }) => `  [${planMarks[status] ?? ' '}] ${oneLine(content)}`);
    const plan = lines.join('\n');
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#showLine(plan === '' ? '[plan: empty]' : `[plan]\n${plan}`);
  }

  /** Shows a tool call when it is announced and when it ends, and its output as it comes. */
  showToolCall({ sessionUpdate, toolCallId, title, status, content, rawOutput }: ToolCallUpdate): void {
    const known = this.#toolCalls.get(toolCallId);
    const call = { shown: '', ...known, title: oneLine(title ?? known?.title ?? toolCallId) };
    if (sessionUpdate === 'tool_call') this.#showLine(`[${call.title}]`);
    const isOver = status === 'completed' || status === 'failed';
    const output = content ? content.map(displayOf).join('\n') : '';
    const whole = output === '' && isOver && typeof rawOutput === 'string' && call.shown === '' ? rawOutput : output;
    const shown = this.#showNew(whole, call.shown, `output of ${toolCallId}`);
    if (isOver) this.#showLine(`[${call.title}: ${status}]`);
    this.#toolCalls.set(toolCallId, { title: call.title, shown });
  }

  /** Shows what an output adds to what is shown of it, or all of it if it is another one. Returns what is shown now. */
  #showNew(output: string, shown: string, owner: string): string {
    const text = limitContent(output);
    if (text === '' || text === shown) return shown;
    this.#push(text.startsWith(shown) ? text.slice(shown.length) : text, owner);
    return text;
  }

  #showLine(line: string): void {
    this.#push(`${line}\n`, 'line');
  }

  /** Shows a text, on a line of its own if the last line is not ended and belongs to another owner. */
  #push(text: string, owner: string): void {
    const printable = makePrintable(text);
    if (printable === '') return;
    const newLine = this.#isLineEnded || this.#owner === owner ? '' : '\n';
    this.#live.push(newLine + printable);
    this.#owner = owner;
    this.#isLineEnded = printable.endsWith('\n');
  }
}

const limitContent = (text: string): string =>
  text.length <= maxContentChars ? text : `${cutText(text, maxContentChars)}\n${liveCutNote}`;

const oneLine = (text: string): string => cutText(makePrintable(text.replace(/\s+/g, ' ').trim()), maxTitleChars);

function displayOf(content: ToolContent): string {
  if (content.type === 'content') return content.content.text;
  const { path, oldText, newText } = content;
  const changes = diffLines(oldText ?? '', newText).replace(/\n$/, '');
  return `[diff of ${oneLine(path)}]\n${limitContent(changes)}`;
}

/** Returns the changed lines: those between the common beginning and the common end, each with `-` or `+` before it. Empty if the texts are equal. */
function diffLines(before: string, after: string): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}\n`);
  const added = now.slice(start, now.length - end).map((line) => `+${line}\n`);
  return [...removed, ...added].join('');
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
