// Draws docs/machines.md from the machines themselves: a chart of each, and its table of phase and event; and docs/charts (npm run draw).
import { writeFileSync } from 'node:fs';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { connectionMachine } from '../machines/connection.ts';
import { sessionMachine } from '../machines/session.ts';
import { speechMachine } from '../machines/speech.ts';
import { subAgentMachine } from '../machines/sub-agent.ts';
import { toolCallMachine } from '../machines/tool-call.ts';
import { turnMachine } from '../machines/turn.ts';
import { writeCharts } from './draw-charts.ts';
import { chartOf } from './mermaid.ts';
import { tableOf } from './phase-table.ts';

const machines: readonly (readonly [AnyStateMachine, string])[] = [
  [connectionMachine, 'One socket, from its upgrade to its close.'],
  [
    sessionMachine,
    'The only one that decides: it gives a verdict on each CANCEL once, and queues turns in their lanes.',
  ],
  [
    turnMachine,
    'From the words of a speaker until the reply is settled. It goes round: prepare, generate, dispatch, act.',
  ],
  [toolCallMachine, 'One call of a tool.'],
  [subAgentMachine, 'Stands where a tool call would, with a turn of its own below it.'],
  [speechMachine, "The bot's speech in a voice session: see [voice](voice.md)."],
];

const legend = `# The machines

Generated from \`machines/*.ts\` by \`npm run draw\`; a test holds it fresh. The words are defined in
[architecture.md](architecture.md).

In the charts, \`[guard]\` must hold, the actions follow the slash, and a text before a dot names the inner phase that a
transition leaves. In the tables, an event that a phase does not handle itself is handled by the phases around it; several answers
are tried in order; a dash is an event that changes nothing there. "work ends" is the end of the worker that the phase waits for.
`;

function sectionOf([machine, sentence]: readonly [AnyStateMachine, string]): string {
  const root: AnyStateNode = machine.root;
  return `## ${machine.id}\n\n${sentence}\n\n\`\`\`mermaid\n${chartOf(root)}\n\`\`\`\n\n${tableOf(root)}\n`;
}

/** Returns the text of docs/machines.md. */
export const machinesPage = (): string => [legend, ...machines.map(sectionOf)].join('\n');

if (import.meta.main) {
  writeFileSync(new URL('../docs/machines.md', import.meta.url), machinesPage());
  writeCharts();
}
