// The facts of a long session, for a store: turns that are over, each with two messages.
import type { RecordedFact } from '../../machines/facts.ts';
import type { Log } from '../../src/core/contracts/log.ts';

const usage = { kind: 'exact', input: 10, output: 10 } as const;

/** Returns the facts of a turn that is over. */
function turnFacts(n: number): readonly RecordedFact[] {
  const turn = `turn_long${n}`;
  const at = 1_700_000_000_000 + n * 60_000;
  const owner = 'ann';
  const text = `Question ${n}: what comes after ${n}?`;
  const answer = `The number after ${n} is **${n + 1}**.\n\nIt is ${(n + 1) % 2 === 0 ? 'even' : 'odd'}.`;
  return [
    { type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, ref: null, at },
    { type: 'turn_started', turn, owner, parent: null, at },
    { type: 'model_started', turn, index: 0, at: at + 1 },
    {
      type: 'model_ended',
      turn,
      index: 0,
      outcome: 'completed',
      text: answer,
      cutOff: false,
      owner,
      usage,
      at: at + 2,
    },
    { type: 'turn_ended', turn, outcome: 'completed', effect: 'none', usage, ms: 2, at: at + 2 },
  ];
}

/** Facts that are written at once. */
const batch = 5_000;

/** Writes a session with so many turns into the log, as a host leaves it that has closed it. */
export async function writeLongSession(log: Log, session: string, turns: number): Promise<void> {
  const opening: RecordedFact = { type: 'session_opened', kind: 'text', policy: 'anyone', by: 'ann', at: 1 };
  const facts = [opening, ...Array.from({ length: turns }, (_, n) => turnFacts(n)).flat()];
  const epoch = await log.claim(session, 0, 'before');
  for (let from = 0; from < facts.length; from += batch)
    await log.append(session, epoch, from, facts.slice(from, from + batch));
  await log.release(session, epoch);
}
