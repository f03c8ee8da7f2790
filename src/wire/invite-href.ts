// The address of the page that lets one speaker into a session, by the secret of an invite link.

/** Returns the address. `page`: that of the page, without a fragment. The secret stands in the fragment, which no server sees. */
export function inviteHref(page: string, session: string, secret: string): string {
  const address = new URL(page);
  address.hash = `#/session/${encodeURIComponent(session)}?invite=${encodeURIComponent(secret)}`;
  return address.href;
}
