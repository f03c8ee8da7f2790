// Calls that run as tasks, as 2025-11-25 has them. Nothing is kept of a task but its turn, which its id names: what became of it is read from the facts.
import { type CallToolResult, RELATED_TASK_META_KEY, type Task } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { FactOf, SequencedFact } from '../../../machines/facts.ts';
import { outcomeText } from '../../core/words/receipt-words.ts';
import { refusedStop } from '../../gateway/http/abort-routes.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { type DoorProfile, profilesFor } from '../door-turns/door-profiles.ts';
import { followDoorTurn } from '../door-turns/door-turn.ts';
import { AnswerReader, type ClientAbilities, followAgentTurn } from './agent-turn.ts';
import type { McpRequest } from './mcp-request.ts';
import { type CallTurn, readOwnTurn } from './turn-questions.ts';

/** How often a client is to ask, in milliseconds. */
const pollInterval = 1_000;
const factsOfPage = 1_000;
const maxPages = 10;

const idSchema = z.tuple([z.string(), z.string(), z.string(), z.int().min(1)]);

const idOf = (name: string, { session, turn, openedAt }: CallTurn): string =>
  Buffer.from(JSON.stringify([name, session, turn, openedAt])).toString('base64url');

interface NamedTask {
  readonly id: string;
  readonly opened: CallTurn;
  readonly profile: DoorProfile;
  readonly opening: FactOf<'turn_opened'> & { readonly at: number };
}

/** Starts the task of a turn that was opened: it goes on by itself. What it asks is denied at once if its client cannot be asked, and else waits until the client asks for the result. */
export async function startAgentTask(
  request: McpRequest,
  name: string,
  opened: CallTurn,
  { canElicit }: ClientAbilities,
): Promise<CallToolResult> {
  const id = idOf(name, opened);
  const { profile } = await findTask(request, id);
  const { sender, door } = request;
  const follower = { services: door.services, caller: sender.caller, response: new AnswerReader() };
  const followed = { ...opened, after: 0, by: sender.caller, onDisconnect: 'continue', graceMs: 0 } as const;
  const listener = { onFrame() {}, onText() {}, ask: () => canElicit };
  void followDoorTurn(followed, follower, profile.onAsk, listener);
  return { content: [], task: await readTask(request, id) };
}

/** Resolves with the state of a task. */
export async function readTask(request: McpRequest, id: string): Promise<Task> {
  const { opened, opening } = await findTask(request, id);
  const { session, turn } = opened;
  const { caller } = request.sender;
  const directory = await request.door.services.runtime.directory();
  const created = { taskId: id, ttl: null, pollInterval, createdAt: timeOf(opening.at) };
  const { turns } = await directory.activeTurns(caller);
  if (turns.some((active) => active.session === session && active.turn === turn)) {
    const { questions } = await directory.questions(caller);
    const isAsking = questions.some((question) => question.session === session);
    return { ...created, status: isAsking ? 'input_required' : 'working', lastUpdatedAt: created.createdAt };
  }
  const end = await readEnd(request, opened);
  if (!end) return { ...created, status: 'failed', lastUpdatedAt: created.createdAt };
  const { outcome } = end.fact;
  const status = outcome === 'completed' || outcome === 'cancelled' ? outcome : 'failed';
  return { ...created, status, statusMessage: outcomeText(outcome), lastUpdatedAt: timeOf(end.fact.at) };
}

/** Resolves with the result of a task as soon as its turn is over. */
export async function readTaskResult(
  request: McpRequest,
  id: string,
  abilities: ClientAbilities,
): Promise<CallToolResult> {
  const { opened, profile } = await findTask(request, id);
  const result = await followAgentTurn(request, opened, profile, abilities, 'task');
  return { ...result, _meta: { [RELATED_TASK_META_KEY]: { taskId: id } } } as CallToolResult; // where there are tasks, a question is no answer
}

/** A CANCEL of the turn. Resolves when everything has ended. */
export async function cancelTask(request: McpRequest, id: string): Promise<Task> {
  const { opened } = await findTask(request, id);
  const { session, turn } = opened;
  const { runtime } = request.door.services;
  const asked = { target: turn, reason: 'The task was cancelled.', source: 'client' } as const;
  const reply = await runtime.cancel(session, request.sender.caller, asked);
  if (reply.type === 'cancel_refused') throw refusedStop(reply.refusal);
  if (reply.type !== 'cancel_accepted') throw new HttpProblem('already_settled', { field: 'taskId' });
  await runtime.settled(session, reply.receipt.cancel);
  return readTask(request, id);
}

/** Rejects with an `HttpProblem` if the id names no task of the speaker. */
async function findTask(request: McpRequest, id: string): Promise<NamedTask> {
  const parsed = idSchema.safeParse(jsonOf(id));
  const noTask = () =>
    new HttpProblem('not_found', { field: 'taskId', message: 'There is no such task of this speaker.' });
  if (!parsed.success) throw noTask();
  const [name, session, turn, openedAt] = parsed.data;
  const opened = { session, turn, openedAt };
  const profile = profilesFor(request.door.settings, request.sender.caller.speaker.id).get(name);
  const opening = await readOwnTurn(request, opened).catch(() => null);
  if (!profile || !opening) throw noTask();
  return { id, opened, profile, opening };
}

function jsonOf(id: string): unknown {
  try {
    return JSON.parse(Buffer.from(id, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

interface TurnEnd extends SequencedFact {
  readonly fact: Extract<SequencedFact['fact'], { readonly type: 'turn_ended' }>;
}

async function readEnd({ door, sender }: McpRequest, { session, turn, openedAt }: CallTurn): Promise<TurnEnd | null> {
  const directory = await door.services.runtime.directory();
  let after = openedAt;
  for (let page = 0; page < maxPages; page++) {
    const facts = await directory.readFacts(sender.caller, session, { after, before: null, limit: factsOfPage });
    const end = facts.find((one): one is TurnEnd => one.fact.type === 'turn_ended' && one.fact.turn === turn);
    if (end) return end;
    after = facts.at(-1)?.seq ?? after;
    if (facts.length < factsOfPage) break;
  }
  return null;
}

const timeOf = (at: number): string => new Date(at).toISOString();
