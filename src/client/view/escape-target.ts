// Targets of Escape in a user interface, and of Ctrl-C in a terminal: the turn, or its tools.

/** `tools`: what the turns have called; the turns go on with the results. Where no tool runs, it is the turns. */
export const escapeTargets = ['turn', 'tools'] as const;
export type EscapeTarget = (typeof escapeTargets)[number];
