// The messages between the two processes of the real soak, and what both of them need.

export type HostRequest = 'measure' | 'forget' | 'close';

export interface HostMeasures {
  /** After a collection. */
  readonly heapMB: number;
  readonly descriptors: number;
  readonly timers: number;
  readonly handles: number;
  /** What the sessions keep: nodes, keys, listeners, timers, texts. */
  readonly live: number;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
}

const sessions = 20;
export const sessionOf = (i: number): string => `soak-${i % sessions}`;
export const soakSessions: readonly string[] = Array.from({ length: sessions }, (_, i) => sessionOf(i));

/** Calls that a model makes, also such as no tool takes. */
export const hostileCalls: readonly [name: string, input: object | string][] = [
  ['obedient', {}],
  ['late', {}],
  ['rude', {}],
  ['flood', {}],
  ['throws', {}],
  ['garbage', {}],
  ['shell', { command: 'trap "" TERM; sleep 4' }],
  ['shell', { command: 'sleep 6 & sleep 4' }],
  ['shell', { command: 'yes | head -c 200000' }],
  ['faulty__crash', {}],
  ['faulty__burst', {}],
  ['faulty__listings', {}],
  ['no_such_tool', {}],
  ['obedient', '{"broken":'],
];
