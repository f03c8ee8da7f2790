// Draws docs/machines.md from the machines themselves: a chart of each, and its table of phase and event; and docs/charts, and the drawings of the page (npm run draw).
import { writeFileSync } from 'node:fs';
import type { AnyStateNode } from 'xstate';
import { allMachines, type DescribedMachine } from './all-machines.ts';
import { writeCharts } from './draw-charts.ts';
import { writeDrawings } from './drawings/write-drawings.ts';
import { chartOf } from './mermaid.ts';
import { tableOf } from './phase-table.ts';

const legend = `# The machines

Generated from \`machines/*.ts\` by \`npm run draw\`; a test holds it fresh. The words are defined in
[architecture.md](architecture.md).

In the charts, \`[guard]\` must hold, the actions follow the slash, and a text before a dot names the inner phase that a
transition leaves. In the tables, an event that a phase does not handle itself is handled by the phases around it; several answers
are tried in order; a dash is an event that changes nothing there. "work ends" is the end of the worker that the phase waits for.

[The page](how-to/page.md) draws them too, at \`/#/machines\`.
`;

function sectionOf({ machine, about, see }: DescribedMachine): string {
  const root: AnyStateNode = machine.root;
  return `## ${machine.id}\n\n${[about, see].filter(Boolean).join(' ')}\n\n\`\`\`mermaid\n${chartOf(root)}\n\`\`\`\n\n${tableOf(root)}\n`;
}

/** Returns the text of docs/machines.md. */
export const machinesPage = (): string => [legend, ...allMachines.map(sectionOf)].join('\n');

if (import.meta.main) {
  writeFileSync(new URL('../docs/machines.md', import.meta.url), machinesPage());
  writeCharts();
  writeDrawings();
}
