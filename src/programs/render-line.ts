// Renders a frame as plain lines, in the standard words. Pure: what came before the frame is in the snapshot.
import { describeMedia } from '../../machines/content.ts';
import { depthOf, isAcknowledgementTurn, isRootTurn, nameOf, ownerOf, runningMs } from '../client/view/node-names.ts';
import { questionOf, questionWords } from '../client/view/questions.ts';
import type { SessionSnapshot } from '../client/view/snapshot.ts';
import { boundText } from '../core/text/bound-text.ts';
import { writeOutHidden } from '../core/text/printable.ts';
import { durationText, measuredText } from '../core/words/durations.ts';
import { finishText, hasStopped } from '../core/words/receipt-words.ts';
import type { ServerFrame, ServerFrameOf } from '../wire/server-frames.ts';
import { awaitedText, endLine, shorten } from './line-text.ts';
import { renderCancel } from './render-cancel.ts';
import { quotedWords, renderInput, wasDeferred } from './render-input.ts';
import type { Viewer } from './viewer.ts';

/** The lines of a frame; none for a frame that is not shown in lines. `snapshot`: the session after the frame. */
export function renderLines(frame: ServerFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  switch (frame.type) {
    case 'turn_opened':
      if (wasDeferred(snapshot, frame.turn)) return []; // its words have their line
      if (frame.kind === 'acknowledgement' || frame.kind === 'call') return []; // its words follow, or the line of its call
      if (viewer.isMine(frame.ref)) return ownResumption(frame, snapshot);
      return [`${frame.owner}> ${wordsOf(frame)}`];
    case 'turn_ended':
      return turnEndTexts(frame, snapshot, viewer).map((text) => `[${text}]`);
    case 'approval_requested':
    case 'question_asked':
      return renderQuestion(frame, snapshot, viewer);
    case 'approval_closed':
    case 'question_closed':
      return [`${callLine('.', frame.node, snapshot)}: ${closingText(frame, viewer)}`];
    case 'member_invited':
    case 'member_removed':
    case 'invite_created':
    case 'invite_revoked':
      return [`${frame.by === viewer.speaker ? 'You have' : `${frame.by ?? 'The host'} has`} ${memberText(frame)}.`];
    case 'tool_timeout_set':
      return [timeoutLine(frame, viewer)];
    case 'session_renamed':
      return [titleLine(frame, viewer)];
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
    case 'tool_call':
    case 'turn_started':
    case 'tool_result':
    case 'model_waiting':
    case 'tool_progress':
    case 'tool_waiting':
    case 'tool_timeout':
    case 'late_result':
    case 'abandoned_ended':
      return renderCall(frame, snapshot, viewer);
    case 'cancel_accepted':
      return [...renderCancel(frame, snapshot, viewer), ...renderInput(frame, snapshot, viewer)];
    case 'cancel_refused':
    case 'cancel_settled':
    case 'already_settled':
    case 'unknown_target':
      return renderCancel(frame, snapshot, viewer);
    case 'input_deferred':
    case 'input_settled':
      return renderInput(frame, snapshot, viewer);
    default:
      frame satisfies UnshownFrame;
      return [];
  }
}

function memberText(
  frame: ServerFrameOf<'member_invited' | 'member_removed' | 'invite_created' | 'invite_revoked'>,
): string {
  switch (frame.type) {
    case 'member_invited': {
      const role = frame.role === 'moderator' ? ' as a moderator' : '';
      return `invited ${frame.speaker}${role}${frame.invite === undefined ? '' : ' by a link'}`;
    }
    case 'member_removed':
      return `removed ${frame.speaker}`;
    case 'invite_created':
      return `made an invite link (${frame.invite})`;
    default:
      frame satisfies ServerFrameOf<'invite_revoked'>;
      return `revoked an invite link (${frame.invite})`;
  }
}

/** The frames that have no line, beside those of a later version. */
type UnshownFrame = ServerFrameOf<
  | 'welcome'
  | 'pong'
  | 'joined'
  | 'replayed'
  | 'session_opened'
  | 'stop_delegated'
  | 'imported'
  | 'speaker'
  | 'presence'
  | 'invite_link'
  | 'read'
  | 'forked'
  | 'played'
  | 'barge_in'
  | 'call_reported'
  | 'call_settled'
  | 'stop_call'
  | 'speech_stop'
  | 'speech_resume'
  | 'speech_wait'
  | 'speech_start'
  | 'stop_sound'
  | 'speech_queued'
  | 'speech_started'
  | 'speech_ended'
  | 'speech_cut'
  | 'transcript_ignored'
  | 'model_started'
  | 'model_ended'
  | 'text_delta'
  | 'reasoning_delta'
  | 'tool_input_delta'
  | 'tool_started'
  | 'tool_changed'
  | 'tool_output'
  | 'history_compacted'
  | 'acknowledged'
>;

