// The limits of a session with their defaults. Names end with the unit; the order of nested limits is asserted.
import { mergeLimits } from '../collections/merge-limits.ts';

/** Times are in milliseconds (`Ms`), sizes in UTF-8 bytes (`Bytes`) or UTF-16 code units (`Chars`). */
export interface Limits {
  /** Between TERM and KILL of a tool's process. */
  readonly termGraceMs: number;
  /** The stop budget of a call: a call that has not ended by then is abandoned. */
  readonly toolCancelMs: number;
  /** The stop budget of a call of an outside agent, which has to stop its own model call and commands first. */
  readonly agentCancelMs: number;
  /** The stop budget of a call under `force`. */
  readonly forceCancelMs: number;
  /** The longest wait of a shutdown for everything that it stops. */
  readonly shutdownMs: number;
  /** Between the signal of a model call or a context builder and its end. */
  readonly modelUnwindMs: number;
  /** The longest wait of an acceptance for its commit; then it is sent as not durable. */
  readonly acceptWaitMs: number;
  /** The time for which a failed append is repeated. */
  readonly storeDeadlineMs: number;
  /** For how long other hosts that share the store leave a host its sessions if it does not renew its lease. It renews four times as often. */
  readonly leaseMs: number;
  /** The longest region that a shielded tool may declare. */
  readonly shieldMs: number;
  /** The time for which an approval is open, if its tool does not say; 0: without a limit. */
  readonly approvalMs: number;
  /** The time for which a call waits for another one that holds its exclusive key; 0: without a limit. */
  readonly keyWaitMs: number;
  /** The timeout of a call whose tool declares none; 0: none. */
  readonly toolTimeoutMs: number;
  /** The longest timeout that a model may ask for in `_meta.timeout`. */
  readonly toolTimeoutMaxMs: number;
  /** The interval of `tool_progress` of a running call, and the silence of a model before its first `model_waiting`. */
  readonly progressMs: number;
  /** From the opening of an acknowledgement to its first words; then an emoji or a sound stands for it. */
  readonly acknowledgeMs: number;
  /** Between two acknowledgements of a lane: within it there is no other one; 0: no time. */
  readonly acknowledgeEveryMs: number;
  /** The deadline of a turn; 0: none. */
  readonly turnMs: number;
  /** The interval of checkpoints of streaming text; 0: none. */
  readonly checkpointMs: number;
  /** The time for which a CANCEL that comes before its SAY is kept. */
  readonly tombstoneMs: number;
  /** Between the loss of the last connection of a turn's owner and the CANCEL, if the session cancels on disconnect. */
  readonly disconnectGraceMs: number;
  /** For how long an owner of live nodes who has no connection counts as a participant of the session. */
  readonly absentMs: number;
  /** A session without connections and without work falls asleep after this time, and after twice this time at the latest. */
  readonly idleMs: number;
  /** Turns that may wait in a lane. */
  readonly laneTurns: number;
  /** Model calls that a turn may make. */
  readonly roundsPerTurn: number;
  /** Calls with the same arguments that a model may make in a turn. */
  readonly repeatsPerTurn: number;
  /** Calls that a model may make in one round. */
  readonly fanOut: number;
  /** Levels of nested sub-agents. */
  readonly depth: number;
  /** Turns that a speaker proven by a token may have open at a time, in all sessions of the host together. */
  readonly turnsPerSpeaker: number;
  /** Sessions that a speaker proven by a token may open in a minute: new ones, and those that are asleep. */
  readonly sessionOpensPerMinute: number;
  /** Calls of a session that bridges and programs run themselves, and that have not ended. */
  readonly openCalls: number;
  /** Those of them that one speaker has opened. */
  readonly openCallsPerSpeaker: number;
  /** Speakers who may be invited to a session. */
  readonly members: number;
  /** Speakers who may be in the rooms that bridges relay into a session. */
  readonly roomSpeakers: number;
  /** Facts that a session may have up to the turn that it is forked from. */
  readonly forkFacts: number;
  /** The size of those that a fork gets. */
  readonly forkBytes: number;
  /** The text of a SAY. */
  readonly sayChars: number;
  /** Whole turns in a request: the turn itself and those before it. */
  readonly contextTurns: number;
  /** The size of these turns, without the instructions. It limits the request for a summary, too. */
  readonly contextBytes: number;
  /** A larger conversation is shortened to this size by the model first; 0: never. The turn itself is counted, and stays whole. */
  readonly compactAboveBytes: number;
  /** Tokens that a turn may use, with everything below it; then it is stopped. This and the limits below: 0 is none. */
  readonly turnTokens: number;
  /** What it may cost, in US cents, as far as its endpoints or the configured prices say. */
  readonly turnCents: number;
  /** The same for all turns of a session, also those of its earlier lives. */
  readonly sessionTokens: number;
  readonly sessionCents: number;
  /** The same for all turns of a speaker in one day (UTC), over all sessions of this host. */
  readonly speakerDayTokens: number;
  readonly speakerDayCents: number;
  /** The length of a summary. It never takes more than a quarter of `compactAboveBytes`. */
  readonly summaryChars: number;
  /** One image, sound or file. */
  readonly blobBytes: number;
  /** All that are stored for a session: the oldest are removed for new ones. */
  readonly sessionBlobBytes: number;
  /** All that are stored for the sessions of the store, as before; at most 256 MiB where the store is in memory. */
  readonly storeBlobBytes: number;
}

