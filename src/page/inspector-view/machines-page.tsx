// The machines without a session: the statechart of each, to look at and to link to.

import { routeHref } from '../page-state/routing.ts';
import { openRoute } from '../page-state/use-route.ts';
import { chartDrawings } from './statechart/chart-drawings.ts';
import { Statechart } from './statechart/statechart.tsx';

interface MachinesPageProps {
  /** The chart's id; null: the turn. */
  readonly machine: string | null;
  /** What is chosen in it: the path of a state, or the id of a transition. */
  readonly chosen: string | null;
}

/** Shows one machine, and links to the others. */
export function MachinesPage({ machine, chosen }: MachinesPageProps) {
  const current = machine ?? 'turn';
  return (
    <div className="view machines">
      <nav className="machines-list" aria-label="Machines">
        {chartDrawings.map(({ id }) => (
          <a
            key={id}
            className="tab"
            href={routeHref({ view: 'machines', machine: id, chosen: null })}
            aria-current={id === current ? 'page' : undefined}
          >
            {id}
          </a>
        ))}
      </nav>
      <Statechart
        chart={current}
        value={null}
        last={null}
        chosen={chosen}
        onChoose={(next) => openRoute({ view: 'machines', machine: current, chosen: next }, { replace: true })}
      />
    </div>
  );
}
