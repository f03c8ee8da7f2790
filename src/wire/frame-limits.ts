// The name and path of the protocol, the limits that both ends of the wire keep, and the shape in which a gateway publishes its own.

export const subprotocol = 'belay.v1';
/** What a gateway of this version can do beyond the first one of the protocol: `features` of its `welcome`. */
export const wireFeatures = [
  'cancel_tools',
  'tool_timeouts',
  'fork',
  'say_seen',
  'cancel_lane',
  'receipt_times',
  'refused_phrases',
  'last_turns',
  'ages',
  'rename',
  'rooms',
  'doors',
  'input_offsets',
  'open_calls',
  'own_speech',
  'speech_nodes',
  'speech_queue',
  'sound',
  'stop_sound',
] as const;
export type WireFeature = (typeof wireFeatures)[number];
/** The path of a gateway's socket. */
export const defaultPath = '/belay';

/** How long an invite link can be used: from a minute to 30 days, in milliseconds. */
export const minInviteMs = 60_000;
export const maxInviteMs = 2_592_000_000;
export const maxRefChars = 64;
/** Refs in the `says` of a CANCEL. */
export const maxSays = 128;
export const maxSessionChars = 128;
export const maxTargetChars = 128;
export const maxTitleChars = 120;
export const maxReasonChars = 500;
export const maxReasoningEffortChars = 32;
/** Characters of an endpoint's name of a model. */
export const maxModelChars = 128;
/** Parts of a SAY. */
export const maxParts = 64;
export const maxMediaTypeChars = 127;
export const maxMediaNameChars = 255;
/** The most that a SAY may ask for with `maxOutputTokens`. */
export const maxOutputTokensAsked = 10_000_000;
export const maxTemperature = 2;
export const maxSpeakerChars = 128;
/** Characters of the name of an MCP server. */
export const maxServerChars = 24;
/** Characters of the address of a resource, and of the name of a prompt or of its argument. */
export const maxOfferChars = 2_048;
export const maxTokenChars = 8_192;
/** Characters of an OPEN_CALL: its name, and its input as JSON; of a REPORT_CALL, and of the output of a SETTLE_CALL. */
export const maxCallNameChars = 64;
export const maxCallInputChars = 16_384;
export const maxCallReportChars = 8_192;
export const maxCallOutputChars = 32_768;
/** Characters of a call's output that a frame carries. The history has the bounded whole. */
export const maxFrameOutputChars = 2_000;

/** The limits in `welcome`. */
export interface FrameLimits {
  /** Bytes of one frame. */
  readonly frameBytes: number;
  readonly framesPerSecond: number;
  /** Frames at once. */
  readonly frameBurst: number;
  /** CANCEL is counted separately. */
  readonly cancelsPerSecond: number;
  readonly cancelBurst: number;
  /** Sessions that a connection may have joined at a time. */
  readonly sessions: number;
  /** Commands without a reply, CANCEL apart. */
  readonly unanswered: number;
  /** How long a client may be silent after a ping, in milliseconds; pings come as often. */
  readonly heartbeatMs: number;
}
