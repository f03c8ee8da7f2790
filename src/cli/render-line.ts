// A frame as lines of a terminal, in the standard words. Pure: what was heard before comes in as names.
import type { Effect, OutcomeKind } from '../../machines/vocabulary.ts';
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import type { Names } from './node-names.ts';

/** Who looks at the lines. */
export interface Viewer {
  readonly speaker: string;
  /** Whether the ref is of a command of his own at this terminal. */
  isMine(ref: string | null): boolean;
}

const shownChars = 72;

/** The lines that tell of a frame; none for a frame that is not told in lines. */
export function renderLines(frame: ServerFrame, names: Names, viewer: Viewer): readonly string[] {
  switch (frame.type) {
    case 'turn_opened':
      return viewer.isMine(frame.ref) ? [] : [`${frame.owner}> ${printable(frame.text)}`];
    case 'turn_started': {
      if (frame.parent === null) return [];
      return [`${indent(frame.parent, names)}> ${names.of(frame.parent)}: ${shortened(frame.text ?? '')}`];
    }
    case 'tool_call':
      return frame.kind === 'sub-agent'
        ? []
        : [`${indent(frame.node, names)}> ${frame.name} ${shortened(frame.arguments)}`];
    case 'tool_result':
      return [`${indent(frame.node, names)}< ${names.of(frame.node)} ${wordsOf({ ...msOf(frame, names), ...frame })}`];
    case 'tool_progress':
      return [
        `${indent(frame.node, names)}. ${names.of(frame.node)} is still running, ${seconds(frame.elapsedMs)} so far`,
      ];
    case 'tool_timeout':
      return [`${indent(frame.node, names)}. ${names.of(frame.node)} has not ended within ${seconds(frame.ms)}`];
    case 'approval_requested':
      return asks(frame, `${printable(frame.text)}`, [`/approve ${frame.node}`, `/deny ${frame.node}`], names, viewer);
    case 'question_asked': {
      const choices = frame.choices.length > 0 ? ` (${frame.choices.map(printable).join(' / ')})` : '';
      return asks(frame, `${printable(frame.text)}${choices}`, [`/answer ${frame.node} …`], names, viewer);
    }
    case 'approval_closed':
    case 'question_closed':
      return [`${indent(frame.node, names)}. ${names.of(frame.node)}: ${closedAs(frame, viewer)}`];
    case 'turn_ended':
      return names.isRoot(frame.turn) && frame.outcome !== 'completed'
        ? [`[${whose(frame.turn, names, viewer)}${wordsOf(frame)}]`]
        : [];
    case 'cancel_accepted':
      return [
        ...byOther(frame, viewer),
        ...frame.pending.map((node) => `  ${names.of(node)} (${node}): ${protectedFor(frame)}`),
        ...frame.refused.map((refusal) => notStopped(refusal, names)),
        ...runOn(frame, names),
      ];
    case 'cancel_refused': {
      const who = viewer.isMine(frame.ref) ? '' : ` (${frame.by ?? frame.source} asked)`;
      return [`Nothing is stopped${who}.`, ...frame.refused.map((refusal) => notStopped(refusal, names))];
    }
    case 'cancel_settled':
      return frame.nodes.map((node) => `  ${names.of(node.node)} (${node.node}): ${wordsOf(node)}`);
    case 'late_result':
      return [`${names.of(frame.node)} (${frame.node}), which had run on: ${wordsOf(frame)}`];
    case 'abandoned_ended':
      return [`${names.of(frame.node)} (${frame.node}), which was not seen to end, has ended now`];
    case 'session_recovered':
      return ['The gateway had died. What was open has been closed; what was started may have had effects.'];
    case 'already_settled':
      return ['Nothing to stop: it has settled already.'];
    case 'unknown_target':
      return [`Nothing to stop: ${printable(frame.target)} is not known.`];
    case 'answer_refused':
    case 'say_refused':
    case 'error':
      return [`! ${printable(frame.message)} (${frame.code})`];
    case 'left':
      return frame.reason ? [`The session has ended: ${frame.reason}.`] : [];
    default:
      return [];
  }
}

/** Text from elsewhere may hold sequences that steer a terminal: they are left out. */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');

interface Ending {
  readonly outcome: OutcomeKind;
  readonly effect: Effect;
  readonly code?: string;
  readonly message?: string;
  readonly forced?: boolean;
  readonly ms?: number;
}

