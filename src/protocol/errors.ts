// Why a frame is not taken: the codes of the `error` frame, each with its sentence. docs/errors.md explains them; a test holds both together.

export const frameErrorCodes = {
  // what is no frame
  not_text: 'A frame is a text message.',
  frame_too_large: 'The frame is over the limit.',
  not_json: 'The message is not JSON.',
  not_a_frame: 'A frame is one JSON object with a "type".',
  unknown_type: 'There is no client frame of this type.',
  missing_field: 'A field is missing.',
  unknown_field: 'The frame has a field that this type does not have.',
  bad_field: 'A field is not what it should be.',
  // what may not be done now, or not by this connection
  hello_expected: 'The first frame is HELLO.',
  hello_repeated: 'HELLO is sent once.',
  already_joined: 'The connection has joined this session already.',
  not_joined: 'The connection has not joined this session.',
  session_required: 'The connection has joined several sessions: the frame must name one.',
  as_not_allowed: 'Only a connection with the role "bridge" may speak for others.',
  // limits
  too_many_sessions: 'The connection has joined as many sessions as it may.',
  too_many_unanswered: 'As many commands wait for their answer as may.',
  rate_limited: 'The connection sends more frames a second than it may.',
  // not the client's doing
  unavailable: 'The session could not be opened, or could not take this now.',
} as const;
export type FrameErrorCode = keyof typeof frameErrorCodes;

/** Why a frame was not taken, as the `error` frame tells it. */
export interface FrameProblem {
  readonly code: FrameErrorCode;
  readonly message: string;
  readonly field?: string;
  readonly limit?: number;
}

/** A problem in the standard words, or in closer ones. */
export function problem(
  code: FrameErrorCode,
  { message = frameErrorCodes[code], ...facts }: Partial<Omit<FrameProblem, 'code'>> = {},
): FrameProblem {
  return { code, message, ...facts };
}
