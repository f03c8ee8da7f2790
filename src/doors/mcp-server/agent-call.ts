// A call of an agent: says the prompt, and answers with what becomes of its turn.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { SayReply } from '../../core/session/api.ts';
import { parsePart } from '../../gateway/http/parse-input.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { openSession, textWithoutTurn } from '../door-turns/brought-words.ts';
import { profilesFor } from '../door-turns/door-profiles.ts';
import { startAgentTask } from './agent-tasks.ts';
import { type AgentOutput, agentInputSchema, agentResult } from './agent-tools.ts';
import { type AgentResult, type ClientAbilities, followAgentTurn } from './agent-turn.ts';
import type { McpRequest } from './mcp-request.ts';
import { readReturn } from './turn-questions.ts';

/** What a client calls. */
export interface AskedCall {
  /** The name of the agent. */
  readonly name: string;
  readonly given: unknown;
  /** The answer names a task, whose result is asked for later. */
  readonly isTask: boolean;
}

/** Calls an agent. Rejects with an `HttpProblem`, and with a `ProtocolError`. */
export async function callAgent(
  request: McpRequest,
  { name, given, isTask }: AskedCall,
  abilities: ClientAbilities,
): Promise<AgentResult> {
  const { settings } = request.door;
  const profile = profilesFor(settings, request.sender.caller.speaker.id).get(name);
  if (!profile)
    throw new HttpProblem('not_found', {
      field: 'name',
      message: `There is no agent ${JSON.stringify(name.slice(0, 64))} for this speaker. tools/list has those that there are.`,
    });
  const input = parsePart(agentInputSchema, given ?? {});
  const returned = await readReturn(request);
  if (returned) return followAgentTurn(request, returned, profile, abilities);
  const session = input.session ?? request.door.services.ids('mcp');
  const { sender, door } = request;
  await openSession(session, name, profile, { caller: sender.caller, services: door.services });
  const reply = await door.services.runtime.say(session, sender.caller, { text: input.prompt });
  if (reply.type !== 'turn_opened') return answerWithoutTurn(request, session, reply);
  const opened = { session, turn: reply.turn, openedAt: reply.seq ?? 1 };
  return isTask
    ? startAgentTask(request, name, opened, abilities)
    : followAgentTurn(request, opened, profile, abilities);
}

/** Words that have opened no turn: they have stopped something, or go to a turn that runs. */
async function answerWithoutTurn(
  { door: { services }, sender: { caller } }: McpRequest,
  session: string,
  reply: Exclude<SayReply, { type: 'turn_opened' }>,
): Promise<CallToolResult> {
  const { runtime, report } = services;
  if (reply.type === 'ref_reused') throw new HttpProblem('ref_reused');
  if (reply.type === 'say_refused') throw new HttpProblem(reply.code, { message: reply.message });
  const { text, receipt } = await textWithoutTurn(reply, session, services);
  runtime.leave(session, caller.connection, 'left').catch(report);
  const output: AgentOutput = {
    text,
    session,
    turn: reply.type === 'input_deferred' ? reply.turn : null,
    outcome: 'completed',
    effect: 'none',
    calls: [],
    receipt: receipt && { session, ...receipt },
  };
  return agentResult(output, false);
}
