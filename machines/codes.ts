// The codes of outcomes and refusals, each with its message. docs/errors.md explains each code; test/house/errors.test.ts compares both.

/** Reasons why a node failed or was denied. */
export const failureCodes = {
  // the model's endpoint
  model_unauthorized: 'The model endpoint refused the credentials.',
  model_rate_limited: 'The model endpoint still limited the rate of requests after all retries.',
  model_rejected: 'The model endpoint refused the request.',
  model_unavailable: 'The model endpoint still failed (5xx) after all retries.',
  model_unreachable: 'The model endpoint could not be reached.',
  model_cut_off: 'The connection to the model endpoint broke in the middle of the response.',
  model_malformed: 'The model endpoint sent something other than a stream of chat completion chunks.',
  model_timed_out: 'The model endpoint sent nothing for too long.',
  context_failed: 'The context builder that the embedder provides threw.',
  // calls
  unknown_tool: 'This model has no tool or agent of that name.',
  bad_arguments: 'The arguments do not match the input schema of the tool.',
  tool_failed: 'The tool threw, or reported a failure.',
  command_failed: 'The command ended with an exit code other than 0, or by a signal.',
  program_missing: 'A program that the tool needs is not installed on this host.',
  agent_unavailable: 'The outside agent could not be started, or opened no session.',
  agent_failed: 'The outside agent refused the task, reached a limit of its own, or reported an error.',
  agent_died: 'The outside agent ended, or closed the conversation, before its response.',
  denied: 'An interceptor or a person did not allow the call.',
  loop_limit: 'The same call with the same arguments was made too often in this turn.',
  key_held: 'An abandoned call still holds the exclusive key that this call needs.',
  mcp_unavailable: 'The MCP server could not be started, or cannot be reached.',
  mcp_lost: 'The MCP server ended, or its connection broke, before its response.',
  mcp_failed: 'The MCP server answered with an error of the protocol, or of HTTP.',
  mcp_protocol: 'The MCP server violated the protocol, so its connection was closed.',
  path_outside_roots: 'The path leads outside the allowed roots.',
  address_refused: 'The address is a loopback or private one, which the configuration does not allow.',
  too_large: 'The data to read or write exceeds the limit of the tool.',
  depth_limit: 'Too many sub-agents are nested.',
  fan_out_limit: 'The model asked for too many calls in one round.',
  round_limit: 'The turn has made too many model calls.',
  // the runtime
  crash: 'The process that ran this ended before it settled.',
  machine_failed: 'A machine of the runtime threw: a bug in Belay.',
} as const;
export type FailureCode = keyof typeof failureCodes;

/** Reasons why an answer to an approval or a question is rejected. */
export const answerCodes = {
  expired: 'The question is no longer open: it was answered, it was withdrawn, or it expired.',
  question_required: 'The call has asked before: name the question in the field "question".',
  not_addressed: 'The question is addressed to another speaker.',
} as const;
export type AnswerCode = keyof typeof answerCodes;

/** Reasons why a CANCEL does not stop a node, or a SAY opens no turn. */
export const refusalCodes = {
  not_owner: 'The node belongs to another speaker, and the policy of the session is `owner`.',
  not_allowed: 'The `standing` rule of the session does not allow the speaker to stop the node.',
  lane_full: 'Too many turns wait in the lane. Wait until one ends, or cancel one.',
  session_closing: 'The session is shutting down. Try again when the gateway runs again.',
  cancelled_before_start: 'The CANCEL of this SAY arrived before the SAY, so no turn was opened.',
  text_too_long: 'The text exceeds the limit of the session. Shorten it.',
} as const;
export type RefusalCode = keyof typeof refusalCodes;
