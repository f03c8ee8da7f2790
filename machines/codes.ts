// The named reasons of outcomes and refusals, each with its sentence. docs/errors.md explains them; a test holds both together.

/** Why a node failed or was denied. */
export const failureCodes = {
  // the model's endpoint
  model_unauthorized: 'The model endpoint refused the credentials.',
  model_rate_limited: 'The model endpoint asked for fewer requests, and went on to after the retries.',
  model_rejected: 'The model endpoint refused the request.',
  model_unavailable: 'The model endpoint failed (5xx), and went on to after the retries.',
  model_unreachable: 'The model endpoint could not be reached.',
  model_cut_off: 'The connection to the model endpoint broke in the middle of the answer.',
  model_malformed: 'The model endpoint sent something that is no stream of chat completion chunks.',
  model_timed_out: 'The model endpoint sent nothing for too long.',
  context_failed: 'The context builder that the embedder provides threw.',
  // calls
  unknown_tool: 'No tool or agent of that name is offered to this model.',
  bad_arguments: 'The arguments are not what the input schema of the tool asks for.',
  tool_failed: 'The tool threw, or reported a failure.',
  command_failed: 'The command ended with an exit code other than 0, or by a signal.',
  program_missing: 'A program that the tool needs is not installed on this host.',
  agent_unavailable: 'The outside agent could not be started, or gave no session.',
  agent_failed: 'The outside agent refused the task, met a limit of its own, or reported an error.',
  agent_died: 'The outside agent ended, or broke off, before its answer.',
  denied: 'An interceptor or a person did not allow the call.',
  loop_limit: 'The same call with the same arguments has been made too often in this turn.',
  key_held: 'An abandoned call still holds the exclusive key that this call needs.',
  mcp_unavailable: 'The MCP server could not be started, or cannot be reached.',
  mcp_lost: 'The MCP server ended, or its connection broke, before it answered.',
  mcp_failed: 'The MCP server answered with an error of the protocol, or of HTTP.',
  mcp_protocol: 'The MCP server sent what MCP does not allow, so that its connection was closed.',
  path_outside_roots: 'The path leads outside the allowed roots.',
  address_refused: 'The address is a loopback or private one, which the configuration does not allow.',
  too_large: 'What the tool was asked to read or write is over its limit.',
  depth_limit: 'Sub-agents are nested as deep as they may be.',
  fan_out_limit: 'The model asked for more calls in one round than are allowed.',
  round_limit: 'The turn has made as many model calls as it may.',
  // the runtime
  crash: 'The process that ran this ended before it settled.',
  machine_failed: 'A machine of the runtime threw: a bug in Belay.',
} as const;
export type FailureCode = keyof typeof failureCodes;

/** Why an answer to an approval or a question is not taken. */
export const answerCodes = {
  expired: 'The question is not open any more: it was answered, withdrawn or has expired.',
  not_addressed: 'The question was put to somebody else.',
} as const;
export type AnswerCode = keyof typeof answerCodes;

/** Why a CANCEL does not stop a node, or a SAY opens no turn. */
export const refusalCodes = {
  not_owner: 'The node belongs to another speaker, and the policy of the session is `owner`.',
  not_allowed: 'The rule of the session, a function of its embedder, does not let the speaker stop the node.',
  lane_full: 'As many turns wait in the lane as may.',
  session_closing: 'The session is shutting down.',
  cancelled_before_start: 'A CANCEL for this SAY had come before it.',
  text_too_long: 'The text is over the limit.',
} as const;
export type RefusalCode = keyof typeof refusalCodes;
