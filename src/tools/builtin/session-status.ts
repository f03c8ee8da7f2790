// The tool `session_status`: what has happened in the model's turn so far, what is running, and how the host is doing.
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { stoppedEnd } from '../refusal.ts';
import type { Tool, TurnStatus } from '../tool.ts';

/** Of each list: the newest. */
const maxLines = 50;

const seconds = (ms: number | null) => (ms === null ? '' : ` ${(ms / 1_000).toFixed(1)} s`);

function listed(title: string, lines: readonly string[]): string[] {
  const [shown, left] = [lines.slice(-maxLines), lines.length - maxLines];
  const note = left > 0 ? [`  [${left} earlier ones are left out]`] : [];
  return [`${title}: ${lines.length}`, ...note, ...shown.map((line) => `  ${line}`)];
}

const named = ({ node, name }: { readonly node: string; readonly name: string | null }) =>
  name === null ? node : `${node} ${name}`;

function told({ calls, modelCalls, timeouts, running, abandoned, speakers, health }: TurnStatus, own: string): string {
  const others = running.filter(({ node }) => node !== own);
  return [
    ...listed(
      'calls of this turn so far',
      calls
        .filter(({ call }) => call !== own)
        .map(({ call, name, state, ms }) => `${call} ${name} ${state}${seconds(ms)}`),
    ),
    `model calls of this turn: ${modelCalls}`,
    `timeouts of this turn: ${timeouts}`,
    ...listed(
      'alive in the session',
      others.map((node) => `${named(node)} ${node.state}${seconds(node.ms)}`),
    ),
    ...(abandoned.length === 0
      ? []
      : listed(
          'given up, and perhaps still at work',
          abandoned.map((node) => `${named(node)}${seconds(node.ms)}`),
        )),
    `speakers here: ${speakers.join(', ') || 'nobody'}`,
    `event loop: ${health.lagMs} ms late on average, ${health.worstLagMs} ms at worst`,
  ].join('\n');
}

export function sessionStatusTool(): Tool {
  return defineTool({
    name: 'session_status',
    description: 'Tells what this turn has called so far, what is running in the session, and how the host is doing.',
    input: z.object({}),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: async (_, { signal, status, call }) => (signal.aborted ? stoppedEnd : told(status(), call)),
  });
}
