// Decides whether a person has to sign in: the token was refused, or the gateway wants a key that this tab does not have.
import { useEffect, useState } from 'react';
import type { ClientState } from '../../client/reconnecting-link.ts';
import { useConnection, useConnectionState } from './connection-context.ts';

/** `first`: nothing was shown yet. `refused`: the token or the key is not good, or not any more. */
export type SignInNeed = 'first' | 'refused';

/**
 * Returns why a person has to sign in; null: nobody has to. A refused upgrade looks like a gateway that is not there to a page, so the HTTP
 * door is asked, too.
 */
export function useSignInNeed(): SignInNeed | null {
  const connection = useConnection();
  const state = useConnectionState();
  const [isRefused, setIsRefused] = useState(false);
  const failures = state.kind === 'reconnecting' ? state.failures : 0;
  useEffect(() => {
    if (failures === 0) return;
    let isCurrent = true;
    connection.request('api/sessions').then(
      ({ status }) => {
        if (isCurrent && status === 401) setIsRefused(true);
      },
      () => {}, // the gateway is not there: the client goes on trying
    );
    return () => {
      isCurrent = false;
    };
  }, [connection, failures]);
  if (!isRefused && !isUnauthorized(state)) return null;
  return connection.credentials.kind === 'none' ? 'first' : 'refused';
}

const isUnauthorized = (state: ClientState): boolean =>
  state.kind === 'closed' && (state.because.reason === 'unauthorized' || state.because.reason === 'token_expired');