/** The limits of a session that is not configured otherwise. */
export const defaultLimits: Limits = {
  termGraceMs: 1_000,
  toolCancelMs: 1_500,
  agentCancelMs: 4_000,
  forceCancelMs: 250,
  shutdownMs: 10_000,
  modelUnwindMs: 250,
  acceptWaitMs: 250,
  storeDeadlineMs: 5_000,
  leaseMs: 10_000,
  shieldMs: 5_000,
  approvalMs: 600_000,
  keyWaitMs: 300_000,
  toolTimeoutMs: 120_000,
  toolTimeoutMaxMs: 3_600_000,
  progressMs: 5_000,
  acknowledgeMs: 2_500,
  acknowledgeEveryMs: 10_000,
  turnMs: 0,
  checkpointMs: 2_000,
  tombstoneMs: 5_000,
  disconnectGraceMs: 5_000,
  absentMs: 300_000,
  idleMs: 60_000,
  laneTurns: 16,
  roundsPerTurn: 32,
  repeatsPerTurn: 3,
  fanOut: 64,
  depth: 16,
  turnsPerSpeaker: 64,
  sessionOpensPerMinute: 300,
  openCalls: 64,
  openCallsPerSpeaker: 32,
  members: 1_000,
  roomSpeakers: 1_000,
  forkFacts: 50_000,
  forkBytes: 67_108_864,
  sayChars: 32_768,
  contextTurns: 50,
  contextBytes: 262_144,
  compactAboveBytes: 0,
  turnTokens: 0,
  turnCents: 0,
  sessionTokens: 0,
  sessionCents: 0,
  speakerDayTokens: 0,
  speakerDayCents: 0,
  summaryChars: 4_000,
  blobBytes: 8_388_608,
  sessionBlobBytes: 67_108_864,
  storeBlobBytes: 1_073_741_824,
};

/** Limits that may be 0. */
const mayBeZero: readonly (keyof Limits)[] = [
  'turnTokens',
  'turnCents',
  'sessionTokens',
  'sessionCents',
  'speakerDayTokens',
  'speakerDayCents',
  'acknowledgeEveryMs',
  'approvalMs',
  'keyWaitMs',
  'toolTimeoutMs',
  'compactAboveBytes',
  'turnMs',
  'checkpointMs',
  'disconnectGraceMs',
  'absentMs',
  'termGraceMs',
  'acceptWaitMs',
];
/** XState needs stack frames for each level, and copies a parent's children for each child: both were measured. */
const ceilings: Partial<Record<keyof Limits, number>> = { depth: 16, fanOut: 64 };

/** The limits that a session may have of its own. The others belong to the host, or the start checks tools and stop budgets against them. */
export const sessionLimitNames = [
  'approvalMs',
  'keyWaitMs',
  'toolTimeoutMs',
  'toolTimeoutMaxMs',
  'progressMs',
  'acknowledgeMs',
  'acknowledgeEveryMs',
  'turnMs',
  'disconnectGraceMs',
  'absentMs',
  'laneTurns',
  'roundsPerTurn',
  'repeatsPerTurn',
  'fanOut',
  'depth',
  'openCalls',
  'openCallsPerSpeaker',
  'members',
  'roomSpeakers',
  'sayChars',
  'contextTurns',
  'contextBytes',
  'compactAboveBytes',
  'summaryChars',
  'turnTokens',
  'turnCents',
  'sessionTokens',
  'sessionCents',
] as const satisfies readonly (keyof Limits)[];
export type SessionLimits = Pick<Limits, (typeof sessionLimitNames)[number]>;

/** Returns the limits of a session: its own, and those of its host. Throws a RangeError that names the field and its range. `path`: the place of the limits, for the error. */
export function sessionLimitsFrom(given: Partial<SessionLimits>, host: Limits, path = 'limits of the session'): Limits {
  const defaults: SessionLimits = pick(host, sessionLimitNames);
  return { ...host, ...mergeLimits(given, { path, defaults, mayBeZero: mayBeZero.filter(isOfSession), ceilings }) };
}

const isOfSession = (name: keyof Limits): name is keyof SessionLimits => sessionLimitNames.some((one) => one === name);

const pick = <T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>; // it has these names

/** Returns the defaults with the given limits. Throws a RangeError that names the field and its range. */
export function limitsFrom(given: Partial<Limits> = {}): Limits {
  const limits = mergeLimits(given, { path: 'limits', defaults: defaultLimits, mayBeZero, ceilings });
  assertNesting(limits);
  return limits;
}

/** An inner limit must end before the outer one that waits for it. */
function assertNesting(limits: Limits): void {
  const nested = [
    ['termGraceMs', 'toolCancelMs'],
    ['toolCancelMs', 'shutdownMs'],
  ] as const;
  for (const [inner, outer] of nested) {
    if (limits[inner] >= limits[outer])
      throw new RangeError(`limits.${inner} (${limits[inner]}) must be less than limits.${outer} (${limits[outer]})`);
  }
  const sizes = [
    ['blobBytes', 'sessionBlobBytes'],
    ['sessionBlobBytes', 'storeBlobBytes'],
  ] as const;
  for (const [part, whole] of sizes) {
    if (limits[part] > limits[whole])
      throw new RangeError(`limits.${part} (${limits[part]}) must not be more than limits.${whole} (${limits[whole]})`);
  }
  if (limits.shieldMs + limits.toolCancelMs >= limits.shutdownMs) {
    const sum = `${limits.shieldMs} + ${limits.toolCancelMs}`;
    throw new RangeError(
      `limits.shieldMs + limits.toolCancelMs (${sum}) must be less than limits.shutdownMs (${limits.shutdownMs})`,
    );
  }
}
