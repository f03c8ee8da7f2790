// The views of the inspector, each with an address of its own. On a wide screen the tree and the chart stand side by side.
import { type InspectorRoute, routeHref } from '../page-state/routing.ts';

/** A view. `tree`: the tree of actors, beside the chart of the newest turn. `actor`: the chart of the actor that the address names, beside the tree. `charts`: all charts, of no actor. */
type PlaceKind = 'tree' | 'actor' | 'events' | 'cancel' | 'charts';

/** Returns the view that the place in an address names: the tree, if it names no known one. */
export function placeKindOf([kind]: InspectorRoute['place']): PlaceKind {
  return kind === 'actor' || kind === 'events' || kind === 'cancel' || kind === 'charts' ? kind : 'tree';
}

interface InspectorTabsProps {
  readonly route: InspectorRoute;
  /** The actor that is shown; null: none. */
  readonly actor: string | null;
}

/** Links to the views. */
export function InspectorTabs({ route, actor }: InspectorTabsProps) {
  const kind = placeKindOf(route.place);
  const tab = (name: string, place: readonly string[], isCurrent: boolean, className = '') => (
    <a
      className={`tab ${className}`}
      href={routeHref({ ...route, place })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {name}
    </a>
  );
  const actorPlace = actor === null ? [] : ['actor', actor];
  return (
    <nav className="tabs inspector-tabs" aria-label="Views of the inspector">
      {tab('Machines', actorPlace, kind === 'tree' || kind === 'actor', 'only-wide')}
      {tab('Tree', [], kind === 'tree', 'only-narrow')}
      {tab('Chart', actorPlace, kind === 'actor', 'only-narrow')}
      {tab('Events', ['events'], kind === 'events')}
      {tab('Cancels', ['cancel'], kind === 'cancel')}
      {tab('All charts', ['charts'], kind === 'charts')}
    </nav>
  );
}
