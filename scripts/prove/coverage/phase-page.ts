// The table of docs/cancellation.md on a CANCEL in each phase: its last column is what the runs of the proof have seen.

import { ruleOfCause } from '../../../machines/cause-rules.ts';
import { causeSources, outcomeKinds } from '../../../machines/vocabulary.ts';
import { phases } from './cells.ts';

export const phasePage = 'docs/cancellation.md';
const head = '| phase | on CANCEL | ends |';
/** In the place of ends, in a phase in which no CANCEL stops anything. */
const noEnds = '–';

/** How nodes ended that were stopped in a phase: each outcome with the effects that it had. */
export type EndsByPhase = Readonly<Record<string, readonly string[]>>;

/** The outcomes that follow from a cause. */
const ofCause = new Set<string>(causeSources.map((source) => ruleOfCause(source).outcome));

/** The phases of nodes in which a CANCEL can find them. */
const rows = phases.filter((phase) =>
  /^(turn|tool-call|sub-agent) ([a-z]+\.active|queued|settling\.appending)$/.test(phase),
);

/** The name of a phase on the page. */
const nameOf = (phase: string): string => {
  const [kind = '', state = ''] = phase.split(' ');
  return `${kind.replace('tool-', 'tool ')}, ${state.replace(/\..*/, '')}`;
};

function endsText(ends: readonly string[]): string {
  const byOutcome = Map.groupBy(ends, (end) => {
    const [outcome = ''] = end.split(', ');
    return ofCause.has(outcome) ? 'cause' : outcome;
  });
  const order = ['cause', ...outcomeKinds];
  const texts = [...byOutcome]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([outcome, all]) => {
      const effects = [...new Set(all.map((end) => end.split(', ')[1]))].sort().map((effect) => `\`${effect}\``);
      return `${outcome === 'cause' ? 'as its cause says' : `\`${outcome}\``}: ${effects.join(', ')}`;
    });
  return texts.length === 0 ? noEnds : texts.join('; ');
}

const isRow = (line: string) => line.startsWith('| ');
const cellsOf = (line: string) => line.slice(2, -2).split(' | ');

/** The rows of the table: each phase of the page with its sentence and its ends. */
export function phaseRowsOf(page: string): readonly (readonly [phase: string, onCancel: string, ends: string])[] {
  const lines = page.split('\n');
  const from = lines.indexOf(head) + 2;
  const to = lines.findIndex((line, i) => i >= from && !isRow(line));
  return lines.slice(from, to).map((line) => cellsOf(line) as unknown as readonly [string, string, string]); // three cells: a test asks for them
}

/** The names of the phases that the table has to have, in their order. */
export const pagePhases: readonly string[] = rows.map(nameOf);

/** Returns the page with what was seen. */
export function phasePageWith(page: string, ends: EndsByPhase): string {
  const texts = new Map(rows.map((phase) => [nameOf(phase), endsText(ends[phase] ?? [])]));
  return page
    .split('\n')
    .map((line) => {
      const [phase = '', onCancel] = isRow(line) ? cellsOf(line) : [];
      const text = texts.get(phase);
      return text === undefined ? line : `| ${phase} | ${onCancel} | ${text} |`;
    })
    .join('\n');
}

/** Returns what was seen and is not on the page, a line for each phase. `isWhole`: what is on the page has to be seen, too. */
export function pageProblems(page: string, ends: EndsByPhase, isWhole: boolean): readonly string[] {
  const written = new Map(phaseRowsOf(page).map(([phase, , text]) => [phase, text]));
  return rows.flatMap((phase) => {
    const text = written.get(nameOf(phase)) ?? '';
    const seen = endsText(ends[phase] ?? []);
    const unwritten = (ends[phase] ?? []).filter((end) => !hasEnd(text, end));
    const isWrong = isWhole ? seen !== text : unwritten.length > 0;
    return isWrong ? [`${nameOf(phase)}: seen are ${seen}; ${phasePage} has ${text}`] : [];
  });
}

/** Whether the text of a row has an end. */
function hasEnd(text: string, end: string): boolean {
  const [outcome = '', effect = ''] = end.split(', ');
  const name = ofCause.has(outcome) ? 'as its cause says' : `\`${outcome}\``;
  return text.split('; ').some((part) => part.startsWith(`${name}: `) && part.includes(`\`${effect}\``));
}
