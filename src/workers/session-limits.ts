// Every bound of a session, with its default. Units stand last in the names; how the bounds nest is asserted.

export interface Limits {
  /** From the TERM to the KILL of a tool's process. */
  readonly termGraceMs: number;
  /** The stop budget of a call: what has not ended by then is abandoned. */
  readonly toolCancelMs: number;
  /** The stop budget of a call under `force`. */
  readonly forceCancelMs: number;
  /** How long a shutdown waits for what it stops. */
  readonly shutdownMs: number;
  /** How long a model call or a context builder may take to end after its signal. */
  readonly modelUnwindMs: number;
  /** How long an acceptance waits for its commit before it is told as not durable. */
  readonly acceptWaitMs: number;
  /** How long a failed append is repeated. */
  readonly storeDeadlineMs: number;
  /** The longest region that a shielded tool may declare. */
  readonly shieldMs: number;
  /** How long an approval waits for its answer, where its tool does not say; 0: for ever. */
  readonly approvalMs: number;
  /** The longest timeout that a model may ask for in `_meta.timeout`. */
  readonly toolTimeoutMaxMs: number;
  /** How often a running call is told to be still running. */
  readonly progressMs: number;
  /** How long a turn may take; 0: for ever. */
  readonly turnMs: number;
  /** How often streaming text is written down; 0: never. */
  readonly checkpointMs: number;
  /** How long a CANCEL that comes before its SAY is remembered. */
  readonly tombstoneMs: number;
  /** After the last connection of a turn's owner is lost, where the session cancels on that. */
  readonly disconnectGraceMs: number;
  /** After this long without anybody and anything in it, a session falls asleep. */
  readonly idleMs: number;
  /** Turns that may wait in a lane. */
  readonly laneTurns: number;
  /** Model calls that a turn may make. */
  readonly roundsPerTurn: number;
  /** How often a model may make the same call with the same arguments in a turn. */
  readonly repeatsPerTurn: number;
  /** Calls that a model may make in one round. */
  readonly fanOut: number;
  /** How deep sub-agents may nest. */
  readonly depth: number;
  /** Words of a SAY, in UTF-16 code units. */
  readonly sayChars: number;
  /** What a request is built from: whole turns, the one that asks and those before it. */
  readonly contextTurns: number;
  /** Of these turns, in UTF-8; the instructions apart. It bounds the request for a summary, too. */
  readonly contextBytes: number;
  /** A conversation of more bytes is shortened by the model to so many before it goes on; 0: never. The turn that asks is counted, and stays whole. */
  readonly compactAboveBytes: number;
  /** Of a summary, in UTF-16 code units. It never takes more than a quarter of `compactAboveBytes`. */
  readonly summaryChars: number;
}

export const defaultLimits: Limits = {
  termGraceMs: 1_000,
  toolCancelMs: 1_500,
  forceCancelMs: 250,
  shutdownMs: 10_000,
  modelUnwindMs: 250,
  acceptWaitMs: 250,
  storeDeadlineMs: 5_000,
  shieldMs: 5_000,
  approvalMs: 600_000,
  toolTimeoutMaxMs: 3_600_000,
  progressMs: 5_000,
  turnMs: 0,
  checkpointMs: 2_000,
  tombstoneMs: 5_000,
  disconnectGraceMs: 5_000,
  idleMs: 60_000,
  laneTurns: 16,
  roundsPerTurn: 32,
  repeatsPerTurn: 3,
  fanOut: 64,
  depth: 16,
  sayChars: 32_768,
  contextTurns: 50,
  contextBytes: 262_144,
  compactAboveBytes: 0,
  summaryChars: 4_000,
};

/** Bounds that may be 0. */
const mayBeZero: readonly (keyof Limits)[] = [
  'approvalMs',
  'compactAboveBytes',
  'turnMs',
  'checkpointMs',
  'disconnectGraceMs',
  'termGraceMs',
  'acceptWaitMs',
];
/** XState stacks one frame set for each storey; a parent copies its children for each. Both were measured. */
const ceilings: Partial<Record<keyof Limits, number>> = { depth: 16, fanOut: 64 };

/** The defaults with what is given. Throws a RangeError that names the field and the limit. */
export function limitsFrom(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given };
  for (const [name, value] of Object.entries(limits) as [keyof Limits, number][]) {
    if (!(name in defaultLimits)) throw new RangeError(`limits.${name} is not a limit`);
    const least = mayBeZero.includes(name) ? 0 : 1;
    const most = ceilings[name] ?? 2_147_483_647; // the longest delay of a timer
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`limits.${name} must be a whole number from ${least} to ${most}, not ${value}`);
  }
  const nested: readonly (keyof Limits)[] = ['termGraceMs', 'toolCancelMs', 'shutdownMs'];
  for (const [i, inner] of nested.slice(0, -1).entries()) {
    const outer = nested[i + 1] as keyof Limits;
    if (limits[inner] >= limits[outer])
      throw new RangeError(`limits.${inner} (${limits[inner]}) must be less than limits.${outer} (${limits[outer]})`);
  }
  if (limits.shieldMs + limits.toolCancelMs >= limits.shutdownMs) {
    const sum = `${limits.shieldMs} + ${limits.toolCancelMs}`;
    throw new RangeError(
      `limits.shieldMs + limits.toolCancelMs (${sum}) must be less than limits.shutdownMs (${limits.shutdownMs})`,
    );
  }
  return limits;
}
