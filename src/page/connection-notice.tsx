// The notice about the connection: it says when it is lost, what is done about it, and that nothing was lost.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { ClientState } from '../client/reconnecting-link.ts';
import { addMs, msUntil } from '../core/sources/monotonic-time.ts';
import { leftText } from '../core/words/durations.ts';
import { useConnection, useConnectionState } from './page-state/connection-context.ts';
import { pageClock } from './page-state/page-clock.ts';
import type { OpenSession } from './page-state/page-connection.ts';

/** Says how the connection is, while there is something to say. */
export function ConnectionNotice({ opened }: { readonly opened: OpenSession | null }) {
  const state = useConnectionState();
  return (
    <div role="status" aria-live="polite">
      {state.kind === 'reconnecting' && <Lost state={state} />}
      {state.kind === 'closed' && <p className="notice">The connection is closed: {state.because.message}</p>}
      {state.kind === 'open' && opened && <Returned opened={opened} />}
    </div>
  );
}

function Lost({ state }: { readonly state: Extract<ClientState, { kind: 'reconnecting' }> }) {
  const { client } = useConnection();
  return (
    <div className="notice">
      <span>
        No connection to the gateway. <span aria-hidden="true">{<Countdown state={state} />}</span> What you say
        meanwhile is sent as soon as there is one.
      </span>
      <button type="button" className="button button-small" onClick={() => client.retry()}>
        Try now
      </button>
    </div>
  );
}

function Countdown({ state }: { readonly state: Extract<ClientState, { kind: 'reconnecting' }> }) {
  const [leftMs, setLeftMs] = useState(state.inMs);
  useEffect(() => {
    const until = addMs(pageClock.elapsed(), state.inMs);
    setLeftMs(state.inMs);
    return pageClock.every(500, () => setLeftMs(Math.max(0, msUntil(pageClock, until))));
  }, [state]);
  return leftMs > 0 ? `Trying again in ${leftText(leftMs)}.` : 'Trying again.';
}

function Returned({ opened: { continuity } }: { readonly opened: OpenSession }) {
  const state = useSyncExternalStore(continuity.subscribe, continuity.getState);
  if (state.kind !== 'back') return null;
  const fetched =
    state.facts === 0 ? 'Nothing had happened meanwhile.' : `${state.facts} events of that time were fetched.`;
  return <p className="notice notice-good">Connected again. Nothing was lost: {fetched}</p>;
}
