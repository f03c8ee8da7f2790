// Bugs to plant that only a crash of the host sees: in recovery, in the journal, and in what a session knows of its earlier life.

/** The fields of a planted bug (plants.ts, which imports this list). */
interface CrashPlant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly scenario: string;
}

const bugs: readonly CrashPlant[] = [
  {
    name: 'a call that a crash has ended had not started',
    file: 'src/core/transcript/close-turns.ts',
    from: "effect: started || child ? 'unknown' : 'not_started'",
    to: "effect: child ? 'unknown' : 'not_started'",
    scenario: 'effect before the end',
  },
  {
    name: 'a crash is the cause of what was stopped before it',
    file: 'src/core/transcript/close-turns.ts',
    from: "const outcome = cause ? outcomeOf(cause) : 'failed';",
    to: "const outcome = 'failed' as OutcomeKind;",
    scenario: 'parallel tools',
  },
  {
    name: 'recovery writes no receipts',
    file: 'src/core/transcript/recover.ts',
    from: '...lateEnds, ...receipts];',
    to: '...lateEnds];',
    scenario: 'parallel tools',
  },
  {
    name: 'recovery leaves questions open',
    file: 'src/core/transcript/recover.ts',
    from: '[...withdrawQuestions(facts), ...inputs, ...speeches',
    to: '[...inputs, ...speeches',
    scenario: 'approval',
  },
  {
    name: 'recovery forgets words that wait for a turn',
    file: 'src/core/transcript/recover.ts',
    from: '...withdrawQuestions(facts), ...inputs, ...speeches',
    to: '...withdrawQuestions(facts), ...speeches',
    scenario: 'steer',
  },
  {
    name: 'facts are committed before they are durable',
    file: 'src/core/transcript/journal.ts',
    from: 'await log.append(session, epoch, from, facts);',
    to: 'void log.append(session, epoch, from, facts);',
    scenario: 'plain response',
  },
  {
    name: 'a session forgets its earlier life',
    file: 'src/core/session/recover-session.ts',
    from: 'for (const part of replayed) part.add(events);',
    to: '',
    scenario: 'parallel tools',
  },
];

export const crashPlants = bugs.map((bug) => ({ ...bug, sweep: 'crashes' as const }));
