// Tools that block, in a thread and in a process: a CANCEL ends them, and other sessions run on meanwhile.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type IsolationKind, isolatedTool } from '../../src/adapters/tools/isolate/isolated-tool.ts';
import { programs, zombies } from '../adapters/processes/processes.ts';
import { openBelay } from '../support/belay.ts';
import { expectSound, toolMessages, useEndpoint } from '../support/journey.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';

const endpoint = useEndpoint();
const spinning = (kind: IsolationKind) =>
  isolatedTool({
    name: `spin_${kind}`,
    description: 'Blocks its event loop.',
    input: { type: 'object' },
    access: 'parallel',
    effect: 'some',
    isolate: { kind, module: join(programs, 'isolated.ts'), export: 'spins' },
  });

test('two endless loops are killed after their grace, and a turn of another session completes before that [cancel.bounded] [cancel.reach] [tool.parallel] [history.effect]', async () => {
  const belay = await openBelay(endpoint, { tools: [spinning('thread'), spinning('process')] });
  const calls = [
    { name: 'spin_thread', arguments: { in: 'thread' } },
    { name: 'spin_process', arguments: { in: 'process' } },
    { name: 'list_files', arguments: {} },
  ];
  await endpoint.script([{ when: { user: 'elsewhere' }, reply: { text: 'Answered.' } }, { reply: { calls } }]);
  const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
  const turn = ann.session.say('words');
  for (const kind of ['thread', 'process']) {
    await ann.waitFor('tool_output', (frame) => ann.ofCallWith(kind)(frame) && frame.text.includes('entered'));
  }
  await ann.waitFor('tool_result');

  const order: string[] = [];
  const cancel = turn.cancel();
  const elsewhere = ann.client.session('elsewhere').say('elsewhere');
  const receipt = await Promise.all([
    cancel.settled.finally(() => order.push('the loops have ended')),
    elsewhere.ended.finally(() => order.push('the other session was answered')),
  ]).then(([settled]) => settled);
  expect(order).toEqual(['the other session was answered', 'the loops have ended']);
  expect((await elsewhere.ended).outcome).toBe('completed');

  const stopped = [ann.callWith('thread'), ann.callWith('process')];
  expect(receipt?.nodes).toMatchObject([
    { node: turn.id, outcome: 'cancelled' },
    { node: stopped[0], outcome: 'cancelled', effect: 'unknown', forced: true },
    { node: stopped[1], outcome: 'cancelled', effect: 'unknown', forced: true },
  ]);
  expect(markedProcesses(stopped)).toEqual([]);
  expect(zombies()).toEqual([]);
  const next = (await expectSound(belay, { witness, before: ['200 finished', '200 finished'] })).at(-1);
  expect(toolMessages(next)).toEqual([
    expect.stringContaining('"status":"cancelled"'),
    expect.stringContaining('"status":"cancelled"'),
    expect.stringContaining('[the folder is empty]'),
  ]);
});
