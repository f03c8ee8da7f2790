// Random trees with nodes of several owners: what a CANCEL stops is what the oracle says, and the rest runs on to completion.
import { expect, test } from 'vitest';
import type { Fact } from '../../machines/facts.ts';
import { type Policy, policies, type Role } from '../../machines/vocabulary.ts';
import type { Script } from '../../src/adapters/models/scripted.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import type { Caller } from '../../src/core/session/api.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { Dice } from '../support/dice.ts';
import { callerOf, callsResponse, type Harness, startHarness, textResponse } from '../support/harness.ts';
import {
  type CancelAttempt,
  expectedOf,
  inputOf,
  liveNodesOf,
  people,
  planWork,
  type Work,
  type WorkNode,
} from './oracle.ts';

const trees = Number(process.env['TREES'] ?? 120);

const allOf = (work: Work): readonly Work[] => [work, ...work.below.flatMap(allOf)];

/** The model's response: the calls of the work that the last words name; after their results, text. */
function respond(works: readonly Work[], { messages }: ModelRequest): Script {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && /work-\d+\./.test(content));
  const name = (messages[at]?.content ?? '').match(/work-\d+\./g)?.at(-1); // notes on other open turns come first
  const work = works.find((one) => one.name === name);
  if (!work || messages.slice(at).some(({ role }) => role === 'assistant')) return textResponse('done');
  return callsResponse(
    ...work.below.map(({ name, kind, of, isDetached }) =>
      kind === 'call'
        ? (['wait', { ms: 2_000, of, name }] as const)
        : (['spawn_agent', { task: name, detached: isDetached, of }] as const),
    ),
  );
}

/** The ids of the nodes, as the facts give them. */
function idsOf(harness: Harness, nodes: readonly WorkNode[]): ReadonlyMap<WorkNode, string> {
  const { facts } = harness.recorder;
  const named = (name: string) =>
    facts.find((fact) => fact.type === 'tool_call' && fact.arguments.includes(`"${name}"`));
  const idOf = ({ name, role, above }: WorkNode): string | undefined => {
    const call = named(name);
    if (role === 'call' || role === 'agent') return call?.type === 'tool_call' ? call.node : undefined;
    const isTurn = (fact: Fact) =>
      (fact.type === 'turn_opened' && fact.text === name) ||
      (fact.type === 'turn_started' && above.length > 0 && fact.text === name);
    const input = facts.find((fact) => fact.type === 'input_deferred' && fact.text === name);
    if (input?.type === 'input_deferred') return input.input;
    const turn = facts.find(isTurn);
    return turn && 'turn' in turn ? turn.turn : undefined;
  };
  return new Map(nodes.map((node) => [node, idOf(node) ?? `no id of ${node.name} (${node.role})`]));
}

/** Returns the end of each node: the last one in the facts. */
function endsOf(harness: Harness): ReadonlyMap<string, string> {
  return new Map(
    harness.recorder.facts.flatMap((fact): [string, string][] => {
      if (fact.type === 'tool_result' || fact.type === 'late_result') return [[fact.node, fact.outcome]];
      if (fact.type === 'input_settled') return [[`fate of ${fact.input}`, fact.fate]];
      return fact.type === 'turn_ended' ? [[fact.turn, fact.outcome]] : [];
    }),
  );
}

function attemptOf(dice: Dice, policy: Policy, nodes: readonly WorkNode[]): CancelAttempt {
  const by = dice.pick(people);
  const roles: readonly Role[] = dice.maybe(0.15) ? [dice.pick(['moderator', 'emergency'] as const)] : ['member'];
  const target = dice.pick(['session', 'session', 'mine', dice.pick(nodes)] as const);
  return { by, roles, policy, target };
}

async function sayStop(harness: Harness, caller: Caller) {
  const said = harness.session.say(caller, { text: 'stop' });
  await harness.clock.advance(0);
  return said;
}

/** Some speakers say something to turns that run. Returns the inputs that wait; who may not is refused. */
async function steerSome(harness: Harness, dice: Dice, nodes: readonly WorkNode[], policy: Policy) {
  const ids = idsOf(harness, nodes);
  const roots = nodes.filter(({ above }) => above.length === 0);
  const inputs: WorkNode[] = [];
  for (let i = dice.int(4); i > 0; i--) {
    const [turn, by] = [dice.pick(roots), dice.pick(people)];
    const name = `work-${9_000 + i}.`; // names no work: the model answers it in words
    const said = harness.session.say(callerOf(by), { text: name, steer: { target: ids.get(turn) } });
    await harness.clock.advance(0);
    const input = inputOf(name, turn, by, policy);
    expect((await said).type, `${by} to ${turn.name} of ${turn.owner}`).toBe(input ? 'input_deferred' : 'say_refused');
    if (input) inputs.push(input);
  }
  return inputs;
}

