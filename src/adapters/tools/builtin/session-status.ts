// Tool `session_status`: reports the calls of the turn and of the session, the running nodes of the session, and the health of the host.
import { z } from 'zod';
import type { Tool, TurnStatus } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { stoppedEnd } from '../../../core/tools/refusal.ts';
import { durationText } from '../../../core/words/durations.ts';

/** Lines of each list. Older entries are omitted. */
const maxListLines = 50;

const formatDuration = (ms: number | null) => (ms === null ? '' : ` ${durationText(ms)}`);

function formatList(title: string, lines: readonly string[]): string[] {
  const newest = lines.slice(-maxListLines);
  const omitted = lines.length - newest.length;
  const note = omitted > 0 ? [`  [${omitted} earlier ones are omitted]`] : [];
  return [`${title}: ${lines.length}`, ...note, ...newest.map((line) => `  ${line}`)];
}

const formatNode = ({ node, name }: { readonly node: string; readonly name: string | null }) =>
  name === null ? node : `${node} ${name}`;

const formatAwaited = ({ waitsFor }: TurnStatus['running'][number]) => {
  if (!waitsFor) return '';
  const { node, name, owner, session } = waitsFor;
  return ` for ${owner}'s ${name ?? 'call'} (${node})${session === undefined ? '' : ` in the session ${session}`}`;
};

const formatTimedOut = (tools: TurnStatus['session']['timedOut']) => {
  const most = tools.slice(0, maxListLines).map(({ name, timeouts }) => `${name} ${timeouts}`);
  return most.length === 0 ? '' : ` (${most.join(', ')})`;
};

function formatStatus(
  { calls, modelCalls, timeouts, session, running, abandoned, speakers, health }: TurnStatus,
  own: string,
): string {
  const earlierCalls = calls.filter(({ call }) => call !== own);
  const others = running.filter(({ node }) => node !== own);
  return [
    ...formatList(
      'calls of this turn so far',
      earlierCalls.map(({ call, name, state, ms }) => `${call} ${name} ${state}${formatDuration(ms)}`),
    ),
    `model calls of this turn: ${modelCalls}`,
    `timeouts of this turn: ${timeouts}`,
    `calls of the session so far: ${session.calls - (calls.length - earlierCalls.length)}`,
    `model calls of the session: ${session.modelCalls}`,
    `timeouts of the session: ${session.timeouts}${formatTimedOut(session.timedOut)}`,
    ...(session.omittedTurns === 0 ? [] : [`  [${session.omittedTurns} earlier turns are not counted]`]),
    ...formatList(
      'alive in the session',
      others.map((node) => `${formatNode(node)} ${node.state}${formatAwaited(node)}${formatDuration(node.ms)}`),
    ),
    ...(abandoned.length === 0
      ? []
      : formatList(
          'abandoned, perhaps still at work',
          abandoned.map((node) => `${formatNode(node)}${formatDuration(node.ms)}`),
        )),
    `speakers here: ${speakers.join(', ') || 'none'}`,
    `event loop: ${health.lagMs} ms late on average, ${health.worstLagMs} ms at worst`,
  ].join('\n');
}

/** Makes the tool `session_status`. */
export function sessionStatusTool(): Tool {
  return defineTool({
    name: 'session_status',
    description:
      'Returns the calls of this turn so far, counts over the session, what is running in it, and the health of the host.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: async (_, { signal, status, call }) => (signal.aborted ? stoppedEnd : formatStatus(status(), call)),
  });
}
