// The limits of a gateway, with their defaults. docs/protocol.md has the same table.
import type { FrameLimits } from '../wire/frame-limits.ts';

export interface GatewayLimits extends FrameLimits {
  /** Whose speaker is known, of all speakers. */
  readonly connections: number;
  readonly connectionsPerSpeaker: number;
  /** Connections without an accepted HELLO: a new one takes the place of an old one. */
  readonly unproven: number;
  /** Unproven connections of one address. */
  readonly unprovenPerAddress: number;
  /** Sessions that all connections of a speaker may have joined at a time. */
  readonly sessionsPerSpeaker: number;
  /** Bytes that all connections of a speaker may send. CANCEL is never refused for them. */
  readonly speakerBytesPerSecond: number;
  /** Bytes at once. */
  readonly speakerByteBurst: number;
  /** From the upgrade until HELLO is accepted. */
  readonly helloMs: number;
  /** From the gateway's close frame until the socket is terminated. */
  readonly closeMs: number;
  /** Errors at once, before the connection is closed. */
  readonly errorBurst: number;
  readonly errorsPerSecond: number;
  /** Bytes that may wait in the socket before frames queue and deltas merge. */
  readonly socketBytes: number;
  /** Bytes that may queue for a slow reader. */
  readonly queueBytes: number;
  /** Characters of a call's live output that are kept for a slow reader. */
  readonly outputChars: number;
  /** Bytes of one frame of sound. */
  readonly soundFrameBytes: number;
  /** Frames of sound that a connection may send. What is past this rate, or that of bytes, is dropped. */
  readonly soundFramesPerSecond: number;
  readonly soundFrameBurst: number;
  readonly soundBytesPerSecond: number;
  readonly soundByteBurst: number;
  /** Bytes of sound that wait for a slow reader. Then the oldest is dropped. */
  readonly soundQueueBytes: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  frameBytes: 65_536,
  framesPerSecond: 50,
  frameBurst: 100,
  cancelsPerSecond: 10,
  cancelBurst: 20,
  sessions: 32,
  unanswered: 128, // more than a burst: a client that keeps the declared rate is never rejected
  heartbeatMs: 15_000,
  connections: 1_000,
  connectionsPerSpeaker: 32,
  unproven: 256,
  unprovenPerAddress: 64,
  sessionsPerSpeaker: 256,
  speakerBytesPerSecond: 1_048_576,
  speakerByteBurst: 8_388_608,
  helloMs: 10_000,
  closeMs: 2_000,
  errorBurst: 20,
  errorsPerSecond: 1,
  socketBytes: 262_144,
  queueBytes: 8_388_608,
  outputChars: 16_384,
  soundFrameBytes: 16_384,
  soundFramesPerSecond: 500,
  soundFrameBurst: 1_000,
  soundBytesPerSecond: 524_288, // ten speakers at once
  soundByteBurst: 1_048_576,
  soundQueueBytes: 96_000, // two seconds
};

/** Returns the defaults, overridden by what is given. Throws a RangeError that names the field and the limit. */
export function gatewayLimitsFrom(given: Partial<GatewayLimits> = {}): GatewayLimits {
  const limits = { ...defaultGatewayLimits, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!(name in defaultGatewayLimits)) throw new RangeError(`gateway.${name} is not a limit`);
    if (!(value > 0 && value <= maxLimit))
      throw new RangeError(`gateway.${name} must be from 1 to ${maxLimit}, not ${value}`);
  }
  const { socketBytes, queueBytes, frameBytes, speakerByteBurst } = limits;
  if (frameBytes > speakerByteBurst)
    throw new RangeError(
      `gateway.frameBytes (${frameBytes}) must not be more than gateway.speakerByteBurst (${speakerByteBurst})`,
    );
  if (socketBytes >= queueBytes) {
    throw new RangeError(`gateway.socketBytes (${socketBytes}) must be less than gateway.queueBytes (${queueBytes})`);
  }
  return limits;
}

/** The longest delay of a timer. */
const maxLimit = 2_147_483_647;

/** A frame this many times over its limit is rejected by the socket itself (close code 1009). */
export const hardFrameFactor = 4;

/** Returns the limits that `welcome` carries: those that a client can act on. */
export const publishedLimits = (limits: GatewayLimits): FrameLimits => ({
  frameBytes: limits.frameBytes,
  framesPerSecond: limits.framesPerSecond,
  frameBurst: limits.frameBurst,
  cancelsPerSecond: limits.cancelsPerSecond,
  cancelBurst: limits.cancelBurst,
  sessions: limits.sessions,
  unanswered: limits.unanswered,
  heartbeatMs: limits.heartbeatMs,
});
