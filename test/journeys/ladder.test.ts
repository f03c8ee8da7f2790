// A CANCEL in each phase of a turn, a call and a sub-agent, over real sockets: the requests, the frames, the stored facts and the processes.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../machines/messages.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { holdAppend } from '../support/held-log.ts';
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
import { joinRoom, watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

describe('a turn', () => {
  test('queued: it leaves the queue, no request is made, its words stay [ladder.turn.queued] [cancel.latch]', async () => {
    await endpoint.script([{ when: { user: 'first' }, reply: { text: 'One moment', end: 'hang' } }]);
    const belay = await openBelay(endpoint);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const [first, second] = [ann.session.say('first'), ann.session.say('second')];
    await untilHanging(belay);
    await second.opened;
    const receipt = await second.cancel().settled;
    expect(receipt?.nodes).toMatchObject([{ node: second.id, outcome: 'cancelled', effect: 'not_started' }]);
    await endpoint.release();
    expect(await first.ended).toMatchObject({ outcome: 'completed' });
    expect(ann.of('turn_opened').map(({ text }) => text)).toEqual(['first', 'second']);
    expect(ann.of('turn_started')).toHaveLength(1);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });

  test('preparing: the request that is being built is dropped, its words stay [ladder.turn.preparing]', async () => {
    await endpoint.script([]);
    const building = Promise.withResolvers<void>();
    let builds = 0;
    const belay = await openBelay(endpoint, {
      buildContext: ({ messages }) => {
        building.resolve();
        return builds++ === 0 ? new Promise<readonly Message[]>(() => {}) : Promise.resolve(messages);
      },
    });
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await building.promise;
    expect(await turn.cancel().settled).toMatchObject({ nodes: [{ node: turn.id, outcome: 'cancelled' }] });
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled', effect: 'none' });
    const [next] = await expectSound(belay, { witness, before: [] });
    expect(JSON.stringify(next?.messages)).toContain('words');
  });

  test('generating: the endpoint sees the request closed, the text so far stays, marked cut off [ladder.turn.generating] [history.partial] [cancel.accepted] [history.usage]', async () => {
    await endpoint.script([{ reply: { text: 'The first half of it', end: 'hang' } }]);
    const belay = await openBelay(endpoint);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilHanging(belay);
    await until(() => ann.of('text_delta').length > 0 && ann.session.blocks[0]?.text === 'The first half of it');
    await turn.cancel({ reason: 'changed my mind' }).settled;
    expect(ann.of('model_ended')).toMatchObject([
      { outcome: 'cancelled', text: 'The first half of it', cutOff: true, usage: { kind: 'estimated' } },
    ]);
    const order = ann.frames.map(({ type }) => type);
    expect(order.slice(order.indexOf('cancel_accepted'))).toEqual([
      'cancel_accepted',
      'model_ended',
      'turn_ended',
      'cancel_settled',
    ]);
    const next = (await expectSound(belay, { witness, before: ['200 closed_by_client'] })).at(-1);
    expect(JSON.stringify(next?.messages)).toContain('The first half of it… [cut off here]');
    expect(JSON.stringify(next?.messages)).toContain('was stopped by ann');
  });

  test('generating: whole calls are kept and did not run, a half one is dropped [ladder.turn.generating] [history.effect]', async () => {
    const [whole, half] = [shellCall('touch whole'), shellCall('touch half')];
    await endpoint.script([{ reply: { text: 'I will', calls: [whole], half } }]);
    const belay = await openBelay(endpoint);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilHanging(belay);
    await until(() => ann.session.blocks[0]?.text === 'I will');
    await turn.cancel().settled;
    expect(ann.of('tool_call').map((call) => call.arguments)).toEqual([JSON.stringify(whole.arguments)]);
    expect(ann.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    expect(ann.of('tool_started')).toEqual([]);
    expect(existsSync(join(belay.folder.a, 'whole'))).toBe(false);
    const next = (await expectSound(belay, { witness, before: ['200 closed_by_client'] })).at(-1);
    expect(toolMessages(next)).toEqual([expect.stringContaining('It did not run.')]);
  });

  test('dispatching: the write is completed, then no call runs; the acceptance is sent with `durable: false` [ladder.turn.dispatching] [cancel.accepted]', async () => {
    const hold = holdAppend((types) => types.includes('tool_call'));
    const belay = await openBelay(endpoint, { wrap: hold.wrap });
    await endpoint.script([{ reply: { calls: [shellCall('touch ran'), shellCall('touch ran', belay.folder.b)] } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await hold.reached;
    const cancel = turn.cancel();
    expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted', durable: false, stopping: [turn.id] });
    hold.release();
    await cancel.settled;
    expect(ann.of('tool_result').map(({ outcome, effect }) => `${outcome} ${effect}`)).toEqual([
      'cancelled not_started',
      'cancelled not_started',
    ]);
    await witness.waitFor('cancel_settled');
    expect(witness.of('cancel_accepted').map(({ durable = true }) => durable)).toEqual([false, true]);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    await expectSound(belay, { witness, before: ['200 finished'] });
    expect(existsSync(join(belay.folder.a, 'ran')) || existsSync(join(belay.folder.b, 'ran'))).toBe(false);
  });

  test('acting: every open child is stopped, the finished result stays, the model is not called again [ladder.turn.acting] [cancel.reach]', async () => {
    const token = newToken();
    const calls = [
      { name: 'list_files', arguments: { path: '.' } },
      shellCall(`sleep ${token}`),
      shellCall('touch later'),
    ];
    await endpoint.script([{ reply: { text: 'On it.', calls } }]);
    const belay = await openBelay(endpoint);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilRunning(token);
    await ann.waitFor('tool_result');
    const receipt = await turn.cancel().settled;
    expect(living(token)).toEqual([]);
    const results = ann.of('tool_result').map(({ node, outcome, effect }) => [node, `${outcome} ${effect}`]);
    expect(results).toHaveLength(3);
    expect(Object.fromEntries(results)).toEqual({
      [ann.callWith('path')]: 'completed none',
      [ann.callWith(token)]: 'cancelled unknown',
      [ann.callWith('later')]: 'cancelled not_started',
    });
    expect(receipt?.nodes.map(({ node }) => node)).toEqual([turn.id, ann.callWith(token), ann.callWith('later')]);
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
    await expectSound(belay, { witness, before: ['200 finished'] });
    expect(existsSync(join(belay.folder.a, 'later'))).toBe(false);
  });

  test('between results and the next request it settles at once, results stay [ladder.turn.between] [cancel.boundaries]', async () => {
    await endpoint.script([{ reply: { calls: [shellCall('echo the result')] } }]);
    const between = Promise.withResolvers<void>();
    let builds = 0;
    const belay = await openBelay(endpoint, {
      buildContext: async ({ messages }) => {
        if (++builds !== 2) return messages;
        between.resolve();
        return new Promise(() => {});
      },
    });
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await between.promise;
    const receipt = await turn.cancel().settled;
    expect(receipt?.nodes).toMatchObject([{ node: turn.id, outcome: 'cancelled', effect: 'done' }]);
    expect(ann.of('tool_result')).toMatchObject([{ outcome: 'completed', effect: 'done' }]);
    const next = (await expectSound(belay, { witness, before: ['200 finished'] })).at(-1);
    expect(toolMessages(next)).toEqual([expect.stringContaining('the result')]);
  });

  test('settling: already settled, the outcome is fixed [ladder.turn.settling] [cancel.exact]', async () => {
    await endpoint.script([{ reply: { text: 'Done.' } }]);
    const hold = holdAppend((types) => types.includes('turn_ended'));
    const belay = await openBelay(endpoint, { wrap: hold.wrap });
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await hold.reached;
    expect(await turn.cancel().accepted).toMatchObject({ type: 'already_settled', target: turn.id, receipt: null });
    hold.release();
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(await turn.cancel().accepted).toMatchObject({ type: 'already_settled' });
    expect(ann.of('cancel_accepted')).toEqual([]);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });
});

describe('a tool call', () => {
  test('queued for the key of its folder: it leaves the queue, and the other call goes on [ladder.call.queued] [cancel.tool]', async () => {
    const commands = ['until test -e go; do sleep 0.02; done', 'touch second', 'touch third'];
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Done.' } },
      { reply: { calls: commands.map((command) => shellCall(command)) } },
    ]);
    const belay = await openBelay(endpoint);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await ann.waitFor('tool_started', ann.ofCallWith('go'));
    const receipt = await ann.session.cancel(ann.callWith('second')).settled;
    expect(receipt?.nodes).toMatchObject([
      { node: ann.callWith('second'), outcome: 'cancelled', effect: 'not_started' },
    ]);
    writeFileSync(join(belay.folder.a, 'go'), '');
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    expect(['second', 'third'].map((name) => existsSync(join(belay.folder.a, name)))).toEqual([false, true]);
    await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
  });

  test('starting: a call whose start is not yet durable does not run [ladder.call.queued] [history.effect]', async () => {
    await endpoint.script([{ reply: { calls: [shellCall('touch ran')] } }]);
    const hold = holdAppend((types) => types.includes('tool_started') && !types.includes('tool_call'));
    const belay = await openBelay(endpoint, { wrap: hold.wrap });
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await hold.reached;
    const cancel = turn.cancel();
    await cancel.accepted;
    hold.release();
    await cancel.settled;
    expect(ann.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'not_started' }]);
    await expectSound(belay, { witness, before: ['200 finished'] });
    expect(existsSync(join(belay.folder.a, 'ran'))).toBe(false);
  });

  test('running: the exit of its process is observed, its output stays, its sibling and the turn run on [ladder.call.running] [cancel.tool] [tool.process]', async () => {
    const token = newToken();
    const belay = await openBelay(endpoint);
    const waits = shellCall('until test -e go; do sleep 0.02; done; echo whole', belay.folder.b);
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Half of it.' } },
      { reply: { calls: [shellCall(`echo so far; sleep ${token}`), waits] } },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const sibling = () => ann.callWith('whole');
    const turn = ann.session.say('words');
    await untilRunning(token);
    await ann.waitFor('tool_output', ({ text }) => text.includes('so far'));
    await until(() => markedProcesses([sibling()]).length > 0);
    await ann.session.cancel(ann.callWith(token)).settled;
    expect(living(token)).toEqual([]);
    expect(markedProcesses([sibling()])).not.toEqual([]);
    expect(ann.of('tool_result')).toMatchObject([{ outcome: 'cancelled', effect: 'unknown', output: 'so far\n' }]);
    writeFileSync(join(belay.folder.b, 'go'), '');
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    const [, second] = await expectSound(belay, { witness, before: ['200 finished', '200 finished'] });
    expect(toolMessages(second)).toEqual([
      expect.stringContaining('"cancelled":true'),
      expect.stringContaining('whole'),
    ]);
  });
});

describe('a sub-agent', () => {
  test('delegating: its request is closed, its partial report is handed to its parent, which goes on [ladder.agent.delegating] [agent.tree] [cancel.tool]', async () => {
    await endpoint.script([
      { when: { user: 'look around' }, reply: { text: 'So far I have seen', end: 'hang' } },
      { when: { toolResult: true }, reply: { text: 'Thank you.' } },
      { reply: { calls: [{ name: 'spawn_agent', arguments: { task: 'look around' } }] } },
    ]);
    const belay = await openBelay(endpoint, { agents: { helper: { description: 'helps', instructions: 'Help.' } } });
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilHanging(belay, 2);
    await until(() => ann.session.blocks.some(({ text }) => text === 'So far I have seen'));
    const receipt = await ann.session.cancel(ann.callWith('look around')).settled;
    expect(receipt?.nodes.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'sub-agent cancelled',
      'turn cancelled',
    ]);
    expect(ann.of('tool_result')).toMatchObject([{ outcome: 'cancelled', output: 'So far I have seen' }]);
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    const saw = await expectSound(belay, { witness, before: ['200 finished', '200 closed_by_client', '200 finished'] });
    expect(toolMessages(saw[2])).toEqual([expect.stringContaining('So far I have seen')]);
    expect(factsOfRoom(belay).filter(({ type }) => type === 'turn_started')).toHaveLength(3);
  });
});

test("a turn's deadline stops the whole turn, with the outcome timed_out [cancel.sources] [history.words]", async () => {
  const token = newToken();
  await endpoint.script([{ reply: { calls: [shellCall(`sleep ${token}`)] } }]);
  const belay = await openBelay(endpoint, { limits: { turnMs: 2_000 } });
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await untilRunning(token);
  expect(await turn.ended).toMatchObject({ outcome: 'timed_out' });
  expect(living(token)).toEqual([]);
  const settled = await ann.waitFor('cancel_settled');
  expect(settled).toMatchObject({ cause: { source: 'deadline', by: null, target: turn.id } });
  expect(settled.nodes.map(({ outcome }) => outcome)).toEqual(['timed_out', 'timed_out']);
  const next = (await expectSound(belay, { witness, before: ['200 finished'] })).at(-1);
  expect(toolMessages(next)).toEqual([expect.stringContaining('"status":"timed_out"')]);
});
