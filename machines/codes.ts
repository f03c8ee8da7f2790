// The codes of outcomes and refusals, each with its message. docs/errors.md explains each code; test/house/errors.test.ts compares both.

/** Reasons why a node failed or was denied. */
export const failureCodes = {
  // the model's endpoint
  model_unauthorized: 'The model endpoint rejected the credentials. Check the key and the base address.',
  model_rate_limited: 'Too many requests to the model endpoint (429), after all retries. Try again later.',
  model_rejected: 'The model endpoint rejected the request. Check the name and the limits of the model.',
  model_unavailable: 'The model endpoint failed (5xx), after all retries. Try again later.',
  model_unreachable: 'The model endpoint could not be reached. Check the base address and the network.',
  model_cut_off: 'The connection to the model endpoint broke in the middle of the response.',
  model_malformed:
    'The response of the model endpoint is not a stream of chat completion chunks. Check the base address.',
  model_timed_out: 'The model endpoint sent nothing for too long. Try again later.',
  model_abandoned: 'The model call did not end in time after it was stopped. It may still run at the provider.',
  context_abandoned: 'The context builder of the embedder did not end in time after it was stopped.',
  context_failed: 'The context builder that the embedder provides threw.',
  // calls
  unknown_tool: 'This model has no tool or agent of that name.',
  bad_arguments: 'The arguments do not match the input schema of the tool. Correct them.',
  tool_failed: 'The tool threw, or reported a failure.',
  command_failed: 'The command ended with an exit code other than 0, or by a signal.',
  program_missing: 'A program that the tool needs is not installed on this host. Install it.',
  agent_unavailable: 'The outside agent could not be started, or opened no session.',
  agent_failed: 'The outside agent refused the task, reached a limit of its own, or reported an error.',
  agent_died: 'The outside agent ended, or closed the conversation, before its response.',
  denied: 'An interceptor or a person did not allow the call.',
  cannot_ask:
    'The call needs a yes, and the door that its words came by has nobody to ask. Ask by another door, or let the profile allow it.',
  loop_limit: 'Too many calls with the same arguments in this turn. Change the arguments, or use another tool.',
  key_held: 'An abandoned call still holds the exclusive key that this call needs. Wait until that call has ended.',
  key_wait_limit: 'The call has waited too long for another call, which holds the exclusive key.',
  mcp_unavailable: 'The MCP server could not be started, or cannot be reached. Try again later.',
  mcp_lost: 'The MCP server ended, or its connection broke, before its response.',
  mcp_failed: 'The MCP server replied with an error of the protocol, or of HTTP.',
  mcp_protocol: 'The MCP server violated the protocol, so its connection was closed.',
  path_outside_roots: 'The path leads outside the allowed roots. Use a path inside, or allow the folder.',
  path_protected: 'The path is that of a file of Belay itself: its store, its configuration, tokens or keys.',
  address_refused: 'The address is loopback or private, and the configuration does not allow it.',
  too_large: 'The data to read or write exceeds the limit of the tool. Use a smaller part.',
  depth_limit: 'Too many nested sub-agents. Do the task without another one.',
  fan_out_limit: 'Too many calls in one response of the model. Make fewer at once.',
  round_limit: 'Too many model calls in this turn. Send another message to continue.',
  // the runtime
  crash: 'The process that ran this ended before it settled.',
  machine_failed: 'A machine of the runtime threw: a bug in Belay. Report it with the log.',
} as const;
export type FailureCode = keyof typeof failureCodes;

/** Reasons why an answer to an approval or a question is rejected. */
export const answerCodes = {
  expired: 'The question is no longer open: it was answered, it was withdrawn, or it expired.',
  question_required: 'The call has asked more than one question. Name one in the field "question".',
  not_addressed: 'The question is addressed to another speaker. That speaker or a moderator can answer it.',
} as const;
export type AnswerCode = keyof typeof answerCodes;

/** Reasons why a speaker has no standing over a node. */
export const standingCodes = {
  not_owner:
    'The node belongs to another speaker, and the policy of the session is not `anyone`. Its owner or a moderator can stop it, or a speaker whom the owner has named.',
  words_not_addressed:
    'The words were not clearly directed at the bot, and the node belongs to another speaker. Address the bot by its name, or let the owner stop it.',
  not_allowed: 'The `standing` rule of the session does not allow the speaker to stop the node.',
} as const;
export type StandingCode = keyof typeof standingCodes;

/** Returns the code of a reason that a fact gives. One that is not here, of a later version or of an embedder's rule, is `not_allowed`. */
export const standingCodeOf = (reason: string | undefined): StandingCode =>
  reason !== undefined && Object.hasOwn(standingCodes, reason) ? (reason as StandingCode) : 'not_allowed'; // it is one of its keys

/** Reasons why a CANCEL does not stop a node, or a SAY opens no turn. */
export const refusalCodes = {
  ...standingCodes,
  turn_running:
    'A turn of this speaker is running, and the session takes no other words of this speaker meanwhile. Say it again after the turn.',
  lane_full: 'Too many turns wait in the lane. Wait until one ends, or cancel one.',
  not_steerable:
    'Only a turn of the session can be steered, not a call or the turn of an agent that works for another turn. Name the turn above it.',
  too_many_turns:
    'Too many turns of this speaker are open, in all sessions together. Wait until one ends, or cancel one.',
  session_closing: 'The session is shutting down. Try again when the gateway runs again.',
  cancelled_before_start:
    'The CANCEL of this SAY arrived before the SAY, so no turn was opened. Send a SAY with another ref.',
  text_too_long: 'The text is too long. Shorten it.',
  unknown_blob:
    'A part of the SAY names a blob that this session does not have. Store its bytes in this session first.',
  unknown_model:
    'The SAY asks for a model that may not be chosen here. Name one of `models` of `joined`, or leave it out.',
  blob_too_large: 'The images, sounds and files of the SAY are above a limit. Make them smaller.',
  unknown_turn:
    'The session has no turn of this id that a SAY or RESUME has opened, or has it no more in the conversation. Say what is to be done instead.',
  turn_of_another: 'The turn belongs to another speaker. Its owner or a moderator can resume it.',
  turn_not_settled: 'The turn has not settled: it runs, waits or is being stopped. Resume it when it has ended.',
  not_interrupted: 'The turn has completed, so there is nothing to resume. Say what is to be done instead.',
  already_resumed: 'Another turn has taken this turn up already. Resume that one, if it was interrupted.',
} as const;
export type RefusalCode = keyof typeof refusalCodes;
