// The bus between hosts: a host asks another one, and publishes texts to all that listen.
//
// 1. The texts of one sender arrive in their order at each listener. A text may be lost; none arrives twice.
// 2. A sender is a listener of its own subjects, too.

export type BusState = 'up' | 'down';

/** `none`: nobody answers on the subject. `silent`: no answer has come in time; what was asked may have been done. */
export type BusAnswer = { readonly type: 'answer'; readonly text: string } | { readonly type: 'none' | 'silent' };

/** What a bus has carried since it was opened. */
export interface BusCounts {
  /** Messages; a long text is several. */
  readonly sent: number;
  readonly received: number;
  /** Messages that were received and not passed on: of another key or version, or sent again. */
  readonly dropped: number;
  /** Questions by what came of them. */
  readonly asked: Readonly<Record<BusAnswer['type'], number>>;
}

export interface Bus {
  /** `down`: nothing is asked, and no question arrives. */
  readonly state: BusState;
  /** What it has carried. Left out: it does not count. */
  readonly counts?: BusCounts;
  /** Asks whoever answers on the subject; the first answer counts. Resolves after `ms` milliseconds at the latest. Never rejects. */
  ask(subject: string, text: string, ms: number): Promise<BusAnswer>;
  /** Answers what is asked on the subject, until the returned function is called. `respond` is called in the order in which the questions arrive. */
  answer(subject: string, respond: (text: string) => Promise<string>): () => void;
  publish(subject: string, text: string): void;
  /** Calls the listener with each text that is published on the subject, until the returned function is called. */
  subscribe(subject: string, listener: (text: string) => void): () => void;
  /** Calls the listener when the state changes, until the returned function is called. */
  onState(listener: (state: BusState) => void): () => void;
  /** Leaves the bus. Nothing is sent after it, and questions that are open are `silent`. */
  close(): Promise<void>;
}
