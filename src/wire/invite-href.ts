// Invite links: the address of the page that lets one speaker into a session, by a secret.

/** Returns the address. `page`: that of the page, without a fragment. The secret stands in the fragment, which no server sees. */
export function inviteHref(page: string, session: string, secret: string): string {
  const address = new URL(page);
  address.hash = `#/session/${encodeURIComponent(session)}?invite=${encodeURIComponent(secret)}`;
  return address.href;
}

/** What an invite link names. */
export interface InviteLink {
  readonly session: string;
  readonly secret: string;
}

/** Returns what an address like that of `inviteHref` names; null: it is no invite link. */
export function parseInviteHref(address: string): InviteLink | null {
  const [path = '', query = ''] = (URL.parse(address)?.hash ?? '').slice(1).split('?', 2);
  const [, view, name = ''] = path.split('/');
  const secret = new URLSearchParams(query).get('invite') ?? '';
  if (view !== 'session' || name === '' || secret === '') return null;
  try {
    return { session: decodeURIComponent(name), secret };
  } catch {
    return null; // it is no name: a link that was cut, for one
  }
}
