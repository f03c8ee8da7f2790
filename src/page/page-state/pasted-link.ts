// A link with credentials that was opened in this tab, until it is decided who signs in.
import { useSyncExternalStore } from 'react';
import { Listeners } from '../../core/collections/listeners.ts';
import { type SignInLink, takeLink } from './credentials.ts';

const listeners = new Listeners<void>();
let pasted: SignInLink | null = null;

/** Waits for links that are pasted into the address bar: the page is not loaded for them. Called before anything else reads the address. */
export function watchLinks(undecided: SignInLink | null): void {
  pasted = undecided;
  addEventListener('hashchange', ({ oldURL }) => {
    // the view stays until somebody is signed in: it may not be for who is signed in now
    const shown = URL.canParse(oldURL) ? new URL(oldURL).hash : ''; // empty: an event of this page
    const link = takeLink(shown || '#/');
    if (link) put(link);
  });
}

/** Forgets the link: it was decided. */
export const dropLink = (): void => put(null);

function put(link: SignInLink | null): void {
  pasted = link;
  listeners.emit('change', undefined);
}

const subscribe = (listener: () => void): (() => void) => listeners.on('change', listener);

/** Returns the link that is undecided, and follows it. */
export const usePastedLink = (): SignInLink | null => useSyncExternalStore(subscribe, () => pasted);
