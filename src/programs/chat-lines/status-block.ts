// The live block of a chat: what runs now in the session, each with its title, its last line of output, its time, and what it waits for.
//
// 1. It says `stopping…` of what a CANCEL was accepted for, and never before.
// 2. It never has more rows than it was given: what does not fit is counted.

import { findCall, findTurn } from '../../client/view/node-names.ts';
import { statusMarks, statusOf } from '../../client/view/node-status.ts';
import { paceOf } from '../../client/view/pace.ts';
import type {
  CallView,
  InputView,
  NodeView,
  SessionSnapshot,
  TextBlockView,
  TurnView,
} from '../../client/view/snapshot.ts';
import { tokensText } from '../../client/view/usage-text.ts';
import { lastOutputLine } from '../../core/text/plain-output.ts';
import { runningText } from '../../core/words/durations.ts';
import { clipLine } from './line-width.ts';
import { callTitle, fitTitle, quoted, remarkOf, toneStyles, turnTitle } from './node-titles.ts';
import { lineOf, type StyledLine, span } from './styled-text.ts';

export interface StatusInput {
  readonly snapshot: SessionSnapshot;
  /** Who reads it. */
  readonly speaker: string;
  /** Returns how long a node has run, in milliseconds; null: it has not started, or that is not known. */
  readonly ageMs: (node: string) => number | null;
  readonly columns: number;
  /** The rows that it may have. */
  readonly rows: number;
}

/** A node or waiting words, with the line of output that is shown where there is room. */
interface Row {
  readonly line: StyledLine;
  readonly output: StyledLine | null;
}

/** Rows of the block on a terminal with more of them. */
const maxRows = 16;

const paceTexts = { fast: '', slow: ', slow', long: ', long' } as const;
const paceStyles = { fast: 'good', slow: 'warning', long: 'bad' } as const;

/** Returns the lines of what runs; none if nothing does. */
export function statusLines(input: StatusInput): readonly StyledLine[] {
  const rows = rowsOf(input);
  const limit = Math.max(1, Math.min(input.rows, maxRows));
  const shown = rows.length <= limit ? rows : rows.slice(0, limit - 1);
  let spare = limit - shown.length;
  const lines = shown.flatMap(({ line, output }) => {
    if (output === null || spare <= 0) return [line];
    spare -= 1;
    return [line, output];
  });
  const hidden = rows.length - shown.length;
  const all = hidden === 0 ? lines : [...lines, lineOf(`  … ${hidden} more (/tree shows all)`, 'soft')];
  return all.map((line) => clipLine(line, input.columns));
}

/** The live tree has parents before their children. A sub-agent and its turn are one row. */
function rowsOf(input: StatusInput): readonly Row[] {
  const { snapshot } = input;
  const depths = new Map<string, number>();
  return snapshot.nodes.flatMap((node) => {
    const above = node.parent === null ? -1 : (depths.get(node.parent) ?? -1);
    const isOfSubAgent = node.kind === 'turn' && node.parent !== null && depths.has(node.parent);
    depths.set(node.id, isOfSubAgent ? above : above + 1);
    const inputs = waitingInputs(snapshot, node.id).map((one) => inputRow(input, one, above + 2));
    if (isOfSubAgent) return inputs;
    const row = node.kind === 'turn' ? turnRow(input, node) : callRow(input, node, above + 1);
    return [row, ...inputs];
  });
}

const waitingInputs = (snapshot: SessionSnapshot, turn: string): readonly InputView[] =>
  (findTurn(snapshot, turn)?.inputs ?? []).filter(({ fate }) => fate === 'waiting');

function turnRow({ snapshot, speaker, ageMs, columns }: StatusInput, node: NodeView): Row {
  const turn = findTurn(snapshot, node.id);
  const status = statusOf(snapshot, node, speaker);
  const isRunning = node.state === 'running';
  const activity = isRunning && turn ? activityOf(snapshot, turn) : status.text;
  const words = node.state === 'waiting' && turn?.text ? ` ${quoted(turn.text)}` : '';
  const age = runningMs(node, ageMs);
  const facts = [
    ...(age === null ? [] : [runningText(age)]),
    ...(turn ? tokenFacts(turn) : []),
    ...(isRunning ? [] : [remarkOf(status)].filter((text) => text !== '' && text !== activity)),
  ];
  const head = [span(`${statusMarks[status.tone]} `, toneStyles[status.tone])];
  const title = [span(turnTitle(node, turn?.kind ?? null, speaker), 'strong'), span(`: ${activity}${words}`)];
  const rest = facts.length === 0 ? [] : [span(` · ${facts.join(' · ')}`, 'soft')];
  return { line: fitTitle(head, title, rest, columns), output: null };
}

