// Decides whether a person has to sign in: the token was refused, or the gateway wants a key that this tab does not have.
import { useEffect, useState } from 'react';
import type { ClientState } from '../../client/reconnecting-link.ts';
import { useConnection, useConnectionState } from './connection-context.ts';
import { pageClock } from './page-clock.ts';
import { areRefused } from './page-connection.ts';

/** `first`: nothing was shown yet. `refused`: the token or the key is not good, or not any more. */
export type SignInNeed = 'first' | 'refused';

/** How often the gateway is asked while there is no connection, in milliseconds: the next attempt to connect may be later. */
const askEveryMs = 2_000;

/** Returns why a person has to sign in; null: nobody has to. */
export function useSignInNeed(): SignInNeed | null {
  const { credentials } = useConnection();
  const state = useConnectionState();
  const [isRefused, setIsRefused] = useState(false);
  const isLost = state.kind === 'reconnecting';
  const failures = isLost ? state.failures : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure may be a refusal
  useEffect(() => {
    if (!isLost || isRefused) return;
    let isCurrent = true;
    const ask = () => {
      if (document.visibilityState !== 'visible') return;
      areRefused(credentials).then(
        (refused) => {
          if (isCurrent && refused) setIsRefused(true);
        },
        () => {}, // the gateway is not there: the client goes on trying
      );
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    const disarm = pageClock.every(askEveryMs, ask);
    return () => {
      isCurrent = false;
      disarm();
      document.removeEventListener('visibilitychange', ask);
    };
  }, [credentials, isLost, isRefused, failures]);
  if (!isRefused && !isUnauthorized(state)) return null;
  return credentials.kind === 'none' ? 'first' : 'refused';
}

const isUnauthorized = (state: ClientState): boolean =>
  state.kind === 'closed' && (state.because.reason === 'unauthorized' || state.because.reason === 'token_expired');
