// The inspector: the machines of a session, or of all, at work.
import { useMemo } from 'react';
import { routeHref } from '../page-state/routing.ts';
import { CancelPlace } from './cancel-place.tsx';
import { RecordWaves } from './wave-of-records.ts';

interface InspectorPageProps {
  /** Null: all sessions. */
  readonly session: string | null;
  /** What is shown, as the address has it: the parts after the session. */
  readonly place: readonly string[];
}

/** Shows the machines at work. */
export function InspectorPage({ session, place }: InspectorPageProps) {
  const recorded = useMemo(() => new RecordWaves([]), []);
  if (place[0] === 'cancel' && session !== null)
    return (
      <div className="view">
        <CancelPlace key={session} {...{ session, recorded }} cancel={place[1] ?? null} isFile={false} />
      </div>
    );
  return (
    <div className="view sheet">
      <h2>Inspector</h2>
      <p className="soft">The machines of {session ?? 'all sessions'} are not shown on this page yet.</p>
      <p>
        <a href={routeHref({ view: 'machines', machine: null, chosen: null })}>The machines, without a session</a>
      </p>
    </div>
  );
}
