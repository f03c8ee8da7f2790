// Brings an event to its machine at once, as the runtime would a little later: a deadline, newer words, the loss of all connections, the end of a stop budget.
import type { NodeEntry } from '../../../src/core/live/node-entry.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { disconnectGraceMs } from '../world/simulated-host.ts';
import { type SimulatedWorld, session } from '../world/world.ts';
import type { CellSource } from './injections.ts';

/** The deadline of a turn in a scenario whose deadline is brought. Nothing else takes so long. */
export const farDeadlineMs = 50_000;
const leastDeadlineMs = 40_000;

const timerMs = (lane: string): number => Number(/^timer of ([\d.]+) ms$/.exec(lane)?.[1] ?? 0);

/** More rounds of the microtask queue than a cut and the end of its workers take. */
const roundsOfCut = 30;

/** Calls `act` after each of so many rounds of the microtask queue. */
function inRounds(rounds: number, act: (round: number) => void): void {
  if (rounds === 0) return;
  queueMicrotask(() => {
    act(rounds - 1);
    inRounds(rounds - 1, act);
  });
}

export function performCellEvent(
  source: Exclude<CellSource, 'forced shutdown'>,
  world: SimulatedWorld,
  scheduler: Scheduler,
): void {
  const { runtime, clients } = world;
  const { alice, bob, carol } = clients;
  if (!runtime) return;
  const ignore = () => {}; // the runtime may be closing
  const caller = { speaker: { id: 'alice', roles: ['member'] as const }, connection: alice.client.connection ?? '' };
  switch (source) {
    case 'deadline':
      return scheduler.hurry((lane) => timerMs(lane) > leastDeadlineMs && timerMs(lane) <= farDeadlineMs);
    case 'newer words':
      return void runtime.say(session, caller, { text: 'newer' }).catch(ignore);
    case 'gone':
      for (const client of [alice, bob]) if (client.session.state === 'joined') client.lose(); // the others have lost theirs
      return inRounds(roundsOfCut, () => scheduler.hurry((lane) => timerMs(lane) === disconnectGraceMs));
    case 'model':
      return void runtime.cancel(session, caller, { target: 'session', source: 'model' }).catch(ignore);
    case 'overdue': {
      const sendOverdue = (isMeant: (entry: NodeEntry) => boolean) => {
        for (const entry of world.entries().toReversed())
          if (entry.state.kind === 'cut' && entry.state.mark.work === 'aborted' && isMeant(entry))
            entry.send({ type: 'OVERDUE' });
      };
      sendOverdue((entry) => world.coverage.hasRestedCut(entry));
      // no budget is over before all promises of the cut have settled
      return inRounds(roundsOfCut, (left) => left === 0 && sendOverdue(() => true));
    }
    case 'barge-in': {
      const inRoom = { ...caller, connection: bob.client.connection ?? '', via: 'bob' };
      return void runtime.voice.bargeIn(session, inRoom, { durationMs: 600 }).catch(ignore);
    }
    case 'steer at once':
      return void runtime.say(session, caller, { text: 'faster', steer: {} }).catch(ignore);
    case 'bad frames':
      return carol.sendBadFrames();
  }
}
