// Renders a frame as plain lines, in the standard words. Pure: what came before the frame is in the snapshot.
import { describeMedia } from '../../machines/content.ts';
import { depthOf, isAcknowledgement, isRootTurn, nameOf, ownerOf, runningMs } from '../client/view/node-names.ts';
import { questionOf, questionWords } from '../client/view/questions.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { boundText } from '../core/text/bound-text.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { awaitedText, finishText, hasStopped, outcomeText, secondsText, shorten } from './outcome-text.ts';
import { renderCancel } from './render-cancel.ts';
import { quotedWords, renderInput, wasDeferred } from './render-input.ts';
import type { Viewer } from './viewer.ts';

/** The lines of a frame; none for a frame that is not shown in lines. `snapshot`: the session after the frame. */
export function renderLines(frame: ServerFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  switch (frame.type) {
    case 'turn_opened':
      if (wasDeferred(snapshot, frame.turn)) return []; // its words have their line
      if (frame.kind === 'acknowledgement') return []; // its words follow
      if (viewer.isMine(frame.ref)) return ownResumption(frame, snapshot);
      return [`${frame.owner}> ${wordsOf(frame)}`];
    case 'turn_ended':
      return renderTurnEnd(frame, snapshot, viewer);
    case 'approval_requested':
    case 'question_asked':
      return renderQuestion(frame, snapshot, viewer);
    case 'approval_closed':
    case 'question_closed':
      return [`${callLine('.', frame.node, snapshot)}: ${closingText(frame, viewer)}`];
    case 'member_invited':
      return [
        `${frame.by === viewer.speaker ? 'You have' : `${frame.by ?? 'The host'} has`} invited ${frame.speaker}.`,
      ];
    case 'member_removed':
      return [
        `${frame.by === viewer.speaker ? 'You have' : `${frame.by ?? 'The host'} has`} removed ${frame.speaker}.`,
      ];
    case 'reaction':
      return [`${frame.emoji}${frame.to === viewer.speaker ? '' : ` (to ${frame.to})`}`];
    case 'earcon':
      return ['(a sound says that it has stopped)'];
    case 'session_recovered':
      return ['The gateway had died. What was open has been closed; what was started may have had effects.'];
    case 'answer_refused':
    case 'say_refused':
    case 'error':
      return [`! ${frame.message} (${frame.code})`];
    case 'stop_phrase':
      return frame.repeated ? ['It is being stopped already.'] : [];
    case 'left':
      return frame.reason ? [`The session has ended: ${frame.reason}.`] : [];
    default:
      return [
        ...renderCall(frame, snapshot, viewer),
        ...renderCancel(frame, snapshot, viewer),
        ...renderInput(frame, snapshot, viewer),
      ];
  }
}

/** A root turn that completed as it should needs no line. */
function renderTurnEnd(
  frame: ServerFrameOf<'turn_ended'>,
  snapshot: SessionSnapshot,
  viewer: Viewer,
): readonly string[] {
  if (!isRootTurn(snapshot, frame.turn) || isAcknowledgement(snapshot, frame.turn)) return [];
  const text = frame.outcome === 'completed' ? finishText(frame.finish) : outcomeText(frame);
  return text === null ? [] : [`[${ownerPrefix(frame.turn, snapshot, viewer)}${text}]`];
}

function renderCall(frame: ServerFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  switch (frame.type) {
    case 'tool_call':
      if (frame.kind === 'sub-agent') return []; // its turn has a line
      return [`${indent(frame.node, snapshot)}> ${frame.name} ${shorten(frame.arguments)}`];
    case 'turn_started':
      if (frame.parent === null) return [];
      return [`${callLine('>', frame.parent, snapshot)}: ${shorten(frame.text ?? '')}`];
    case 'tool_result': {
      const ms = frame.ms ?? durationOf(frame, snapshot);
      return [
        `${callLine('<', frame.node, snapshot)} ${outcomeText({ ...frame, ms })}`,
        ...mediaLines(frame, snapshot),
      ];
    }
    case 'model_waiting':
      return [
        `[${ownerPrefix(frame.turn, snapshot, viewer)}the model has sent nothing for ${secondsText(frame.elapsedMs)}]`,
      ];
    case 'tool_progress':
      return [`${callLine('.', frame.node, snapshot)} is still running, ${secondsText(frame.elapsedMs)} so far`];
    case 'tool_waiting': {
      const time = frame.elapsedMs > 0 ? `, ${secondsText(frame.elapsedMs)} so far` : '';
      return [
        `${callLine('.', frame.node, snapshot)} is waiting for ${awaitedText(frame.waitsFor, viewer.speaker)}${time}`,
      ];
    }
    case 'tool_timeout':
      return [`${callLine('.', frame.node, snapshot)} has not ended within ${secondsText(frame.ms)}`];
    case 'late_result':
      return [`${nameOf(snapshot, frame.node)}, which had run on: ${outcomeText(frame)}`];
    case 'abandoned_ended':
      return [`${nameOf(snapshot, frame.node)}, which had not stopped, has ended now`];
    default:
      return [];
  }
}

