// Renders a frame as blocks of a terminal with a live region. What only runs has no block: the live region shows it.
import { depthOf, findCall, nameOf } from '../client/view/node-names.ts';
import { statusMarks } from '../client/view/node-status.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { listedNodes } from '../core/receipt/receipt.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { saidLines } from './chat-lines/answer-labels.ts';
import { callBlock, wholeCall } from './chat-lines/call-lines.ts';
import { wrapNote } from './chat-lines/note-lines.ts';
import { receiptLines, refusalLines } from './chat-lines/receipt-lines.ts';
import { lineOf, type StyledLine, type TextStyle, type WholeText } from './chat-lines/styled-text.ts';
import { shorten } from './line-text.ts';
import type { BlockKind } from './live-screen.ts';
import { quotedWords, wasDeferred } from './render-input.ts';
import { questionText, renderLines, turnEndTexts } from './render-line.ts';
import { isRoutineStop } from './routine-stop.ts';
import type { Viewer } from './viewer.ts';

export interface RenderedBlock {
  readonly kind: BlockKind;
  readonly lines: readonly StyledLine[];
  /** All of it, where the lines are shortened. */
  readonly whole: WholeText | null;
}

/** The frames that the live region shows, or the block of another frame. */
const shownElsewhere: ReadonlySet<ServerFrame['type']> = new Set([
  'tool_call',
  'turn_started',
  'tool_progress',
  'tool_waiting',
  'model_waiting',
  'cancel_accepted',
]);

/** Returns the blocks of a frame; none for most. `snapshot`: the session after the frame. */
export function renderBlocks(
  frame: ServerFrame,
  snapshot: SessionSnapshot,
  viewer: Viewer,
  columns: number,
): readonly RenderedBlock[] {
  if (shownElsewhere.has(frame.type)) return [];
  switch (frame.type) {
    case 'turn_opened':
      if (frame.kind !== 'say' || frame.resumes !== undefined) break;
      return viewer.isMine(frame.ref) || wasDeferred(snapshot, frame.turn)
        ? []
        : said(frame.owner, frame.text, columns);
    case 'input_deferred':
      return viewer.isMine(frame.ref) ? [] : said(frame.owner, frame.text, columns);
    case 'input_settled':
      if (frame.fate === 'queued') return []; // the live region shows the turn that waits
      if (frame.fate === 'cancelled') break;
      return notes([`The model reads ${quotedWords(snapshot, frame.input)} now.`], columns, 'soft');
    case 'tool_result':
    case 'late_result':
      return callBlocks(frame.node, snapshot, viewer, columns);
    case 'turn_ended':
      if (isInReceipt(snapshot, frame.turn)) return [];
      return notes(turnEndLines(frame, snapshot, viewer), columns, frame.outcome === 'completed' ? 'warning' : 'bad');
    case 'cancel_settled':
      return receiptBlocks(frame, snapshot, viewer, columns);
    case 'approval_requested':
    case 'question_asked':
      if (frame.to !== viewer.speaker) break; // its whole text stands above the input while it is open
      return notes(
        [`? ${nameOf(snapshot, frame.node)} asks you: ${shorten(questionText(frame).text)}`],
        columns,
        'warning',
      );
    case 'cancel_refused':
      return [block('receipt', refusalLines(frame, { snapshot, speaker: viewer.speaker, columns }))];
    default:
  }
  return notes(renderLines(frame, snapshot, viewer), columns, styleOf(frame));
}

const block = (kind: BlockKind, lines: readonly StyledLine[], whole: WholeText | null = null): RenderedBlock => ({
  kind,
  lines,
  whole,
});

const said = (owner: string, text: string, columns: number) => [block('said', saidLines(owner, text, columns))];

const notes = (lines: readonly string[], columns: number, style: TextStyle): readonly RenderedBlock[] =>
  lines.length === 0
    ? []
    : [
        block(
          'note',
          lines.flatMap((line) => wrapNote(line, style, columns)),
        ),
      ];

const turnEndLines = (frame: ServerFrameOf<'turn_ended'>, snapshot: SessionSnapshot, viewer: Viewer) =>
  turnEndTexts(frame, snapshot, viewer).map((text) => `${statusMarks.failed} ${text}`);

const styleOf = ({ type }: ServerFrame): TextStyle => {
  if (type === 'error' || type === 'say_refused' || type === 'answer_refused') return 'bad';
  return type === 'approval_requested' || type === 'question_asked' ? 'warning' : 'soft';
};

/** Whether the receipt of a stop says how the node has ended, or will. */
const isInReceipt = ({ receipts }: SessionSnapshot, node: string): boolean =>
  receipts.some((receipt) => listedNodes(receipt).includes(node));

/** The calls of a sub-agent are its own business. */
function callBlocks(
  node: string,
  snapshot: SessionSnapshot,
  { speaker }: Viewer,
  columns: number,
): readonly RenderedBlock[] {
  const call = findCall(snapshot, node);
  if (!call || depthOf(snapshot, node) > 1 || (call.lateResult === null && isInReceipt(snapshot, node))) return [];
  const { lines, whole } = callBlock(snapshot, call, speaker, columns);
  return [block('call', lines, whole)];
}

function receiptBlocks(
  frame: ServerFrameOf<'cancel_settled'>,
  snapshot: SessionSnapshot,
  { speaker }: Viewer,
  columns: number,
): readonly RenderedBlock[] {
  const ids = frame.nodes.map(({ node }) => node);
  if (isRoutineStop(frame.cause.source, ids, snapshot)) return [];
  const calls = ids.flatMap((node) => findCall(snapshot, node) ?? []);
  const hasOutput = calls.some(({ output }) => output !== '');
  const whole = (width: number) => calls.flatMap((call) => wholeCall(snapshot, call, speaker, width));
  const lines = receiptLines(frame, { snapshot, speaker, columns });
  const hint = lineOf('  Ctrl-O shows what they had written', 'soft');
  if (lines.length === 1) return [block('note', lines)];
  return [block('receipt', hasOutput ? [...lines, hint] : lines, hasOutput ? whole : null)];
}
