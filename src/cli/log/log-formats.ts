// The formats of the log, as the setting `log` names them.

/** `pretty`: for people. `json`: for programs, and nothing else on standard output. */
export const logFormats = ['pretty', 'json', 'off'] as const;
export type LogFormat = (typeof logFormats)[number];
