// The statechart of each machine, to look at and to link to: in the inspector, or by itself.

import { type Route, routeHref } from '../page-state/routing.ts';
import { openRoute } from '../page-state/use-route.ts';
import { chartDrawings } from './statechart/chart-drawings.ts';
import { Statechart } from './statechart/statechart.tsx';

interface MachinesPageProps {
  /** The chart's id; null: the turn. */
  readonly machine: string | null;
  /** What is chosen in it: the path of a state, or the id of a transition. */
  readonly chosen: string | null;
  /** Returns the address of a chart, and of what is chosen in it. */
  readonly routeOf?: (machine: string, chosen: string | null) => Route;
}

const ownRoute = (machine: string, chosen: string | null): Route => ({ view: 'machines', machine, chosen });

/** Shows one machine, and links to the others. */
export function MachinesPage({ machine, chosen, routeOf = ownRoute }: MachinesPageProps) {
  const current = machine ?? 'turn';
  return (
    <div className="view machines">
      <nav className="machines-list" aria-label="Machines">
        {chartDrawings.map(({ id }) => (
          <a
            key={id}
            className="tab"
            href={routeHref(routeOf(id, null))}
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
        onChoose={(next) => openRoute(routeOf(current, next), { replace: true })}
      />
    </div>
  );
}
