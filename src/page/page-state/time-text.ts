// Times of day as the page shows them: one form of a date, and one of a time.

const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const dateFormat = new Intl.DateTimeFormat('en-GB', { ...date, ...time });
const timeFormat = new Intl.DateTimeFormat('en-GB', time);
const fineDateFormat = new Intl.DateTimeFormat('en-GB', { ...date, ...time, fractionalSecondDigits: 3 });
const fineTimeFormat = new Intl.DateTimeFormat('en-GB', { ...time, fractionalSecondDigits: 3 });

/** Formats a date with its time: `28 Nov 2026, 09:05:07`. `at`: milliseconds since 1970. */
export const dateText = (at: number): string => dateFormat.format(at);

/** Formats a date with its time to the millisecond: `28 Nov 2026, 09:05:07.123`. */
export const fineDateText = (at: number): string => fineDateFormat.format(at);

/** Formats a time of the day: `09:05:07`. */
export const clockText = (at: number): string => timeFormat.format(at);

/** Formats a time of the day to the millisecond: `09:05:07.123`. */
export const fineTimeText = (at: number): string => fineTimeFormat.format(at);
