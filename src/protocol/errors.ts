// The codes of `error` frames, each with its sentence. docs/errors.md explains them; a test compares the two.

export const frameErrorCodes = {
  // invalid frames
  not_text: 'A frame is a text message.',
  frame_too_large: 'The frame is over the limit.',
  not_json: 'The message is not JSON.',
  not_a_frame: 'A frame is one JSON object with a "type".',
  unknown_type: 'There is no client frame of this type.',
  missing_field: 'A field is missing.',
  unknown_field: 'The frame has a field that this type does not have.',
  bad_field: 'A field is not valid.',
  // not allowed now, or not for this connection
  hello_expected: 'The first frame must be HELLO.',
  hello_repeated: 'HELLO may be sent only once.',
  already_joined: 'The connection has already joined this session.',
  not_joined: 'The connection has not joined this session.',
  session_required: 'The connection has joined several sessions: name one in the field "session".',
  as_not_allowed: 'Only a speaker with the role "bridge" may use the field "as".',
  ref_reused: 'The ref was used in this session for another command. Take a new one.',
  // limits
  too_many_sessions: 'Too many sessions on this connection. LEAVE one first.',
  too_many_unanswered: 'Too many commands without a reply. Wait for some first.',
  rate_limited: 'Too many frames a second. Send them more slowly.',
  // not caused by the client
  unavailable: 'The session could not be opened, or could not accept the command now.',
} as const;
export type FrameErrorCode = keyof typeof frameErrorCodes;

/** Why a frame was rejected, as the `error` frame says it. */
export interface FrameProblem {
  readonly code: FrameErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly limit?: number;
}

/** Makes a problem, with the standard sentence of its code if `message` is left out. */
export function problem(
  code: FrameErrorCode,
  { message = frameErrorCodes[code], ...facts }: Partial<Omit<FrameProblem, 'code'>> = {},
): FrameProblem {
  return { code, message, ...facts };
}