const maxMediaChars = 400;

/** A line for each image, sound and file in a result. */
const mediaLines = ({ node, parts = [] }: ServerFrameOf<'tool_result'>, snapshot: SessionSnapshot): readonly string[] =>
  parts.flatMap((part) =>
    part.type === 'text' ? [] : [`${indent(node, snapshot)}  ${shorten(describeMedia(part), maxMediaChars)}`],
  );

/** To the person who is asked it also says what to type. */
function renderQuestion(
  frame: ServerFrameOf<'approval_requested' | 'question_asked'>,
  snapshot: SessionSnapshot,
  viewer: Viewer,
): readonly string[] {
  const { type, node, to, expiresAt, at } = frame;
  const { text, isCut } = questionText(frame);
  const isForViewer = to === viewer.speaker;
  const choices = type === 'question_asked' && frame.choices.length > 0 ? ` (${frame.choices.join(' / ')})` : '';
  const question = `${callLine('?', node, snapshot)} asks ${isForViewer ? 'you' : to}: ${text}${choices}`;
  if (!isForViewer) return [question];
  const commands =
    type === 'question_asked'
      ? `/answer ${node} ${frame.schema ? 'name=value; name=value' : '…'}`
      : approvalCommands(node, isCut);
  const time = expiresAt !== null && at !== undefined ? `, for ${secondsText(expiresAt - at)}` : '';
  return [question, `${indent(node, snapshot)}  ${commands}${time}`];
}

/** Characters of a question in its line. */
const maxQuestionChars = 2_000;

/** Returns what is asked, cut in its middle where it is long. */
export function questionText(frame: ServerFrameOf<'approval_requested' | 'question_asked'>): {
  readonly text: string;
  readonly isCut: boolean;
} {
  if (frame.type === 'question_asked') return { text: frame.text, isCut: false };
  const { output, omitted } = boundText(questionWords(questionOf(frame)), maxQuestionChars);
  return { text: output, isCut: omitted > 0 || frame.whole !== undefined };
}

const approvalCommands = (node: string, isCut: boolean): string =>
  `/approve ${node}  or  /deny ${node}${isCut ? `  (/show ${node} for the whole text)` : ''}`;

function closingText(frame: ServerFrameOf<'approval_closed' | 'question_closed'>, viewer: Viewer): string {
  if (frame.answer === 'withdrawn') return 'no longer asked';
  if (frame.answer === 'expired') return 'not answered in time';
  const by = frame.by === viewer.speaker ? 'you' : (frame.by ?? 'nobody');
  const text = frame.type === 'question_closed' ? `: ${shorten(frame.text ?? '')}` : '';
  return `${frame.answer} by ${by}${text}`;
}

/** Empty for the viewer's own turn. */
function ownerPrefix(turn: string, snapshot: SessionSnapshot, viewer: Viewer): string {
  const owner = ownerOf(snapshot, turn);
  return owner === null || owner === viewer.speaker ? '' : `${owner}'s turn: `;
}

/** The result of a sub-agent has no duration: it follows from its start. */
function durationOf({ node, at, outcome }: ServerFrameOf<'tool_result'>, snapshot: SessionSnapshot) {
  return outcome === 'completed' || hasStopped(outcome) ? (runningMs(snapshot, node, at) ?? undefined) : undefined;
}

const callLine = (mark: string, node: string, snapshot: SessionSnapshot) =>
  `${indent(node, snapshot)}${mark} ${nameOf(snapshot, node)}`;

const indent = (node: string, snapshot: SessionSnapshot) => '  '.repeat(Math.max(1, depthOf(snapshot, node)));

/** What has opened a turn, as the others see it. */
const wordsOf = ({ text, resumes }: ServerFrameOf<'turn_opened'>): string =>
  resumes === undefined ? text : `(takes up ${resumes} again)${text === '' ? '' : ` ${text}`}`;

/** The viewer has typed the words of other turns; of a resumption, not always which turn it takes up. */
const ownResumption = ({ resumes }: ServerFrameOf<'turn_opened'>, snapshot: SessionSnapshot): readonly string[] =>
  resumes === undefined ? [] : [`(takes up ${quotedWords(snapshot, resumes)} again)`];