function tokenFacts(turn: TurnView): readonly string[] {
  const tokens = outputTokens(turn);
  return tokens === 0 ? [] : [`~${tokensText(tokens)} tokens`];
}

function callRow(input: StatusInput, node: NodeView, depth: number): Row {
  const { snapshot, speaker, ageMs, columns } = input;
  const call = findCall(snapshot, node.id);
  const status = statusOf(snapshot, node, speaker);
  const indent = '  '.repeat(depth);
  const head = [span(`${indent}${statusMarks[status.tone]} `, toneStyles[status.tone])];
  const remark = questionText(snapshot, node, speaker) ?? remarkOf(status);
  const rest = [
    ...timeSpans(node, ageMs),
    ...(remark === '' ? [] : [span(` · ${remark}`, status.tone === 'waiting' ? 'warning' : toneStyles[status.tone])]),
  ];
  const title = call ? callTitle(call, speaker) : [span(node.name ?? 'call', 'strong')];
  return { line: fitTitle(head, title, rest, columns), output: outputOf(input, call, indent) };
}

function questionText({ questions }: SessionSnapshot, node: NodeView, speaker: string): string | null {
  const question = questions.find((each) => each.node === node.id);
  if (!question) return null;
  return question.to === speaker ? 'needs your answer' : `needs an answer of ${question.to}`;
}

/** Returns how long a node has run; null: it has not started, is over, or that is not known. */
const runningMs = ({ id, state }: NodeView, ageMs: StatusInput['ageMs']): number | null =>
  state === 'waiting' || state === 'settled' ? null : ageMs(id);

function timeSpans(node: NodeView, ageMs: StatusInput['ageMs']): StyledLine {
  const ms = runningMs(node, ageMs);
  if (ms === null) return [];
  const pace = paceOf(ms);
  return [span('  '), span(`${runningText(ms)}${paceTexts[pace]}`, paceStyles[pace])];
}

/** The last line of output; of a sub-agent, what its model does. */
function outputOf({ snapshot }: StatusInput, call: CallView | null, indent: string): StyledLine | null {
  if (!call || call.node.state === 'settled') return null;
  const inner = snapshot.turns.find(({ node }) => node.parent === call.node.id && node.state !== 'settled');
  const last = inner ? innerText(snapshot, inner) : lastOutputLine(call.output);
  return last === '' ? null : [span(`${indent}  ${last}`, 'soft')];
}

function innerText(snapshot: SessionSnapshot, turn: TurnView): string {
  const hasRows = snapshot.nodes.some(({ parent, state }) => parent === turn.node.id && state !== 'settled');
  if (turn.node.state !== 'running' || hasRows) return '';
  const tokens = tokenFacts(turn);
  return [activityOf(snapshot, turn), ...tokens].join(' · ');
}

function inputRow({ speaker, columns }: StatusInput, { owner, text }: InputView, depth: number): Row {
  const who = owner === speaker ? '' : `${owner}: `;
  const head = [span(`${'  '.repeat(depth)}${statusMarks.waiting} `, 'soft')];
  const title = [span(`${who}${text === null ? 'words' : quoted(text)}`)];
  return { line: fitTitle(head, title, [span(' · the model reads it next', 'soft')], columns), output: null };
}

/** Characters of a token, about. */
const charsOfToken = 4;

/** Says what a turn that runs is doing: `thinking`, `writing`, `running 3 tools`. */
function activityOf({ nodes }: Pick<SessionSnapshot, 'nodes'>, { node, blocks, calls }: TurnView): string {
  const block = blocks.at(-1);
  if (block?.state === 'streaming') return responseActivity(block);
  const own = new Set(calls.map((call) => call.node.id));
  const running = nodes.filter(({ id, state }) => own.has(id) && state !== 'settled');
  const [only] = running;
  if (only && running.length === 1) return `running ${only.name ?? 'a tool'}`;
  if (running.length > 1) return `running ${running.length} tools`;
  return node.state === 'waiting' ? 'queued' : 'waiting for the model';
}

function responseActivity({ text, reasoning, inputs }: TextBlockView): string {
  if (inputs.length > 0) return `preparing ${inputs.at(-1)?.name || 'a call'}`;
  if (text !== '') return 'writing';
  return reasoning === '' ? 'waiting for the model' : 'thinking';
}

/** Estimates the tokens that the model has written in a turn: those of its ended calls are counted by the provider. */
const outputTokens = ({ blocks }: Pick<TurnView, 'blocks'>): number =>
  blocks.reduce((sum, { usage, text, reasoning }) => {
    const counted = usage?.output ?? null;
    return sum + (counted ?? Math.ceil((text.length + reasoning.length) / charsOfToken));
  }, 0);
