// The tools of a turn are stopped at a real gateway: what the model reads then, over HTTP; and kill -9 before a call is opened and in the middle of the stop.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logLaws } from '../../scripts/prove/laws/log-laws.ts';
import { LogView } from '../../scripts/prove/laws/log-view.ts';
import { afterEndLaw, nothingStartsLaw, toolsLaw } from '../../scripts/prove/laws/stop-laws.ts';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { newWorkspace, openBelay, type ServedBelay, serveBelay } from '../support/belay.ts';
import type { LoggedRequest } from '../support/endpoint.ts';
import {
  expectSound,
  factsOfRoom,
  shellCall,
  toolMessages,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

/** The ids of the calls of a request, and those of its results, in their order. */
function pairsOf({ messages }: LoggedRequest) {
  const calls = messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id);
  const results = messages.flatMap(({ role, tool_call_id }) => (role === 'tool' ? (tool_call_id ?? []) : []));
  return { calls, results };
}

test('the next request has the results of all calls, paired, and who has stopped them; a repeat of unknown effect waits for a yes [cancel.tools] [cancel.tools.goes_on]', async () => {
  const belay = await openBelay(endpoint);
  const [first, second] = [newToken(), newToken()];
  const repeated = shellCall(`sleep 60; true ${first}`, belay.folder.a);
  await endpoint.script([
    {
      when: { user: 'work', round: 0 },
      reply: {
        text: 'I begin.',
        calls: [
          repeated,
          { name: 'list_files', arguments: { path: belay.folder.c } },
          shellCall(`sleep 60; true ${second}`, belay.folder.b),
        ],
      },
    },
    { when: { user: 'work', round: 1 }, reply: { calls: [repeated] } },
    { when: { user: 'work', round: 2 }, reply: { text: 'What next?' } },
  ]);
  const witness = await watchRoom(belay);
  const { session, waitFor } = await joinRoom(belay, 'ann');
  const turn = session.say('work');
  await untilRunning(first);
  await untilRunning(second);
  await waitFor('tool_result'); // the list of the files
  const { nodes = [] } = (await turn.cancelTools({ reason: 'too slow' }).settled) ?? {};
  expect(nodes).toMatchObject([
    { kind: 'tool-call', outcome: 'cancelled', effect: 'unknown' },
    { kind: 'tool-call', outcome: 'cancelled', effect: 'unknown' },
  ]);
  expect([...living(first), ...living(second)]).toEqual([]);

  const { node, text } = await waitFor('approval_requested');
  const [, next] = await endpoint.requests();
  if (!next) throw new Error('The model was not asked again.');
  const { calls, results } = pairsOf(next);
  expect(calls).toHaveLength(3);
  expect(results).toEqual(calls);
  const note = toolMessages(next).at(-1) ?? '';
  expect(note).toContain('ann has stopped the tools ("too slow"). May have had effects: ');
  for (const one of nodes) expect(note).toContain(`shell (${one.node})`);
  expect(note).toContain('This turn goes on');
  expect(text).toContain(`The same call was interrupted (${nodes[0]?.node}) and may have had effects`);
  expect(living(first)).toEqual([]);

  await session.deny(node);
  expect(await turn.ended).toMatchObject({ outcome: 'completed' });
  await expectSound(belay, { witness, before: Array.from({ length: 3 }, () => '200 finished') });
});

const program = 'test/children/point-gateway.ts';

/** The facts about a receipt, in their order. */
const receiptsOf = (belay: ServedBelay, ref: string) =>
  factsOfRoom(belay).flatMap((fact) =>
    (fact.type === 'cancel_accepted' || fact.type === 'cancel_settled') && fact.ref === ref ? [fact] : [],
  );

/** Lets a gateway die at its next commit of a fact of this type. */
async function arm({ child }: ServedBelay): Promise<void> {
  child.signal('SIGUSR1');
  await child.untilPrinted('armed');
}

