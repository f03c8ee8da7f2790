// The view of the inspector that the address names: the tree with a chart, the sequence of events, or the CANCELs.
import { useMemo } from 'react';
import type { InspectorRoute } from '../page-state/routing.ts';
import { openRoute } from '../page-state/use-route.ts';
import { ActorDetails } from './actors/actor-details.tsx';
import { ActorTree } from './actors/actor-tree.tsx';
import { defaultActor, findActor } from './actors/tree-rows.ts';
import { EventSequence } from './events/event-sequence.tsx';
import { InspectorTabs, placeKindOf } from './inspector-tabs.tsx';
import { MachinesPage } from './machines-page.tsx';
import type { RecordStore, StoreSnapshot } from './records/record-store.ts';
import { CancelView } from './wave/cancel-view.tsx';

interface InspectorPlaceProps {
  readonly route: InspectorRoute;
  readonly store: RecordStore;
  readonly snapshot: StoreSnapshot;
  /** Whether a file is replayed. */
  readonly isFile: boolean;
}

/** Shows the view. */
export function InspectorPlace({ route, store, snapshot, isFile }: InspectorPlaceProps) {
  const { picture, version } = snapshot;
  const kind = placeKindOf(route.place);
  const named = kind === 'actor' ? route.place[1] : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the live picture changes with the version
  const actor = useMemo(
    () => (named === undefined ? defaultActor(picture) : findActor(picture, named)),
    [picture, version, named],
  );
  const id = actor?.id ?? null;
  const choose = (chosen: string) => openRoute({ ...route, place: ['actor', chosen] }, { replace: kind === 'actor' });
  return (
    <>
      <InspectorTabs route={route} actor={id} />
      <div className="inspector-view" data-kind={kind}>
        {(kind === 'tree' || kind === 'actor') && (
          <>
            <ActorTree snapshot={snapshot} chosen={id} onChoose={choose} />
            <ActorDetails actor={actor} named={named ?? null} picture={picture} />
            <EventSequence key={id} store={store} snapshot={snapshot} actor={id} isPane />
          </>
        )}
        {kind === 'events' && <EventSequence store={store} snapshot={snapshot} actor={null} />}
        {kind === 'charts' && (
          <MachinesPage
            machine={route.place[1] ?? null}
            chosen={route.place[2] ?? null}
            routeOf={(machine, chosen) => ({
              ...route,
              place: ['charts', machine, ...(chosen === null ? [] : [chosen])],
            })}
          />
        )}
        {kind === 'cancel' && (
          <CancelView
            session={route.session}
            cancel={route.place[1] ?? null}
            store={store}
            snapshot={snapshot}
            isFile={isFile}
          />
        )}
      </div>
    </>
  );
}
