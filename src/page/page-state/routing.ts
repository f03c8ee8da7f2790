// The addresses of the page: each view has one, in the fragment, so that a link opens it.

/**
 * `session`: null is a conversation that has not begun. `place`: what the inspector shows, as its own address has it. `at`: the record of the past
 * that it shows; null or left out: it is live. `machine`: null is the first one; `chosen`: a state or a transition in its chart.
 */
export type Route =
  | { readonly view: 'chat'; readonly session: string | null }
  | {
      readonly view: 'inspector';
      readonly session: string | null;
      readonly place: readonly string[];
      readonly at?: number | null;
    }
  | { readonly view: 'machines'; readonly machine: string | null; readonly chosen: string | null }
  /** The questions of all sessions. */
  | { readonly view: 'questions' }
  | { readonly view: 'settings' };

export type InspectorRoute = Extract<Route, { view: 'inspector' }>;

/** Reads the fragment of an address, with or without its `#`. What it does not know is the start. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?', 2);
  const [view, ...parts] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
  if (view === 'settings' || view === 'questions') return { view };
  if (view === 'session') return { view: 'chat', session: parts[0] ?? null };
  if (view === 'machines') return { view, machine: parts[0] ?? null, chosen: parts[1] ?? null };
  if (view !== 'inspector') return { view: 'chat', session: null };
  const [session = 'all', ...place] = parts;
  const at = new URLSearchParams(query).get('at') ?? '';
  return { view, session: session === 'all' ? null : session, place, at: /^\d{1,15}$/.test(at) ? Number(at) : null };
}

/** Returns the fragment of a route, with its `#`. */
export function routeHref(route: Route): string {
  switch (route.view) {
    case 'settings':
    case 'questions':
      return `#/${route.view}`;
    case 'chat':
      return route.session === null ? '#/' : `#/session/${encodeURIComponent(route.session)}`;
    case 'machines':
      return [
        '#/machines',
        ...[route.machine, route.chosen].flatMap((part) => part ?? []).map(encodeURIComponent),
      ].join('/');
    case 'inspector':
      return `#/inspector/${[route.session ?? 'all', ...route.place].map(encodeURIComponent).join('/')}${route.at == null ? '' : `?at=${route.at}`}`;
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
