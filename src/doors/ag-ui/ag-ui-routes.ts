// AG-UI: a run of an agent is a turn, an agent is a profile of the door, a thread is a session.
//
// 1. A run that cannot go on before the client answers ends with interrupts; the next one brings the answers, and goes on with the turn.
// 2. A run without new words goes on with the turn that the client has lost. A request that is lost is a CANCEL of its turn, unless the configuration says otherwise.
import * as z from 'zod';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import { type HttpCall, type HttpReply, type HttpRoute, route } from '../../gateway/http/route.ts';
import { commandProblems } from '../../gateway/http/route-problems.ts';
import { isBlank, sayBrought, sayingProblems, sessionNamed, textWithoutTurn } from '../door-turns/brought-words.ts';
import { type DoorProfile, type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';
import { giveAnswers, stopUnanswered } from '../door-turns/given-answers.ts';
import { activeTurnsOf, OpenedTurns, turnOfSpeaker } from '../door-turns/live-turns.ts';
import { assertNoTools, conversationOfRun, type RunInput, runInputSchema } from './ag-ui-request.ts';
import { AGUIRun, agUIDoor, type ReadTurn } from './ag-ui-run.ts';
import { resumedBy } from './interrupts.ts';

/** What the routes of the door share. */
interface Door {
  readonly settings: DoorSettings;
  readonly opened: OpenedTurns;
}

/** Returns the routes of the door. */
export function createAGUIRoutes(settings: DoorSettings): readonly HttpRoute[] {
  const door: Door = { settings, opened: new OpenedTurns(settings) };
  return [
    route({
      access: 'speaker',
      door: agUIDoor,
      method: 'POST',
      path: '/api/ag-ui/:profile',
      operation: 'runAGUIAgent',
      summary: 'Runs an agent, which is a profile, and replies with the events of the run.',
      kind: 'stream',
      schemas: { params: z.strictObject({ profile: z.string().min(1).max(64) }), body: runInputSchema },
      replies: { 200: { description: 'The events of the run.', mediaType: 'text/event-stream' } },
      problems: [...sayingProblems, ...commandProblems.answer],
      async handle({ params: { profile: name }, body }, call) {
        const profile = profilesFor(settings, call.caller.speaker.id).get(name);
        if (!profile) throw unknownAgent(name);
        assertNoTools(body);
        return run({ name, profile, input: body, session: sessionNamed(body.threadId, 'threadId') }, door, call);
      },
    }),
  ];
}

const unknownAgent = (name: string) =>
  new HttpProblem('unknown_model', {
    field: 'profile',
    status: 404,
    message: `There is no agent ${JSON.stringify(name)} for this speaker: an agent is a profile of the door.`,
  });

interface Asked {
  readonly session: string;
  readonly name: string;
  readonly profile: DoorProfile;
  readonly input: RunInput;
}

async function run(asked: Asked, door: Door, call: HttpCall): Promise<HttpReply> {
  const { session, name, profile, input } = asked;
  const conversation = conversationOfRun(input);
  const hasWords = !isBlank(conversation.said);
  const resumed = resumedBy(input.resume ?? []);
  if (resumed) {
    if (hasWords && resumed.isDeclined) await stopUnanswered(session, resumed.turn, call);
    else await giveAnswers(session, resumed.answers, call);
    if (!hasWords) return followTurn(asked, resumed.turn, { after: resumed.seq }, door, call);
  }
  if (!hasWords) return comeBack(asked, door, call);
  const saying = { session, name, profile, conversation, field: 'messages' };
  const reply = await sayBrought({ ...saying, ref: input.runId, refField: 'runId' }, call);
  if (reply.type === 'turn_opened') {
    door.opened.add(reply.turn, call);
    return followTurn(asked, reply.turn, { after: 0 }, door, call, reply.seq);
  }
  const { text, receipt } = await textWithoutTurn(reply, session, call.services);
  const event = reply.type === 'input_deferred' ? 'belay.deferred' : 'belay.receipt';
  new AGUIRun(input, call).sayInstead(text, event, receipt ?? reply);
  return null;
}

/** Goes on with the turn that runs, or with the last one that the client has seen. */
async function comeBack(asked: Asked, door: Door, call: HttpCall): Promise<HttpReply> {
  const { session, input } = asked;
  const running = turnOfSpeaker(await activeTurnsOf(session, call), call)?.turn;
  const turn = running ?? fieldsOf(fieldsOf(input.state)['belay'])['turn'];
  if (typeof turn !== 'string')
    throw new HttpProblem('bad_field', {
      field: 'messages',
      message: 'The last of the messages must be words of the user.',
    });
  const kept = input.messages.filter(({ id }) => !id.startsWith(`${turn}:`));
  return followTurn(asked, turn, { after: 0, kept }, door, call);
}

/** @param openedAt The sequence number of the opening of the turn. Left out: it is looked up. */
async function followTurn(
  { session, input, profile }: Asked,
  turn: NodeId,
  read: ReadTurn,
  { opened }: Door,
  call: HttpCall,
  openedAt?: number,
): Promise<HttpReply> {
  const followed = { session, turn, openedAt };
  await opened.follow(followed, call, (following) => new AGUIRun(input, call).follow(following, read, profile.onAsk));
  return null;
}
