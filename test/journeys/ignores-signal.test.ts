// Tools in the gateway's process that do not stop: one ignores its signal, one throws in its abort listener, one keeps its key.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ToolContext } from '../../src/core/contracts/tool.ts';
import { openBelay } from '../support/belay.ts';
import { toolOf } from '../support/harness.ts';
import { expectSound, toolMessages, useEndpoint } from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();
const abandoned = expect.stringContaining('did not stop in time');
const calling = (...names: string[]) => names.map((name) => ({ name, arguments: {} }));
const obedient = ({ signal }: ToolContext) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('a tool that ignores its signal for 2.5 s: the receipt comes after its budget with `abandoned`, and `abandoned_ended` when it ends [cancel.bounded] [cancel.settled] [cancel.boundaries]', async () => {
  const mayEnd = Promise.withResolvers<void>(); // on a slow machine it runs for longer
  let state: 'idle' | 'working' | 'ended' = 'idle';
  const ignoring = toolOf('ignoring', async () => {
    state = 'working';
    await Promise.all([pause(2_500), mayEnd.promise]);
    state = 'ended';
    return 'its late result';
  });
  const belay = await openBelay(endpoint, {
    tools: [ignoring, toolOf('obedient', (_, context) => obedient(context))],
    limits: { toolCancelMs: 1_500 },
  });
  await endpoint.script([{ reply: { text: 'I begin.', calls: calling('ignoring', 'obedient') } }]);
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await ann.waitFor('tool_started', ({ node }) => node === ann.of('tool_call')[1]?.node);
  const receipt = await turn.cancel().settled;
  expect(state, 'it still runs').toBe('working');
  const node = ann.of('tool_call')[0]?.node;
  expect(receipt?.nodes.map(({ outcome, effect }) => `${outcome} ${effect}`)).toEqual([
    'cancelled unknown',
    'abandoned unknown',
    'cancelled unknown',
  ]);
  // its lane is free meanwhile, and the model reads that it may still run
  expect(await ann.session.say('and on').ended).toMatchObject({ outcome: 'completed' });
  expect(state).toBe('working');
  expect(toolMessages((await endpoint.requests()).at(-1))[0]).toContain('may still be running');
  mayEnd.resolve();
  for (const client of [ann, witness]) {
    expect(await client.waitFor('abandoned_ended')).toMatchObject({ node, output: 'its late result' });
  }
  expect(state).toBe('ended');
  expect(ann.of('tool_result').filter((result) => result.node === node)).toMatchObject([{ outcome: 'abandoned' }]);
  await expectSound(belay, { witness, before: ['200 finished', '200 finished'], warnings: [abandoned] });
});

test('an abandoned call keeps its key until it has ended: meanwhile calls that need the key fail at once [cancel.bounded] [tool.parallel]', async () => {
  const end = Promise.withResolvers<void>();
  const access = () => ({ scope: 'session' as const, name: 'the key' });
  let runs = 0;
  const keyed = toolOf('keyed', () => (runs++ === 0 ? end.promise.then(() => 'late') : Promise.resolve('free')), {
    access,
  });
  const belay = await openBelay(endpoint, { tools: [keyed], limits: { toolCancelMs: 400 } });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'So be it.' } },
    { reply: { calls: calling('keyed') } },
  ]);
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await ann.waitFor('tool_started');
  await turn.cancel().settled;
  await ann.session.say('again').ended;
  expect(ann.of('tool_result')).toMatchObject([
    { outcome: 'abandoned' },
    { outcome: 'failed', code: 'key_held', effect: 'not_started' },
  ]);
  end.resolve();
  await ann.waitFor('abandoned_ended');
  await ann.session.say('once more').ended;
  expect(ann.of('tool_result').at(-1)).toMatchObject({ outcome: 'completed', output: 'free' });
  const before = Array.from({ length: 5 }, () => '200 finished');
  await expectSound(belay, { witness, before, warnings: [abandoned] });
});

test('a tool whose abort listener throws: its result names the error, its siblings are stopped, the gateway runs on [tool.signal] [cancel.reach]', async () => {
  const throwing = toolOf('throwing', (_, { signal }) => {
    signal.addEventListener('abort', () => {
      throw new Error('I will not');
    });
    signal.addEventListener('abort', async () => {
      throw new Error('nor later');
    });
    return new Promise((resolve) => {
      signal.onabort = () => resolve({ kind: 'stopped', output: 'it did, though' });
    });
  });
  const belay = await openBelay(endpoint, { tools: [throwing, toolOf('obedient', (_, context) => obedient(context))] });
  await endpoint.script([{ reply: { calls: calling('throwing', 'obedient') } }]);
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  await ann.waitFor('tool_started', ({ node }) => node === ann.of('tool_call')[1]?.node);
  const receipt = await turn.cancel().settled;
  expect(receipt?.nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  const node = ann.of('tool_call')[0]?.node;
  expect(ann.of('tool_result').find((result) => result.node === node)).toMatchObject({
    outcome: 'cancelled',
    output: 'it did, though',
    message: 'Its abort listener threw: I will not',
  });
  const warnings = Array.from({ length: 2 }, () => expect.stringContaining('abort listener of throwing threw'));
  await expectSound(belay, { witness, before: ['200 finished'], warnings });
});
