// The shutdown of a gateway, and the loss of a client: both stop turns by a CANCEL.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { newWorkspace, serveBelay } from '../support/belay.ts';
import {
  expectSound,
  factsOfRoom,
  requestEnds,
  shellCall,
  toolMessages,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();

test('SIGTERM during a turn: a CANCEL with cause shutdown, every client receives the end, exit code 0, no process is left [ops.shutdown] [cancel.sources] [store.durable]', async () => {
  const [ignoring, obedient] = [newToken(), newToken()];
  const workspace = newWorkspace();
  const belay = await serveBelay(endpoint, { workspace });
  const calls = [
    shellCall(`sh ${join(programs, 'ignores-term.sh')} ${ignoring}`),
    shellCall(`sh ${join(programs, 'polite.sh')} ${obedient}`, workspace.folder.b),
  ];
  await endpoint.script([
    { when: { user: 'by bob' }, reply: { text: 'To bob I say', end: 'hang' } },
    { reply: { text: 'I run.', calls } },
  ]);
  const [ann, bob, witness] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await Promise.all([untilRunning(ignoring), untilRunning(obedient)]);
  for (const token of [ignoring, obedient]) await ann.waitFor('tool_output', ann.ofCallWith(token));
  const other = bob.session.say('by bob');
  await untilHanging(belay, 2);
  belay.child.signal('SIGTERM');
  expect(await belay.child.ended()).toBe(0);
  expect(belay.child.stderr()).toBe('');
  expect([...living(ignoring), ...living(obedient)]).toEqual([]);
  for (const client of [ann.client, bob.client]) {
    expect(await client.closed).toMatchObject({ code: 4450, reason: 'shutdown' });
  }
  expect(await witness.raw.closed()).toMatchObject({ code: 4450 });
  expect(ann.of('cancel_accepted')).toMatchObject([{ source: 'shutdown', by: null, target: 'session', refused: [] }]);
  const outcomes = Object.fromEntries(ann.of('turn_ended').map(({ turn: id, outcome }) => [id, outcome]));
  expect(outcomes).toEqual({ [turn.id ?? '']: 'cancelled', [other.id ?? '']: 'cancelled' });
  expect(ann.of('tool_result').map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  expect(ann.frames.slice(-2).map(({ type }) => type)).toEqual(['cancel_settled', 'left']);
  expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 closed_by_client']);

  // the next gateway finds nothing to close
  const facts = factsOfRoom(belay);
  const next = await serveBelay(endpoint, { workspace });
  expect(factsOfRoom(next)).toEqual(facts);
  const requests = await expectSound(next, {
    witness: await watchRoom(next),
    before: ['200 finished', '200 closed_by_client'],
  });
  expect(toolMessages(requests.at(-1))).toEqual([
    expect.stringContaining('"status":"cancelled"'),
    expect.stringContaining('"status":"cancelled"'),
  ]);
});

test('SIGTERM without a client: running turns are stopped, and their end is written [ops.shutdown] [tool.process]', async () => {
  const token = newToken();
  const workspace = newWorkspace();
  const belay = await serveBelay(endpoint, { workspace });
  await endpoint.script([{ reply: { calls: [shellCall(`sh ${join(programs, 'leaves-group.sh')} ${token}`)] } }]);
  const ann = await joinRoom(belay, 'ann');
  const turn = ann.session.say('words');
  await ann.waitFor('tool_output');
  await ann.client.close();
  expect(living(token)).not.toEqual([]);
  belay.child.signal('SIGTERM');
  expect(await belay.child.ended()).toBe(0);
  expect(living(token)).toEqual([]);
  expect(factsOfRoom(belay).findLast(({ type }) => type === 'turn_ended')).toMatchObject({
    turn: turn.id,
    outcome: 'cancelled',
  });
  expect(factsOfRoom(belay).at(-1)).toMatchObject({ type: 'cancel_settled', cause: { source: 'shutdown' } });
});

test.each([
  { onDisconnect: 'cancel', title: 'is a CANCEL of its own nodes, with cause disconnect' },
  { onDisconnect: 'continue', title: 'cancels nothing' },
])(
  'a lost client, where the session has `onDisconnect: $onDisconnect`, $title [cancel.sources]',
  async ({ onDisconnect }) => {
    const [lost, stays] = [newToken(), newToken()];
    const config = { onDisconnect, limits: { disconnectGraceMs: 200 } };
    const belay = await serveBelay(endpoint, { config });
    const { a, b } = belay.folder;
    const waits = (token: string, cwd: string) =>
      shellCall(`true ${token}; until test -e ../go; do sleep 0.02; done`, cwd);
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Done.' } },
      { when: { user: 'by bob' }, reply: { calls: [waits(stays, b)] } },
      { reply: { calls: [waits(lost, a)] } },
    ]);
    const [bob, witness] = [await joinRoom(belay, 'bob'), await watchRoom(belay)];
    const [one, two] = [await watchRoom(belay, { speaker: 'ann' }), await watchRoom(belay, { speaker: 'ann' })];
    one.raw.send({ type: 'SAY', ref: 's1', text: 'words' });
    const other = bob.session.say('by bob');
    await Promise.all([untilRunning(lost), untilRunning(stays)]);
    const { turn } = await witness.waitFor('turn_opened', ({ owner }) => owner === 'ann');
    one.raw.socket.terminate(); // the loss of her last connection counts
    two.raw.socket.terminate();
    if (onDisconnect === 'cancel') {
      const settled = await witness.waitFor('cancel_settled');
      expect(settled).toMatchObject({ cause: { source: 'disconnect', by: 'ann', target: 'mine' } });
      expect(settled.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
      expect(living(lost)).toEqual([]);
    }
    expect(living(stays)).not.toEqual([]);
    writeFileSync(join(belay.folder.a, '..', 'go'), '');
    expect(await other.ended).toMatchObject({ outcome: 'completed' });
    expect(await witness.waitFor('turn_ended', (frame) => frame.turn === turn)).toMatchObject({
      outcome: onDisconnect === 'cancel' ? 'cancelled' : 'completed',
    });
    const before = Array.from({ length: onDisconnect === 'cancel' ? 3 : 4 }, () => '200 finished');
    await expectSound(belay, { witness, before });
  },
);