interface Counts {
  readonly nodes: number;
  readonly stopped: number;
  readonly inputs: number;
}

async function run(seed: number): Promise<Counts> {
  const dice = new Dice(seed);
  const policy = dice.pick(policies);
  let count = 0;
  const works = people.slice(0, 1 + dice.int(2)).map((owner) => planWork(dice, owner, () => `work-${count++}.`));
  const all = works.flatMap(allOf);
  const workNodes = works.flatMap((work) => liveNodesOf(work));
  const harness = await startHarness({
    agents: { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } },
    session: () => ({ policy }),
    ownerOfCall: ({ arguments: text, turnOwner }) => JSON.parse(text).of ?? turnOwner,
    respond: (request) => respond(all, request),
  });
  for (const id of people) await harness.session.join(callerOf(id), createRecorder().listener, null);
  for (const work of works) await harness.say(work.name, callerOf(work.of ?? ''));
  await harness.clock.advance(500);
  const nodes = [...workNodes, ...(await steerSome(harness, dice, workNodes, policy))];
  const ids = idsOf(harness, nodes);
  const idsOfAll = (some: readonly WorkNode[]) => some.map((node) => ids.get(node) ?? '').toSorted();
  const live = (await harness.session.nodes()).map(({ node }) => node).toSorted();
  expect(idsOfAll(nodes), `seed ${seed}: what runs`).toEqual(live);

  const attempt = attemptOf(dice, policy, nodes);
  const { stopped, refused } = expectedOf(nodes, attempt);
  const target = typeof attempt.target === 'string' ? attempt.target : (ids.get(attempt.target) ?? '');
  const caller = callerOf(attempt.by, attempt.roles);
  // words that stop nothing are an ordinary message
  const isByWords = target === 'session' && stopped.length > 0 && dice.maybe(0.5);
  const reply = isByWords ? await sayStop(harness, caller) : await harness.cancel({ target }, caller);
  const about = `seed ${seed}: ${attempt.by} (${attempt.roles}) under ${policy}, ${target}`;
  const [accepted] = harness.recorder.of('cancel_accepted');
  expect(accepted?.stopping.toSorted() ?? [], about).toEqual(idsOfAll(stopped));
  const refusals = accepted?.refused ?? harness.recorder.of('cancel_refused')[0]?.refused ?? [];
  expect(refusals.map(({ node }) => node).toSorted(), about).toEqual(idsOfAll(refused));
  if (stopped.length === 0) expect(reply.type, about).toBe(refused.length > 0 ? 'cancel_refused' : 'already_settled');

  await harness.clock.advance(20_000);
  const ends = endsOf(harness);
  const endOf = (node: WorkNode) => ends.get(ids.get(node) ?? '');
  for (const node of nodes) {
    const isStopped = stopped.includes(node);
    if (node.role === 'input') {
      const left = node.above.some((turn) => stopped.includes(turn)) ? 'queued' : 'consumed';
      const fate = ends.get(`fate of ${ids.get(node)}`);
      expect(fate, `${about}: ${node.name}`).toBe(isStopped ? 'cancelled' : left);
      continue;
    }
    if (isStopped) expect(endOf(node), `${about}: ${node.name}`).toBe('cancelled');
    else if (node.role !== 'agent') expect(endOf(node), `${about}: ${node.name} runs on`).toBe('completed');
  }
  expect(await harness.session.nodes(), about).toEqual([]);
  return { nodes: nodes.length, stopped: stopped.length, inputs: nodes.length - workNodes.length };
}

test('what is stopped equals what the policy gives; the rest runs on to completion [owner.node] [owner.guard] [cancel.reach] [recover.queue]', async () => {
  let [nodes, stopped, inputs] = [0, 0, 0];
  for (let seed = 1; seed <= trees; seed++) {
    const one = await run(seed);
    nodes += one.nodes;
    stopped += one.stopped;
    inputs += one.inputs;
  }
  expect(stopped).toBeGreaterThan(nodes / 10);
  expect(stopped).toBeLessThan(nodes);
  console.log(`standing trees: ${trees} trees, ${nodes} nodes (${inputs} of them inputs), ${stopped} stopped`);
});
