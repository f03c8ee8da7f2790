// Parallel tools and nested sub-agents: after one CANCEL no process of any of them is left.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { living, newToken, programs, zombies } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { expectSound, shellCall, toolMessages, untilRunning, useEndpoint } from '../support/journey.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const program = (name: string, token: string) => `sh ${join(programs, name)} ${token}`;
const helper = { description: 'helps', instructions: 'Help.', agents: ['helper'] };

describe('four tools at once', () => {
  test('one obeys TERM, one ignores it, one has a grandchild in a group of its own, one has completed: one CANCEL ends all, and the result stays [cancel.reach] [cancel.bounded] [tool.process] [tool.parallel] [cancel.boundaries]', async () => {
    const tokens = { obedient: newToken(), ignoring: newToken(), forks: newToken() };
    const belay = await openBelay(endpoint, { termGraceMs: scaled(1_000) }); // the obedient one needs some of it
    const { a, b, c, d } = belay.folder;
    const calls = [
      shellCall(program('polite.sh', tokens.obedient), a),
      shellCall(program('ignores-term.sh', tokens.ignoring), b),
      shellCall(program('leaves-group.sh', tokens.forks), c),
      shellCall('echo the finished result', d),
    ];
    await endpoint.script([{ reply: { text: 'Four at once.', calls } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await ann.waitFor('tool_result'); // its result comes while the others run
    for (const token of Object.values(tokens)) {
      await ann.waitFor('tool_output', (frame) => ann.ofCallWith(token)(frame) && frame.text.includes('ready'));
      await untilRunning(token);
    }
    expect(ann.of('tool_result')).toHaveLength(1);
    const receipt = await turn.cancel().settled;

    const all = ann.of('tool_call').map(({ node }) => node);
    expect(Object.values(tokens).flatMap(living), 'their processes').toEqual([]);
    expect(markedProcesses(all), 'processes with their marker').toEqual([]);
    expect(zombies()).toEqual([]);
    const results = new Map(ann.of('tool_result').map((result) => [result.node, result]));
    expect(results.get(ann.callWith('finished'))).toMatchObject({ outcome: 'completed', effect: 'done' });
    expect(results.get(ann.callWith(tokens.obedient))).toMatchObject({
      outcome: 'cancelled',
      effect: 'unknown',
      output: expect.stringContaining('cleaned up'),
    });
    expect(results.get(ann.callWith(tokens.ignoring))).toMatchObject({ outcome: 'cancelled', forced: true });
    expect(results.get(ann.callWith(tokens.forks))).toMatchObject({ outcome: 'cancelled', forced: true });
    expect(receipt?.nodes.map(({ node }) => node)).toEqual([turn.id, ...all.slice(0, 3)]);

    const next = (await expectSound(belay, { witness, before: ['200 finished'] })).at(-1);
    expect(toolMessages(next), 'in the order of the calls').toEqual([
      expect.stringContaining('cleaned up'),
      expect.stringContaining('"status":"cancelled"'),
      expect.stringContaining('"status":"cancelled"'),
      expect.stringContaining('the finished result'),
    ]);
  });

  test('`force` on a repeat skips the grace: a process that ignores TERM is killed at once [cancel.idempotent] [cancel.bounded]', async () => {
    const token = newToken();
    // without force the grace would outlast this test
    const limits = { toolCancelMs: 50_000, shutdownMs: 60_000, forceCancelMs: 5_000 };
    const belay = await openBelay(endpoint, { termGraceMs: 40_000, limits });
    await endpoint.script([{ reply: { calls: [shellCall(program('ignores-term.sh', token))] } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await untilRunning(token);
    await ann.waitFor('tool_output');
    const cancel = turn.cancel();
    const first = await cancel.accepted;
    const forced = turn.cancel({ force: true });
    expect(await forced.accepted).toMatchObject({ type: 'cancel_accepted', repeated: true });
    expect(first).toMatchObject({ type: 'cancel_accepted', force: false });
    await Promise.all([cancel.settled, forced.settled]);
    expect(living(token)).toEqual([]);
    expect(ann.of('tool_result')).toMatchObject([{ outcome: 'cancelled', forced: true }]);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });

  test('a flood on stdout delays neither a CANCEL nor the frames of other clients [cancel.bounded] [cancel.latch]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { calls: [shellCall(program('flood.sh', ''))] } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await ann.waitFor('tool_output');
    await turn.cancel().settled;
    expect(markedProcesses([ann.callWith('flood')])).toEqual([]);
    const [result] = ann.of('tool_result');
    expect(result).toMatchObject({ outcome: 'cancelled', effect: 'unknown' });
    expect(result?.output?.length).toBe(2_000);
    expect(result?.omitted).toBeGreaterThan(0);
    await expectSound(belay, { witness, before: ['200 finished'] });
  });
});

describe('sub-agents', () => {
  test("a CANCEL reaches the shell of a sub-agent's sub-agent, and every turn above it ends [cancel.reach] [agent.tree] [history.paired]", async () => {
    const [deep, shallow] = [newToken(), newToken()];
    const belay = await openBelay(endpoint, { agents: { helper } });
    const delegate = (task: string) => ({ name: 'spawn_agent', arguments: { task } });
    await endpoint.script([
      { when: { user: 'storey one' }, reply: { text: 'Further down.', calls: [delegate('storey two')] } },
      { when: { user: 'storey two' }, reply: { calls: [shellCall(`sleep ${deep}`, belay.folder.b)] } },
      { reply: { calls: [delegate('storey one'), shellCall(`sleep ${shallow}`)] } },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await Promise.all([untilRunning(deep), untilRunning(shallow)]);
    await ann.waitFor('tool_started', ann.ofCallWith(deep));
    const receipt = await turn.cancel().settled;
    expect([...living(deep), ...living(shallow)]).toEqual([]);
    expect(receipt?.nodes.map(({ kind, outcome }) => `${kind} ${outcome}`).toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => 'sub-agent cancelled'),
      ...Array.from({ length: 2 }, () => 'tool-call cancelled'),
      ...Array.from({ length: 3 }, () => 'turn cancelled'),
    ]);
    expect(ann.of('turn_ended').map(({ turn: id, outcome }) => [id === turn.id, outcome])).toEqual([
      [false, 'cancelled'],
      [false, 'cancelled'],
      [true, 'cancelled'],
    ]);
    const before = Array.from({ length: 3 }, () => '200 finished');
    const next = (await expectSound(belay, { witness, before })).at(-1);
    expect(toolMessages(next)[0]).toContain('Further down.');
  });

  test('two turns that stream at once: any member can stop both, and both requests are closed [cancel.reach] [cancel.fence] [owner.text]', async () => {
    const belay = await openBelay(endpoint, { agents: { helper } });
    const calls = ['left', 'right'].map((task) => ({ name: 'spawn_agent', arguments: { task } }));
    await endpoint.script([
      { when: { user: 'words' }, reply: { calls } },
      { reply: { text: 'The first words', end: 'hang' } },
    ]);
    const [ann, bob, witness] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await until(async () => (await endpoint.requests()).filter((request) => request.hanging).length === 2);
    await until(() => ann.session.blocks.filter(({ text }) => text === 'The first words').length === 2);
    const cancel = bob.session.cancel('session', { reason: 'too loud' });
    expect(await cancel.accepted).toMatchObject({ by: 'bob', refused: [], stopping: { length: 5 } });
    await cancel.settled;
    expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
    const before = ['200 finished', '200 closed_by_client', '200 closed_by_client'];
    const next = (await expectSound(belay, { witness, before })).at(-1);
    expect(toolMessages(next)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('The first words')));
    expect(JSON.stringify(next?.messages)).toContain('was stopped by bob');
  });

  test('a CANCEL of one sub-agent does not stop its sibling or its turn [cancel.tool] [agent.tree]', async () => {
    const belay = await openBelay(endpoint, { agents: { helper } });
    const calls = ['left', 'right'].map((task) => ({ name: 'spawn_agent', arguments: { task } }));
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'One of two.' } },
      { when: { user: 'words' }, reply: { calls } },
      { when: { user: 'left' }, reply: { text: 'The left', end: 'hang' } },
      { when: { user: 'right' }, reply: { text: 'The right', end: 'hang' } },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    await until(() => ann.session.blocks.length === 2 && ann.session.blocks.every(({ text }) => text !== ''));
    await ann.session.cancel(ann.callWith('left')).settled;
    await until(async () => (await endpoint.requests()).filter((request) => request.hanging).length === 1);
    await endpoint.release();
    expect(await turn.ended).toMatchObject({ outcome: 'completed' });
    const results = Object.fromEntries(ann.of('tool_result').map(({ node, outcome }) => [node, outcome]));
    expect(results).toEqual({ [ann.callWith('left')]: 'cancelled', [ann.callWith('right')]: 'completed' });
    const order = (await endpoint.requests()).map(({ rule }) => rule);
    const before = order.map((rule) => (rule === 3 ? '200 closed_by_client' : '200 finished'));
    expect(before.filter((end) => end === '200 closed_by_client')).toHaveLength(1);
    await expectSound(belay, { witness, before });
  });
});
