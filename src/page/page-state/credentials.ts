// Credentials of the page: a token, or the key of a gateway without tokens.
//
// 1. It comes in the fragment, which no server sees, and leaves the address bar at once, whether it is used or not.
// 2. It is kept in sessionStorage: for this tab, until it is closed. There are no cookies.

/** `key`: of a gateway without tokens, in the address of the socket. `token`: of a speaker, in HELLO. `none`: the gateway may need neither. */
export type Credentials =
  | { readonly kind: 'key'; readonly secret: string }
  | { readonly kind: 'token'; readonly secret: string }
  | { readonly kind: 'none' };

const storageName = 'belay-credentials';

/** Reads credentials from a fragment like `#key=…` or `#/session/demo?token=…`; null: it has none. */
function credentialsIn(fragment: string): Credentials | null {
  const text = fragment.replace(/^#/, '');
  const query = text.startsWith('/') ? (text.split('?', 2)[1] ?? '') : text;
  const parameters = new URLSearchParams(query);
  for (const kind of ['key', 'token'] as const) {
    const secret = parameters.get(kind);
    if (secret) return { kind, secret };
  }
  return null;
}

/** A link that signs in. `route`: the fragment of the view that it leads to; null: it names none. */
export interface SignInLink {
  readonly credentials: Credentials;
  readonly route: string | null;
}

/** Returns the fragment without its credentials; null: it names no view. */
function routeIn(fragment: string): string | null {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?', 2);
  if (!path.startsWith('/')) return null;
  const parameters = new URLSearchParams(query);
  parameters.delete('key');
  parameters.delete('token');
  return parameters.size === 0 ? `#${path}` : `#${path}?${parameters}`;
}

/** Takes a link with credentials out of the address bar, which shows `shown` then; null: there is none. */
export function takeLink(shown: string): SignInLink | null {
  const credentials = credentialsIn(location.hash);
  if (!credentials) return null;
  const link = { credentials, route: routeIn(location.hash) };
  history.replaceState(null, '', shown);
  return link;
}

/** Returns the credentials that the page starts with. The link in the address bar signs in where this tab has none; else it is undecided. */
export function startCredentials(): { readonly credentials: Credentials; readonly undecided: SignInLink | null } {
  const stored = storedCredentials();
  const link = takeLink('#/');
  if (!link) return { credentials: stored, undecided: null };
  const { credentials, route } = link;
  if (stored.kind !== 'none' && !areEqual(stored, credentials)) return { credentials: stored, undecided: link };
  history.replaceState(null, '', route ?? '#/');
  keepCredentials(credentials);
  return { credentials, undecided: null };
}

/** Whether both are the same credentials. */
export const areEqual = (one: Credentials, other: Credentials): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Keeps credentials for this tab. */
export function keepCredentials(credentials: Credentials): void {
  try {
    sessionStorage.setItem(storageName, JSON.stringify(credentials));
  } catch {
    // without storage a reload asks again
  }
}

/** Forgets the credentials of this tab. */
export function forgetCredentials(): void {
  sessionStorage.removeItem(storageName);
}

/** Reads what a person has typed: a token, or an address with a key that the gateway has printed. */
export function typedCredentials(text: string): Credentials {
  const typed = text.trim();
  const url = URL.canParse(typed) ? new URL(typed) : null;
  const key = url?.searchParams.get('key');
  if (key) return { kind: 'key', secret: key };
  return (url && credentialsIn(url.hash)) ?? { kind: 'token', secret: typed };
}

function storedCredentials(): Credentials {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? 'null');
    if (typeof stored === 'object' && stored !== null && 'kind' in stored && 'secret' in stored) {
      const { kind, secret } = stored;
      if ((kind === 'key' || kind === 'token') && typeof secret === 'string') return { kind, secret };
    }
  } catch {
    // without storage, or with something else in it, the page asks
  }
  return { kind: 'none' };
}
