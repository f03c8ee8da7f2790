// What the runtime itself tells the model of the turns beside the one that asks: how one ended, and what else is open.
//
// A note stands at the head of the next speaker's message. A message of its own would have to be a `system` one, which many
// endpoints take in the first place only, or a second `user` one in a row, which some chat templates refuse.
import type { ToolResult } from '../../machines/facts.ts';
import type { Cause, NodeId } from '../../machines/vocabulary.ts';
import { type CallOutline, callsOf, type TurnOutline } from './outline.ts';
import { sentenceOf } from './wording.ts';

const maxQuoted = 300; // characters of another turn's words

/** What a note is made from: the words of an outline that need all of it. */
export interface Telling {
  resultOf(call: CallOutline): ToolResult;
  causeOf(id: NodeId): Cause | null;
}

export const note = (text: string): string => `[Note by the runtime, not by a speaker: ${text}]`;

const quoted = (text: string): string =>
  JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…`.toWellFormed() : text);

const reasons: Readonly<Record<Cause['source'], (by: string) => string>> = {
  client: (by) => `was stopped by ${by}`,
  phrase: (by) => `was stopped by ${by}`,
  http: (by) => `was stopped by ${by}`,
  disconnect: (by) => `was stopped because ${by} had gone`,
  deadline: () => 'was stopped because its time was over',
  superseded: () => 'was stopped because a newer one has taken its place',
  shutdown: () => 'was stopped because the runtime shut down',
  crash: () => 'was stopped by a crash',
};

function ending({ id, ended }: TurnOutline, { causeOf }: Telling): string {
  const cause = causeOf(id);
  if (ended?.outcome !== 'failed' && cause) {
    const { source, by, reason } = cause;
    const why = Object.hasOwn(reasons, source) ? reasons[source](by ?? 'the runtime') : 'was stopped';
    return `${why}${reason ? ` (${quoted(reason)})` : ''}, before it was finished`;
  }
  const because = ended?.message || (ended?.code && sentenceOf(ended.code));
  return `ended early (${ended?.outcome ?? 'failed'}${because ? `: ${because}` : ''})`;
}

interface Part {
  readonly heading: string;
  is(result: ToolResult, call: CallOutline): boolean;
  say?(result: ToolResult, call: CallOutline): string;
}

/** Each call stands under the first heading that is true of it. */
const parts: readonly Part[] = [
  { heading: 'Completed', is: ({ outcome }) => outcome === 'completed' },
  {
    heading: 'Not stopped, it ran on',
    is: ({ outcome }) => outcome === 'continues',
    say: (_, { made }) => ` for ${made.owner}`,
  },
  {
    heading: 'Told to stop, and still not ended',
    is: ({ outcome }, { abandonedEnded }) => outcome === 'abandoned' && !abandonedEnded,
  },
  { heading: 'Did not run', is: ({ effect }) => effect === 'not_started' },
  { heading: 'Had no effects', is: ({ effect }) => effect === 'none' },
  { heading: 'May have had effects', is: () => true },
];

function fates(turn: TurnOutline, telling: Telling): string {
  const calls = callsOf(turn).map((call) => ({ call, result: telling.resultOf(call) }));
  return parts
    .map(({ heading, say }, place) => {
      const own = calls.filter(({ call, result }) => parts.findIndex(({ is }) => is(result, call)) === place);
      const names = own.map(({ call, result }) => `${call.made.name} (${call.made.node})${say?.(result, call) ?? ''}`);
      return names.length > 0 ? ` ${heading}: ${names.join(', ')}.` : '';
    })
    .join('');
}

/** What has been heard since of calls that the turn had left behind. */
function lateEnds(turn: TurnOutline): string {
  return callsOf(turn)
    .flatMap(({ made, late, abandonedEnded }) => {
      const what = `${made.name} (${made.node})`;
      const output = late?.output ?? abandonedEnded?.output;
      const shown = output ? `, with this output: ${output}` : '';
      if (late && late.outcome !== 'abandoned') return [` ${what} has ended since: ${late.outcome}${shown}.`];
      if (abandonedEnded) return [` ${what} has ended since${shown}.`];
      return [];
    })
    .join('');
}

/** How a settled turn ended, for those that come after it; null where its messages say all. */
export function noteAfter(turn: TurnOutline, telling: Telling): string | null {
  const late = lateEnds(turn);
  if (turn.ended?.outcome === 'completed') return late === '' ? null : note(late.trimStart());
  return note(
    `the turn above ${ending(turn, telling)}.${fates(turn, telling)}${late} Do not take any of it up again ` +
      'unasked: whether to try again, to go another way or to leave it is for the speakers to say.',
  );
}

/** What a detached agent was told, in place of a speaker's words. */
export const noteOfTask = ({ opened, owner }: TurnOutline): string =>
  note(
    `the agent ${opened?.agent ?? ''} was started in the background for ${owner}, and works by itself on: ${opened?.text ?? ''}`,
  );

/** The turns that are open beside the one that asks; null: there are none. */
export function noteOfOpen(turns: readonly TurnOutline[]): string | null {
  if (turns.length === 0) return null;
  const lines = turns.map(({ opened, owner }) =>
    opened?.kind === 'agent'
      ? `the agent ${opened.agent ?? ''} is working in the background for ${owner} on ${quoted(opened.text)}`
      : `${owner} has said ${quoted(opened?.text ?? '')}, which is being answered by itself: do not answer it here`,
  );
  return note(lines.join('; '));
}