/** Says how a turn has ended. A root turn that completed as it should needs no words. */
export function turnEndTexts(
  frame: ServerFrameOf<'turn_ended'>,
  snapshot: SessionSnapshot,
  viewer: Viewer,
): readonly string[] {
  if (!isRootTurn(snapshot, frame.turn) || isAcknowledgementTurn(snapshot, frame.turn)) return [];
  const { ms: _, ...end } = frame; // the receipt says how long it ran
  const text = end.outcome === 'completed' ? finishText(end.finish) : endLine(end);
  return text === null ? [] : [`${ownerPrefix(frame.turn, snapshot, viewer)}${text}`];
}

type CallFrame = ServerFrameOf<
  | 'tool_call'
  | 'turn_started'
  | 'tool_result'
  | 'model_waiting'
  | 'tool_progress'
  | 'tool_waiting'
  | 'tool_timeout'
  | 'late_result'
  | 'abandoned_ended'
>;

function renderCall(frame: CallFrame, snapshot: SessionSnapshot, viewer: Viewer): readonly string[] {
  switch (frame.type) {
    case 'tool_call':
      if (frame.kind === 'sub-agent') return []; // its turn has a line
      return [`${indent(frame.node, snapshot)}> ${frame.name} ${shorten(frame.arguments)}`];
    case 'turn_started':
      if (frame.parent === null) return [];
      return [`${callLine('>', frame.parent, snapshot)}: ${shorten(frame.text ?? '')}`];
    case 'tool_result': {
      const ms = frame.ms ?? durationOf(frame, snapshot);
      return [`${callLine('<', frame.node, snapshot)} ${endLine({ ...frame, ms })}`, ...mediaLines(frame, snapshot)];
    }
    case 'model_waiting':
      return [
        `[${ownerPrefix(frame.turn, snapshot, viewer)}the model has sent nothing for ${durationText(frame.elapsedMs)}]`,
      ];
    case 'tool_progress':
      return [`${callLine('.', frame.node, snapshot)} is still running, ${durationText(frame.elapsedMs)} so far`];
    case 'tool_waiting': {
      const time = frame.elapsedMs > 0 ? `, ${durationText(frame.elapsedMs)} so far` : '';
      return [
        `${callLine('.', frame.node, snapshot)} is waiting for ${awaitedText(frame.waitsFor, viewer.speaker)}${time}`,
      ];
    }
    case 'tool_timeout':
      return [`${callLine('.', frame.node, snapshot)} has not ended within ${durationText(frame.ms)}`];
    case 'late_result':
      return [`${nameOf(snapshot, frame.node)}, which had run on: ${endLine(frame)}`];
    case 'abandoned_ended':
      return [`${nameOf(snapshot, frame.node)}, which had not stopped, has ended now`];
    default:
      frame satisfies never;
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
  const { text: asked, isCut } = questionText(frame);
  const text = writeOutHidden(asked);
  const isForViewer = to === viewer.speaker;
  const choices =
    type === 'question_asked' && frame.choices.length > 0 ? ` (${writeOutHidden(frame.choices.join(' / '))})` : '';
  const question = `${callLine('?', node, snapshot)} asks ${isForViewer ? 'you' : to}: ${text}${choices}`;
  if (!isForViewer) return [question];
  const commands =
    type === 'question_asked'
      ? `/answer ${node} ${frame.schema ? 'name=value; name=value' : '…'}`
      : approvalCommands(node, isCut);
  const time = expiresAt !== null && at !== undefined ? `, for ${durationText(expiresAt - at)}` : '';
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

/** Returns the words that name the owner of a turn; empty for the viewer's own turn. */
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

/** Returns the words that have opened a turn, as the others see them. */
const wordsOf = ({ text, resumes }: ServerFrameOf<'turn_opened'>): string =>
  resumes === undefined ? text : `(takes up ${resumes} again)${text === '' ? '' : ` ${text}`}`;

/** The viewer has typed the words of other turns; of a resumption, not always which turn it takes up. */
const ownResumption = ({ resumes }: ServerFrameOf<'turn_opened'>, snapshot: SessionSnapshot): readonly string[] =>
  resumes === undefined ? [] : [`(takes up ${quotedWords(snapshot, resumes)} again)`];

function timeoutLine({ tool, ms, by }: ServerFrameOf<'tool_timeout_set'>, viewer: Viewer): string {
  const who = by === viewer.speaker ? 'You have' : `${by ?? 'The host'} has`;
  return `${who} set the timeout of ${tool} to ${ms === null ? 'what is configured' : measuredText(ms)}.`;
}

function titleLine({ title, by }: ServerFrameOf<'session_renamed'>, viewer: Viewer): string {
  const who = by === viewer.speaker ? 'You have' : `${by ?? 'The host'} has`;
  return title === null ? `${who} removed the title of the session.` : `${who} called the session "${title}".`;
}
