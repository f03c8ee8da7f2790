// The state of a run at a step, as a text: two moments with the same one differ in nothing that a stop depends on.

import type { Scheduler } from '../world/scheduler.ts';
import type { SimulatedWorld } from '../world/world.ts';
import { phaseOf } from './injections.ts';

/** The kinds of what may be in flight, by the beginnings of their lanes. */
const flights: Readonly<Record<string, string>> = {
  'the store': 'store',
  'the restart': 'restart',
  'gateway to ': 'frames of the gateway',
  'tool ': 'tools',
  'model ': 'model',
};

const prefixes = Object.entries(flights);

/** Returns what is in flight in a lane; null: a timer. */
function flightOf(lane: string): string | null {
  if (lane.startsWith('timer')) return null;
  for (const [prefix, flight] of prefixes) if (lane.startsWith(prefix)) return flight;
  return 'frames of clients';
}

/** The phase of each machine, whether its node is cut, whether a question is open, and what is in flight. Timers are not in flight. */
export function describeMoment(world: SimulatedWorld, scheduler: Scheduler): string {
  const nodes = world.entries().map((entry) => `${phaseOf(entry)}${entry.cut ? ' cut' : ''}`);
  const host = [...(world.runtime ? [] : ['no host']), ...(world.hasOpenQuestion ? ['a question'] : [])];
  const flying = new Set<string>();
  for (const lane of scheduler.lanes) {
    const flight = flightOf(lane);
    if (flight !== null) flying.add(flight);
  }
  return [...host, ...nodes.sort(), ...[...flying].sort()].join(', ');
}