/** Expects one end of each call, one receipt that says the same, and a turn that the crash has ended. Resolves with the next gateway, which works. */
async function expectRecovered(dead: ServedBelay, { ref, turn }: { ref: string; turn: string }, next: ServedBelay) {
  expect(receiptsOf(next, ref).map(({ type }) => type)).toEqual(['cancel_accepted', 'cancel_settled']);
  const [, settled] = receiptsOf(next, ref);
  const nodes = settled?.type === 'cancel_settled' ? settled.nodes : [];
  const facts = factsOfRoom(next);
  const made = facts.flatMap((fact) => (fact.type === 'tool_call' ? [fact.node] : []));
  const results = facts.flatMap((fact) => (fact.type === 'tool_result' ? [fact] : []));
  expect(results.map(({ node }) => node).toSorted()).toEqual(made.toSorted());
  for (const { node, outcome, effect } of nodes)
    if (made.includes(node)) expect(results.find((result) => result.node === node)).toMatchObject({ outcome, effect });
  expect(facts.findLast((fact) => fact.type === 'turn_ended' && fact.turn === turn)).toMatchObject({
    outcome: 'failed',
    code: 'crash',
  });
  const view = new LogView(facts, ['moderator']);
  const broken = Object.entries({ ...logLaws, afterEndLaw, nothingStartsLaw, toolsLaw }).flatMap(([name, law]) =>
    law(view).map((what) => `${name}: ${what}`),
  );
  expect(broken).toEqual([]);
  const again = await watchRoom(next, { speaker: 'ann' });
  again.raw.send({ type: 'CANCEL', ref, target: `tools:${turn}` });
  expect(await again.waitFor('cancel_settled', ({ repeated }) => repeated === true)).toMatchObject({ ref, nodes });
  expect(factsOfRoom(next).filter(({ type }) => type === 'cancel_settled')).toHaveLength(1);
  const { session } = await joinRoom(next, 'bob');
  expect(await session.say('and on').ended).toMatchObject({ outcome: 'completed' });
  expect(dead.child.process.exitCode).toBeNull(); // it was killed
  return nodes;
}

describe('kill -9 of a gateway that has stopped calls before they are opened', () => {
  test.each([
    ['after', 'cancel_accepted'],
    ['before', 'tool_call'],
    ['after', 'tool_call'],
    ['before', 'cancel_settled'],
  ])(
    '%s the commit of %s: each call has one end, and the receipt says which [store.durable] [cancel.tools]',
    async (when, type) => {
      const workspace = newWorkspace();
      const token = newToken();
      const dead = await serveBelay(endpoint, { workspace, program: [program, 'kill', when, type, 'armed'] });
      await endpoint.script([
        {
          when: { user: 'words' },
          reply: {
            calls: [shellCall(`true ${token}; sleep 60`)],
            half: { name: 'list_files', arguments: { path: '.' } },
          },
        },
      ]);
      const { session, client } = await joinRoom(dead, 'ann');
      const said = session.say('words');
      said.ended.catch(() => {});
      const turn = await said.opened;
      await untilHanging(dead);
      if (type === 'cancel_accepted') await arm(dead);
      const cancel = said.cancelTools();
      cancel.settled.catch(() => {});
      if (type === 'cancel_accepted') cancel.accepted.catch(() => {});
      else {
        expect(await cancel.accepted).toMatchObject({ stopping: [expect.any(String)] });
        await arm(dead);
        await endpoint.release();
      }
      expect(await dead.child.ended()).toBe('SIGKILL');
      await client.closed;
      const next = await serveBelay(endpoint, { workspace });
      const nodes = await expectRecovered(dead, { ref: cancel.ref, turn }, next);
      expect(nodes).toMatchObject([{ kind: 'tool-call', outcome: 'cancelled', effect: 'not_started' }]);
      expect(living(token)).toEqual([]);
    },
  );
});

describe('kill -9 of a gateway in the middle of a stop of tools', () => {
  test.each([
    ['after', 'cancel_accepted'],
    ['before', 'tool_result'],
    ['after', 'tool_result'],
    ['before', 'cancel_settled'],
  ])(
    '%s the commit of %s: each call has one end, one receipt, and no process is left [store.durable] [cancel.tools] [tool.process]',
    async (when, type) => {
      const workspace = newWorkspace();
      const [quick, stubborn] = [newToken(), newToken()];
      const dead = await serveBelay(endpoint, { workspace, program: [program, 'kill', when, type, 'armed'] });
      const ignoresTerm = `sh ${join(programs, 'ignores-term.sh')} ${stubborn}`;
      await endpoint.script([
        {
          when: { user: 'words' },
          reply: {
            calls: [shellCall(`sleep 60; true ${quick}`, dead.folder.a), shellCall(ignoresTerm, dead.folder.b)],
          },
        },
      ]);
      const { session, client } = await joinRoom(dead, 'ann');
      const said = session.say('words');
      said.ended.catch(() => {});
      const turn = await said.opened;
      await untilRunning(quick);
      await untilRunning(stubborn);
      await arm(dead);
      const cancel = said.cancelTools();
      cancel.accepted.catch(() => {});
      cancel.settled.catch(() => {});
      expect(await dead.child.ended()).toBe('SIGKILL');
      await client.closed;
      const next = await serveBelay(endpoint, { workspace });
      const nodes = await expectRecovered(dead, { ref: cancel.ref, turn }, next);
      expect(nodes).toMatchObject([
        { outcome: 'cancelled', effect: 'unknown' },
        { outcome: 'cancelled', effect: 'unknown' },
      ]);
      await until(() => living(quick).length + living(stubborn).length === 0, { what: 'the end of both commands' });
    },
  );
});
