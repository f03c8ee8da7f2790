// OPEN_CALL, REPORT_CALL and SETTLE_CALL of a bridge: what their frames ask of the runtime, and the replies.
import { dropUndefined } from '../core/collections/fields.ts';
import type { NoOpenCall } from '../core/session/api.ts';
import type { CallFrame, OpenCallFrame, ReportCallFrame, SettleCallFrame } from '../wire/client-frames.ts';
import { type FrameProblem, problem } from '../wire/errors.ts';
import type { CommandContext, CommandReply } from './command-context.ts';
import { repeatedFrame } from './command-replies.ts';

/** Opens a call, reports on it or settles it. */
export function performCallCommand(frame: CallFrame, context: CommandContext): Promise<CommandReply> {
  switch (frame.type) {
    case 'OPEN_CALL':
      return openCall(frame, context);
    case 'REPORT_CALL':
      return reportCall(frame, context);
    case 'SETTLE_CALL':
      return settleCall(frame, context);
  }
}

/** The fact `turn_opened` is the reply. */
async function openCall(frame: OpenCallFrame, { runtime, session, caller }: CommandContext): Promise<CommandReply> {
  const { ref, name, input, effect, approval, timeoutMs } = frame;
  const request = { ref, name, input, effect, approval, timeoutMs };
  const reply = await runtime.external.open(session, caller, request);
  switch (reply.type) {
    case 'call_opened':
      return reply.repeated ? { frame: repeatedFrame(session, reply.repeated) } : null;
    case 'ref_reused':
      return { problem: problem(reply.type, { field: 'ref' }) };
    case 'too_many_calls':
      return { problem: problem(reply.type, { limit: reply.limit }) };
    case 'timeout_out_of_range':
      return { problem: problem(reply.type, { field: 'timeoutMs', message: reply.message, limit: reply.limit }) };
  }
}

async function reportCall(
  { ref, node, text }: ReportCallFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const reply = await runtime.external.report(session, caller, { node, text });
  if (reply.type !== 'reported') return { problem: callProblem(reply) };
  return { frame: { type: 'call_reported', session, node, ...dropUndefined({ ref }) } };
}

async function settleCall(
  { ref, node, outcome, output, effect, message }: SettleCallFrame,
  { runtime, session, caller }: CommandContext,
): Promise<CommandReply> {
  const request = { ref, node, outcome, ...dropUndefined({ output, effect, message }) };
  const reply = await runtime.external.settle(session, caller, request);
  if (reply.type !== 'settled') return { problem: callProblem(reply) };
  return { frame: { type: 'call_settled', ref, session, node } };
}

const callProblem = ({ type }: NoOpenCall): FrameProblem => problem(type, { field: 'node' });