const outcomeWords: Readonly<Record<OutcomeKind, string>> = {
  completed: 'completed',
  cancelled: 'cancelled',
  timed_out: 'timed out',
  superseded: 'superseded by a newer call',
  failed: 'failed',
  denied: 'denied',
  abandoned: 'abandoned',
  continues: 'not stopped: it belongs to another and is still running',
};
const stopped: readonly OutcomeKind[] = ['cancelled', 'timed_out', 'superseded'];
const effectWords: Readonly<Record<Effect, string>> = {
  not_started: '; it had not started',
  none: '',
  unknown: '; it may have had effects',
  done: '',
};

function wordsOf({ outcome, effect, code, message, forced, ms }: Ending): string {
  const how = forced ? ' by force' : '';
  const after = ms === undefined || outcome === 'continues' ? '' : ` after ${seconds(ms)}`;
  const why = code === undefined ? '' : message ? `: ${shortened(message)} (${code})` : ` (${code})`;
  const left = stopped.includes(outcome) ? effectWords[effect] : '';
  const tail = outcome === 'abandoned' ? ': it does not stop, and its end will be told' : left;
  return `${outcomeWords[outcome]}${how}${after}${why}${tail}`;
}

/** Nothing for what is the viewer's own. */
function whose(turn: string, names: Names, viewer: Viewer): string {
  const owner = names.ownerOf(turn);
  return owner === null || owner === viewer.speaker ? '' : `${owner}'s turn: `;
}

/** A sub-agent's result does not say how long it took: its start does. */
function msOf({ node, at, outcome }: ServerFrameOf<'tool_result'>, names: Names): { ms?: number } {
  const ms = outcome === 'completed' || stopped.includes(outcome) ? names.msOf(node, at) : null;
  return ms === null ? {} : { ms };
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const protectedFor = ({ pendingMs = 0 }: ServerFrameOf<'cancel_accepted'>) =>
  `pending: it may not be interrupted now, and will be stopped within ${seconds(pendingMs)}`;

function notStopped({ node, reason }: { node: string; reason: string }, names: Names): string {
  const owner = names.ownerOf(node);
  const why =
    reason === 'not_owner' && owner !== null
      ? `it belongs to ${owner}`
      : reason === 'not_allowed'
        ? 'the rule of this session does not allow it'
        : reason;
  return `  ${names.of(node)} (${node}): not stopped, ${why}`;
}

/** `ways`: what the one who is asked may type. */
function asks(
  { node, to, expiresAt, at }: ServerFrameOf<'approval_requested' | 'question_asked'>,
  text: string,
  ways: readonly string[],
  names: Names,
  viewer: Viewer,
): string[] {
  const whom = to === viewer.speaker ? 'you' : to;
  const until = expiresAt !== null && at !== undefined ? `, for ${seconds(expiresAt - at)}` : '';
  const head = `${indent(node, names)}? ${names.of(node)} asks ${whom}: ${text}`;
  return to === viewer.speaker ? [head, `${indent(node, names)}  ${ways.join('  or  ')}${until}`] : [head];
}

function closedAs(frame: ServerFrameOf<'approval_closed' | 'question_closed'>, viewer: Viewer): string {
  if (frame.answer === 'withdrawn') return 'no longer asked';
  const by = frame.by === viewer.speaker ? 'you' : (frame.by ?? 'nobody');
  const what = frame.type === 'question_closed' ? `: ${shortened(frame.text ?? '')}` : '';
  return `${frame.answer} by ${by}${what}`;
}

const runOn = ({ detached }: ServerFrameOf<'cancel_accepted'>, names: Names) =>
  detached.map((node) => `  ${names.of(node)} (${node}): detached, runs on`);

function byOther({ ref, by, source, reason }: ServerFrameOf<'cancel_accepted'>, viewer: Viewer): string[] {
  if (viewer.isMine(ref)) return [];
  const who = by === null ? source : by === viewer.speaker ? 'you, elsewhere' : by;
  return [`Stopping (${who}${reason ? `: ${shortened(reason)}` : ''})`];
}

const indent = (node: string, names: Names) => '  '.repeat(Math.max(1, names.depth(node)));

function shortened(text: string): string {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= shownChars ? line : `${line.slice(0, shownChars)}…`;
}
