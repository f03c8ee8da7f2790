// The codes of problems that only HTTP has, each with its message, and the status of every code. docs/errors.md explains the codes.
import { answerCodes, refusalCodes } from '../../../machines/codes.ts';
import { closeCodes } from '../../wire/close-codes.ts';
import { frameErrorCodes } from '../../wire/errors.ts';

export const httpErrorCodes = {
  not_found: 'There is no such route. See docs/http.md for those that there are.',
  method_not_allowed: 'The route has other methods. The header Allow lists them.',
  not_local: 'Without tokens this gateway serves this machine only. Configure tokens, or ask from the machine itself.',
  origin_not_allowed: 'Pages of this origin may not ask. Add it to the configured origins.',
  body_too_large: 'The body is too large. Send a smaller one.',
  unsupported_media_type: 'The body has another media type than the route reads. Send JSON as application/json.',
  moderator_required: 'Only a moderator may read the records of the inspector. Ask with the token of one.',
  too_many_readers: 'Too many readers of the inspector. Close one first.',
  unknown_target: 'There is no such node in a session of this speaker. Name the session if it may be asleep.',
  already_settled: 'The node has settled, and no CANCEL has stopped it. There is nothing to stop.',
  session_in_use: 'Something runs in the session, or another host holds it. Stop what runs, and delete it then.',
  import_too_large: 'The conversation before the last words is too long to begin a session with. Send less of it.',
  request_failed: 'The request failed: a bug in Belay. Please report it, with the log.',
} as const;

const messages = {
  ...refusalCodes,
  ...answerCodes,
  ...frameErrorCodes,
  ...httpErrorCodes,
  unauthorized: 'The token or the key is missing or not valid. Send it as "Authorization: Bearer".',
  too_many_connections: closeCodes.too_many_connections.message,
} as const;

/** A code that the `code` of a problem may have. */
export type ProblemCode = keyof typeof messages;

/** The status of every code. */
const statuses: Readonly<Record<ProblemCode, number>> = {
  // the request is not valid
  not_text: 400,
  bad_sound: 400,
  frame_too_large: 400,
  not_json: 400,
  not_a_frame: 400,
  unknown_type: 400,
  missing_field: 400,
  unknown_field: 400,
  bad_field: 400,
  hello_expected: 400,
  hello_repeated: 400,
  already_joined: 400,
  not_joined: 400,
  session_required: 400,
  not_yours: 400,
  not_voice: 400,
  unknown_blob: 400,
  unknown_model: 400,
  // its speaker may not do this
  unauthorized: 401,
  not_local: 403,
  origin_not_allowed: 403,
  not_owner: 403,
  words_not_addressed: 403,
  not_allowed: 403,
  not_addressed: 403,
  as_not_allowed: 403,
  role_not_allowed: 403,
  moderator_required: 403,
  // what it names is not there
  not_found: 404,
  access_denied: 404,
  unknown_target: 404,
  already_settled: 404,
  bad_invite: 404,
  not_readable: 404,
  method_not_allowed: 405,
  // it does not go with what is there
  not_steerable: 400,
  unknown_turn: 400,
  unknown_call: 400,
  call_settled: 400,
  turn_of_another: 400,
  turn_not_settled: 400,
  turn_not_forkable: 400,
  not_interrupted: 400,
  already_resumed: 400,
  ref_reused: 409,
  turn_running: 409,
  cancelled_before_start: 409,
  expired: 409,
  session_in_use: 409,
  session_exists: 409,
  question_required: 409,
  // limits
  no_such_tool: 400,
  timeout_out_of_range: 400,
  too_many_calls: 400,
  too_many_members: 400,
  too_many_invites: 400,
  too_many_delegations: 400,
  too_many_speakers: 400,
  body_too_large: 413,
  text_too_long: 413,
  blob_too_large: 413,
  fork_too_large: 413,
  import_too_large: 413,
  unsupported_media_type: 415,
  lane_full: 429,
  too_many_turns: 429,
  too_many_opens: 429,
  too_many_sessions: 429,
  too_many_unanswered: 429,
  too_many_bytes: 429,
  too_many_connections: 429,
  too_many_readers: 429,
  rate_limited: 429,
  too_much_sound: 429,
  // not caused by the client
  request_failed: 500,
  session_closing: 503,
  held_elsewhere: 503,
  unavailable: 503,
};

/** Returns the standard message of a code. */
export const messageOf = (code: ProblemCode): string => messages[code];

/** Returns the HTTP status of a code. */
export const httpStatusOf = (code: ProblemCode): number => statuses[code];
