// kill -9 of a running gateway: the next one closes the open turns, terminates leftover processes, and sends the closing to returning clients.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { newWorkspace, type ServedBelay, serveBelay } from '../support/belay.ts';
import {
  expectSound,
  factsOfRoom,
  shellCall,
  toolMessages,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { factsOf, joinRoom, type RoomClient, watchRoom } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

/** Starts a gateway with a client whose turn is open. */
async function startTurn(config: Readonly<Record<string, unknown>> = {}) {
  const workspace = newWorkspace();
  const belay = await serveBelay(endpoint, { workspace, config });
  const ann = await joinRoom(belay, 'ann');
  return { workspace, belay, ann, turn: ann.session.say('words') };
}

async function kill({ child }: ServedBelay, ann: RoomClient): Promise<void> {
  child.signal('SIGKILL');
  expect(await child.ended()).toBe('SIGKILL');
  expect((await ann.client.closed).reason, 'no close frame').toBeNull();
}

describe('kill -9 with a shell running', () => {
  test('the next gateway terminates the processes, closes the turn, and sends the closing to a returning client [store.durable] [tool.process] [history.effect] [ws.resume]', async () => {
    const [leavesGroup, queued] = [newToken(), newToken()];
    await endpoint.script([
      {
        reply: {
          text: 'I run.',
          calls: [shellCall(`sh ${join(programs, 'leaves-group.sh')} ${leavesGroup}`), shellCall(`sleep ${queued}`)],
        },
      },
    ]);
    const { workspace, belay, ann, turn } = await startTurn();
    await untilRunning(leavesGroup);
    await ann.waitFor('tool_output');
    await turn.opened;
    const { seq } = ann.session;
    const call = ann.callWith(leavesGroup);
    await until(() => factsOfRoom(belay).some(({ type }) => type === 'process_started'));
    await kill(belay, ann);
    expect(markedProcesses([call]), 'they outlive their gateway').not.toEqual([]);

    const next = await serveBelay(endpoint, { workspace });
    expect(markedProcesses([call]), 'no process is left before the first client connects').toEqual([]);
    expect([...living(leavesGroup), ...living(queued)]).toEqual([]);
    const witness = await watchRoom(next);
    const back = await joinRoom(next, 'ann', { after: seq });
    await back.waitFor('session_recovered');
    const types = factsOf(back.frames).map(({ type }) => type);
    expect(types).toEqual(['tool_result', 'tool_result', 'turn_ended', 'session_recovered', 'abandoned_ended']);
    expect(back.of('tool_result')).toMatchObject([
      { node: call, outcome: 'failed', code: 'crash', effect: 'unknown' },
      { outcome: 'failed', code: 'crash', effect: 'not_started' },
    ]);
    expect(back.of('turn_ended')).toMatchObject([{ turn: turn.id, outcome: 'failed', code: 'crash' }]);
    expect(back.of('session_recovered')).toMatchObject([{ turns: [turn.id] }]);
    expect(back.of('abandoned_ended')).toMatchObject([{ node: call }]);
    // after=0: every fact, once
    await until(() => witness.of('abandoned_ended').length > 0);
    expect(factsOf(witness.frames).filter((frame) => frame.seq > seq)).toEqual(factsOf(back.frames));
    const last = (await expectSound(next, { witness, before: ['200 finished'] })).at(-1);
    expect(toolMessages(last)).toEqual([
      expect.stringContaining('"effect":"unknown"'),
      expect.stringContaining('It did not run.'),
    ]);
  });

  test('after an accepted CANCEL: it is the cause, nothing resumes, and the next gateway sends the only receipt [store.durable] [cancel.settled] [cancel.idempotent]', async () => {
    const token = newToken();
    const limits = { termGraceMs: scaled(10_000), toolCancelMs: scaled(12_000), shutdownMs: scaled(20_000) }; // the grace outlives the gateway
    await endpoint.script([{ reply: { calls: [shellCall(`sh ${join(programs, 'ignores-term.sh')} ${token}`)] } }]);
    const { workspace, belay, ann, turn } = await startTurn({ limits });
    await untilRunning(token);
    await ann.waitFor('tool_output');
    const waiting = ann.session.say('and then this'); // queued after it
    await waiting.opened;
    const cancel = ann.session.cancel('session', { reason: 'enough' });
    expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted' });
    await kill(belay, ann);
    await expect(cancel.settled).rejects.toMatchObject({ name: 'ConnectionClosed' });
    expect(living(token)).not.toEqual([]);

    const next = await serveBelay(endpoint, { workspace });
    expect(living(token)).toEqual([]);
    const witness = await watchRoom(next);
    const settled = await witness.waitFor('cancel_settled');
    expect(settled).toMatchObject({ ref: cancel.ref, cause: { source: 'client', by: 'ann', reason: 'enough' } });
    expect(settled.nodes.map(({ node, outcome, effect }) => [node, outcome, effect])).toEqual([
      [turn.id, 'cancelled', 'unknown'],
      [ann.callWith(token), 'cancelled', 'unknown'],
      [waiting.id, 'cancelled', 'not_started'],
    ]);
    // the reply was lost: the same ref gets the recorded receipt
    const { raw, ...again } = await watchRoom(next, { speaker: 'ann' });
    raw.send({ type: 'CANCEL', ref: cancel.ref, target: 'session' });
    const repeated = await again.waitFor('cancel_settled', (frame) => frame.repeated === true);
    expect(repeated).toMatchObject({ cancel: settled.cancel, nodes: settled.nodes });
    // the replay brings the only receipt, before or after the reply
    await again.waitFor('cancel_settled', (frame) => !frame.repeated);
    await until(() => factsOf(again.frames).length >= factsOf(witness.frames).length, { what: 'the whole replay' });
    expect(again.of('cancel_settled').filter((frame) => !frame.repeated)).toHaveLength(1);
    await expectSound(next, { witness, before: ['200 finished'] });
  });
});

test('kill -9 while text streams: the text is kept up to a checkpoint, and marked as cut off [store.durable] [history.partial] [history.usage]', async () => {
  const text = 'All of this was on the screen.';
  await endpoint.script([{ reply: { text, end: 'hang' } }]);
  const { workspace, belay, ann } = await startTurn({ limits: { checkpointMs: 50 } });
  await untilHanging(belay);
  await until(
    () => factsOfRoom(belay).some(({ type }) => type === 'text_checkpoint') && ann.session.blocks[0]?.text === text,
  );
  await until(
    () =>
      factsOfRoom(belay).reduce((sum, fact) => sum + (fact.type === 'text_checkpoint' ? fact.text : ''), '') === text,
  );
  await kill(belay, ann);
  const next = await serveBelay(endpoint, { workspace });
  const witness = await watchRoom(next);
  expect(await witness.waitFor('model_ended')).toMatchObject({
    outcome: 'failed',
    code: 'crash',
    text,
    cutOff: true,
    lostAfter: text.length,
    usage: { kind: 'unknown' },
  });
  const last = (await expectSound(next, { witness, before: ['200 closed_by_client'] })).at(-1);
  expect(JSON.stringify(last?.messages)).toContain(`${text}… [cut off here]`);
});

test('kill -9 of two gateways in turn: each next one closes the open turns, and does not change a session without one [store.durable]', async () => {
  await endpoint.script([{ when: { user: 'words' }, reply: { text: 'Never ending', end: 'hang' } }]);
  const { workspace, belay, ann } = await startTurn();
  await untilHanging(belay);
  await kill(belay, ann);
  const second = await serveBelay(endpoint, { workspace });
  const facts = factsOfRoom(second);
  expect(facts.filter(({ type }) => type === 'session_recovered')).toHaveLength(1);
  second.child.signal('SIGKILL');
  await second.child.ended();
  const third = await serveBelay(endpoint, { workspace });
  expect(factsOfRoom(third)).toEqual(facts);
  await expectSound(third, { witness: await watchRoom(third), before: ['200 closed_by_client'] });
});
