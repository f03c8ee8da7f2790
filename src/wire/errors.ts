// The codes of `error` frames, each with its message. docs/errors.md explains them; test/house/errors.test.ts compares both.

export const frameErrorCodes = {
  // invalid frames
  not_text:
    'The message is binary, and this connection has not agreed to send sound. Send each frame as a text message, or ask for sound in HELLO.',
  frame_too_large: 'The frame is too large. Send a smaller one.',
  not_json: 'The message is not JSON. Send one JSON object in each message.',
  not_a_frame: 'The message is not a frame. Send one JSON object with a "type" that is a string.',
  unknown_type: 'There is no client frame of this type. Their types are in capital letters.',
  missing_field: 'A required field is missing. Add it.',
  unknown_field: 'The frame has a field that its type does not have. Leave it out.',
  bad_field: 'A field is not valid. Correct its value.',
  bad_sound: 'The binary message is no sound. The message says why.',
  // not allowed now, or not for this connection
  hello_expected: 'The first frame must be HELLO. Send it before any other.',
  hello_repeated: 'HELLO may be sent only once. Connect again to be another speaker.',
  already_joined: 'The connection has already joined this session. LEAVE it before you JOIN it again.',
  not_joined: 'The connection has not joined this session. JOIN it first.',
  session_required: 'The connection has joined several sessions. Name one in the field "session".',
  as_not_allowed: 'Only a speaker with the role "bridge" may speak for others. Leave the field out.',
  role_not_allowed: 'A bridge gives no role that its own token does not have. Leave "moderator" out.',
  not_yours: 'No live node of this id belongs to the speaker. Name one of your own, or "mine".',
  ref_reused: 'The ref was used in this session for another command. Use a new one.',
  access_denied:
    'There is no such session for this speaker, or the speaker may not do this there. Its owner can invite.',
  bad_invite:
    'The invite link lets nobody in: it was used or revoked, its time is over, or there is no such link. Ask for a new one.',
  not_voice: 'The session is not a voice session. Its kind is set in the configuration (`sessions`).',
  unknown_call:
    'This speaker has opened no call of this id in this session. Only its opener reports on a call and settles it.',
  call_settled: 'The call has settled already: nothing was changed.',
  not_readable: 'The MCP server has no such resource or prompt, or could not be read. The message says why.',
  turn_not_forkable: 'The session has no settled turn of this id that it can be forked from. The message says why.',
  session_exists: 'There is another session of this name already. Name another one, or none.',
  // limits
  too_many_sessions: 'Too many sessions on this connection, or on all connections of this speaker. LEAVE one first.',
  too_many_opens: 'Too many sessions opened by this speaker within a minute. Try again later.',
  no_such_tool: 'The session has no tool of that name. See the tools that the gateway prints at its start.',
  timeout_out_of_range: 'The timeout of a tool is below 1 s, or above the maximum. The message names the range.',
  too_many_calls: 'Too many open calls of this speaker, or in this session. Settle one first.',
  too_many_members: 'Too many members in this session. Nobody more can be invited.',
  too_many_invites: 'Too many invite links of this session can be used now. Revoke one first.',
  too_many_delegations: 'Too many delegations in this session. End one first.',
  too_many_speakers: 'Too many speakers in the rooms of this session. Say first who has left.',
  fork_too_large: 'The session has too many facts up to this turn. Fork from an earlier turn.',
  too_many_unanswered: 'Too many commands without a reply. Wait for some first.',
  too_many_bytes: 'Too many bytes a second from this speaker, over all its connections. Send less.',
  rate_limited: 'Too many frames a second. Send more slowly.',
  too_much_sound: 'Too much sound a second: some was dropped. Send it as it is spoken.',
  // not caused by the client
  held_elsewhere: 'Another host holds the session. Connect to that host, or try again later.',
  unavailable: 'The session could not be opened, or could not accept the command now. Try again later.',
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
