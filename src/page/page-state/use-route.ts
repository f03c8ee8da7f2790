// The route of the page as React reads it.
import { useSyncExternalStore } from 'react';
import { parseRoute, type Route, routeHref } from './routing.ts';

const subscribe = (listener: () => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

/** Returns the route of the address bar, and follows it. */
export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}

/** Goes to a route; with `replace` the way back does not stop at the one before. */
export function openRoute(route: Route, { replace = false } = {}): void {
  if (!replace) {
    location.hash = routeHref(route);
    return;
  }
  history.replaceState(null, '', routeHref(route));
  dispatchEvent(new HashChangeEvent('hashchange'));
}
