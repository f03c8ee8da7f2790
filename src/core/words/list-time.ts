// The time of an entry of a list, as short as it can be, on the page and in the terminal.

const day = { day: 'numeric', month: 'short' } as const;
const hourFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat('en-GB', day);
const yearFormat = new Intl.DateTimeFormat('en-GB', { ...day, year: 'numeric' });
const yearOnly = new Intl.DateTimeFormat('en-GB', { year: 'numeric' });

/** Formats a time for a list: `09:05` of the same day, `28 Nov` of the same year, else `28 Nov 2026`. */
export function listTimeText(at: number, now: number): string {
  if (yearFormat.format(at) === yearFormat.format(now)) return hourFormat.format(at);
  const isSameYear = yearOnly.format(at) === yearOnly.format(now);
  return (isSameYear ? dayFormat : yearFormat).format(at);
}
