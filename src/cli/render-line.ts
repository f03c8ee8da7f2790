// A frame as lines of a terminal, in the standard words. Pure: what was heard before comes in as names.
import type { Effect, OutcomeKind } from '../../machines/vocabulary.ts';
import type { ServerFrame, ServerFrameOf } from '../protocol/frames.ts';
import type { Names } from './names.ts';

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
      return [`${indent(frame.parent, names)}> ${names.of(frame.turn)}: ${shortened(frame.text ?? '')}`];
    }
    case 'tool_call':
      return frame.kind === 'sub-agent'
        ? []
        : [`${indent(frame.node, names)}> ${frame.name} ${shortened(frame.arguments)}`];
    case 'tool_result':
      return [`${indent(frame.node, names)}< ${names.of(frame.node)} ${wordsOf(frame)}`];
    case 'turn_ended':
      return names.isRoot(frame.turn) && frame.outcome !== 'completed' ? [`[${wordsOf(frame)}]`] : [];
    case 'cancel_accepted':
      return [
        ...byOther(frame, viewer),
        ...frame.refused.map((refusal) => notStopped(refusal, names)),
        ...runOn(frame, names),
      ];
    case 'cancel_refused':
      return ['Not stopped.', ...frame.refused.map((refusal) => notStopped(refusal, names))];
    case 'cancel_settled':
      return frame.nodes.map((node) => `  ${names.of(node.node)} (${node.node}): ${wordsOf(node)}`);
    case 'late_result':
      return [`${names.of(frame.node)} (${frame.node}), which had run on: ${wordsOf(frame)}`];
    case 'abandoned_ended':
      return [`${names.of(frame.node)} (${frame.node}), which had been abandoned, has ended`];
    case 'session_recovered':
      return ['The gateway had died. What was open has been closed; what was started may have had effects.'];
    case 'already_settled':
      return ['Nothing to stop: it has settled already.'];
    case 'unknown_target':
      return [`Nothing to stop: ${printable(frame.target)} is not known.`];
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
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '');

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
  const after = ms === undefined || outcome === 'continues' ? '' : ` after ${(ms / 1_000).toFixed(1)} s`;
  const why = code === undefined ? '' : message ? `: ${shortened(message)} (${code})` : ` (${code})`;
  const left = stopped.includes(outcome) ? effectWords[effect] : '';
  const tail = outcome === 'abandoned' ? ': it does not stop, and its end will be told' : left;
  return `${outcomeWords[outcome]}${how}${after}${why}${tail}`;
}

const notStopped = ({ node, reason }: { node: string; reason: string }, names: Names) =>
  `  ${names.of(node)} (${node}): not stopped (${reason})`;

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
