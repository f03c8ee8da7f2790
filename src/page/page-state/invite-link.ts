// Invite links: their form, and the one that was opened in this tab. Its secret leaves the address bar and the history at once, is kept in memory alone, and is used once.
import { parseInviteHref } from '../../wire/invite-href.ts';

/** The secrets of links that were opened, by session. */
const taken = new Map<string, string>();

/** Takes the secret of an invite link out of the address bar, if there is one. Called before anything else reads the address. */
function takeInvite(): void {
  const link = parseInviteHref(location.href);
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?', 2);
  const parameters = new URLSearchParams(query);
  if (!parameters.has('invite')) return;
  parameters.delete('invite');
  history.replaceState(null, '', parameters.size === 0 ? `#${path}` : `#${path}?${parameters}`);
  if (link) taken.set(link.session, link.secret);
}

/** Waits for invite links, also for those that are pasted into the address bar. */
export function watchInvites(): void {
  takeInvite();
  addEventListener('hashchange', takeInvite);
}

/** Returns the secret for a session, once; undefined: no link was opened. */
export function consumeInvite(session: string): string | undefined {
  const secret = taken.get(session);
  taken.delete(session);
  return secret;
}
