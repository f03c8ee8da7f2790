// The chart of a tool call alone, with workers of the test.
import { expect, test } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { Call, CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { toolCallMachine } from '../../machines/tool-call.ts';
import { callOf, parentStub } from '../support/statechart.ts';

test('an interceptor changes the arguments of a call, not its id and its owner [tool.before] [owner.node]', async () => {
  const worked: Call[] = [];
  const worker = (reply: (call: Call) => PhaseReply) =>
    fromPromise<PhaseReply, CallWorkInput>(async ({ input: { call } }) => {
      worked.push(call);
      return reply(call);
    });
  const changed = { id: 'other', owner: 'B', arguments: '{"changed":true}' };
  const machine = toolCallMachine.provide({
    actors: {
      screen: worker((call) => ({ kind: 'go', call: { ...call, ...changed } })),
      start: worker(() => ({ kind: 'go' })),
      work: worker(() => ({ kind: 'completed', effect: 'done' })),
    },
  });
  const call = callOf('c', { needs: ['screening'] });
  const actor = createActor(machine, { input: { call, parentId: 'T', parent: parentStub, depth: 0 } });
  actor.start();
  await waitFor(actor, ({ status }) => status === 'done');
  expect(worked.map(({ id, owner, arguments: text }) => [id, owner, text])).toEqual([
    ['c', 'A', '{}'],
    ['c', 'A', changed.arguments],
    ['c', 'A', changed.arguments],
  ]);
});
