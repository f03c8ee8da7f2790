// Options of a replay: what a session sends to a client that joins it, before what happens from then on.

/** What is replayed before what happens from then on. Left out, both: nothing. */
export type ReplayOptions =
  | {
      /** The facts with a higher sequence number; 0: all of them. */
      readonly after?: number | undefined;
      readonly last?: undefined;
    }
  | {
      readonly after?: undefined;
      /** The facts of the last turns, as many as this says, and of all turns that have not settled. A gateway that cannot do so (`last_turns`) replays all facts. */
      readonly last?: number | undefined;
    };

/** What is replayed, and what lets the speaker in. */
export type JoinOptions = ReplayOptions & {
  /** The secret of an invite link: the speaker becomes a member by it, once. Gateways without `rooms` refuse it. */
  readonly invite?: string | undefined;
};

/** The same as one value: facts after a sequence number, the last turns, or nothing (null). */
export type ReplayStart = number | { readonly last: number } | null;

/** Returns what the options say. Throws a `RangeError` for a number of turns that is none. */
export function replayStart({ after, last }: ReplayOptions): ReplayStart {
  if (last === undefined) return after ?? null;
  if (!Number.isInteger(last) || last < 1) throw new RangeError(`The last turns are a number from 1 on, not ${last}.`);
  return { last };
}
