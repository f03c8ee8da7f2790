// The cells of the coverage: each phase in which a machine rests, with each event that may come then; and the cells that are impossible, with the reason.
import type { AnyStateMachine } from 'xstate';
import { causeSources } from '../../../machines/vocabulary.ts';
import { allMachines } from '../../all-machines.ts';

/** The causes of a CANCEL. `crash` is none here: it is the death of the host. */
const cancelCauses = causeSources.filter((source) => source !== 'crash');

/** The causes of a CANCEL, then the other events. */
export const cellEvents = [...cancelCauses, 'OVERDUE', 'BARGE_IN', 'STEER', 'lost client', 'crash'] as const;
export type CellEvent = (typeof cellEvents)[number];

type State = AnyStateMachine['root'];

const leavesOf = (state: State): readonly State[] => {
  const states = Object.values(state.states) as State[];
  return states.length === 0 ? [state] : states.flatMap(leavesOf);
};

const targetsIn = (state: State): readonly State[] => [
  ...[...state.transitions.values()].flat().flatMap(({ target = [] }) => target),
  ...(state.always ?? []).flatMap(({ target = [] }) => target),
  ...(Object.values(state.states) as State[]).flatMap(targetsIn),
];

/** Whether a machine may stay in a state for more than a tick. */
function isRest(state: State, targets: ReadonlySet<State>): boolean {
  const { type, always = [], meta, parent } = state;
  const isPassed = always.some(({ guard }) => !guard) || String(meta?.['CANCEL']).startsWith('never rests');
  const isReached = targets.has(state) || parent?.initial.target.includes(state) === true;
  return type !== 'final' && !isPassed && isReached;
}

/** The phases of all machines, each with the name of its machine: `turn acting.active`. */
export const phases: readonly string[] = allMachines.flatMap(({ machine: { id, root } }) => {
  const targets = new Set(targetsIn(root));
  return leavesOf(root)
    .filter((leaf) => isRest(leaf, targets))
    .map(({ path }) => `${id} ${path.join('.')}`);
});

export const cellOf = (phase: string, event: CellEvent): string => `${phase} × ${event}`;

/** Cells that no run may visit. */
interface ImpossibleCells {
  readonly phases: readonly string[];
  readonly events: readonly CellEvent[];
  readonly why: string;
}

/** At most one cell in ten is here. A run that visits one breaks a law. */
export const impossible: readonly ImpossibleCells[] = [
  {
    phases: ['session recovering'],
    events: [...cancelCauses, 'OVERDUE', 'BARGE_IN', 'STEER'],
    why: 'No event reaches the machine before recovery is over, and nothing lives before that.',
  },
  {
    phases: ['session closing'],
    events: ['phrase', 'STEER'],
    why: 'A runtime that closes takes no words.',
  },
  {
    phases: ['turn compacting.interrupted', 'turn settling.appending'],
    events: ['deadline', 'superseded'],
    why: 'Only a root turn is in this phase, and a deadline or newer words stop no root turn that is stopped or settles.',
  },
  {
    phases: ['tool-call approving.abandoned', 'tool-call queued.abandoned'],
    events: cellEvents,
    why: 'The worker ends with its signal, before the budget of the call can be over.',
  },
];

/** Returns why a cell is impossible; null: it is possible. */
export const whyImpossible = (phase: string, event: CellEvent): string | null =>
  impossible.find(({ phases: some, events }) => some.includes(phase) && events.includes(event))?.why ?? null;
