// The records of nodes: what a CANCEL does to each, in the order in which it happens.
import { expect, test } from 'vitest';
import { inspectionRecordSchema, type NodeRecord } from '../../src/wire/inspection.ts';
import { callsOnce, callsResponse, textResponse } from '../support/harness.ts';
import { collectRecords, startObservedHarness } from './observed.ts';

const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** A tool, a sub-agent whose tool works, and a detached one. */
const deep = (_: unknown, n: number) => {
  if (n === 0)
    return callsResponse(
      ['wait', { unwind: 20 }],
      ['spawn_agent', { task: 'one' }],
      ['spawn_agent', { task: 'two', detached: true }],
    );
  if (n === 1 || n === 2) return callsResponse(['wait', { unwind: 30 }]);
  return textResponse('done');
};

const isNode = (record: { readonly type: string }): record is NodeRecord => record.type === 'node';

async function startWave() {
  const harness = await startObservedHarness({ agents, respond: deep });
  const collected = collectRecords(harness.inspector);
  const turn = await harness.say('words');
  await harness.clock.advance(50);
  const nodes = (step?: NodeRecord['step']) =>
    collected.records.filter(isNode).filter((record) => step === undefined || record.step === step);
  return Object.assign(harness, { collected, turn, nodes });
}

test('each node of the plan is planned, cut, aborted and settled, with the CANCEL that stopped it', async () => {
  const harness = await startWave();
  expect(harness.nodes()).toEqual([]);
  const reply = await harness.cancel({ target: harness.turn });
  await harness.clock.advance(5_000);
  if (reply.type !== 'cancel_accepted') throw new Error(`the CANCEL got ${reply.type}`);
  const { cancel, stopping, detached } = reply.receipt;
  const planned = harness.nodes('planned');
  expect(planned.filter(({ verdict }) => verdict === 'stop').map(({ node }) => node)).toEqual(stopping);
  expect(planned.filter(({ verdict }) => verdict === 'detached').map(({ node }) => node)).toEqual(detached);
  expect(new Set(planned.map((record) => record.cancel))).toEqual(new Set([cancel]));
  for (const step of ['cut', 'aborted', 'settled'] as const) {
    const records = harness.nodes(step).filter((record) => record.cancel === cancel);
    expect(records.map(({ node }) => node).toSorted(), step).toEqual(stopping.toSorted());
  }
  const settled = harness.nodes('settled').filter((record) => record.cancel === cancel);
  expect(settled.map(({ outcome }) => outcome)).toEqual(settled.map(() => 'cancelled'));
  expect(settled.at(-1)?.node, 'the root comes last').toBe(harness.turn);
  const calls = planned.filter(({ kind }) => kind === 'tool-call');
  expect(calls.map(({ name }) => name)).toEqual(['wait', 'wait']);
  for (const { budgetMs, parent, owner } of calls)
    expect([typeof budgetMs, typeof parent, owner]).toEqual(['number', 'string', 'alice']);
  expect(planned.find(({ kind }) => kind === 'turn')?.budgetMs, 'only a leaf has a budget').toBeNull();
  for (const record of harness.nodes()) expect(inspectionRecordSchema.parse(record)).toEqual(record);
});

test('a cut is recorded after the plan and before the machines get the CANCEL, and names their actors', async () => {
  const harness = await startWave();
  await harness.cancel({ target: harness.turn });
  await harness.clock.advance(5_000);
  const { records } = harness.collected;
  const at = (found: (typeof records)[number] | undefined) => found?.n ?? Number.NaN;
  const turnActor = records.find(
    (record) => record.type === 'actor' && record.node === harness.turn && record.chart === 'turn',
  );
  const cut = harness.nodes('cut').find(({ node }) => node === harness.turn);
  expect(cut?.actor).toBe((turnActor as { actor?: string }).actor);
  const lastPlanned = harness.nodes('planned').at(-1);
  const got = records.find(
    (record) => record.type === 'event' && record.event === 'CANCEL' && record.actor === cut?.actor,
  );
  expect(at(lastPlanned)).toBeLessThan(at(harness.nodes('cut')[0]));
  expect(at(harness.nodes('cut').at(-1))).toBeLessThan(at(harness.nodes('aborted')[0]));
  expect(at(harness.nodes('aborted').at(-1))).toBeLessThan(at(got));
});

test('a refused node has the code of its refusal, and no CANCEL when it settles', async () => {
  const harness = await startObservedHarness({
    respond: callsOnce(['wait', { ms: 100 }]),
    session: () => ({ policy: 'owner' }),
  });
  const collected = collectRecords(harness.inspector);
  const turn = await harness.say('words');
  await harness.clock.advance(10);
  await harness.cancel({ target: turn }, { ...harness.alice, speaker: { id: 'bob', roles: ['member'] } });
  await harness.clock.advance(5_000);
  const nodes = collected.records.filter(isNode);
  expect(nodes.filter(({ step }) => step === 'planned')).toMatchObject([
    { verdict: 'refused', reason: 'not_owner', node: turn },
    { verdict: 'refused', reason: 'not_owner' },
  ]);
  expect(nodes.filter(({ step }) => step === 'cut')).toEqual([]);
  expect(nodes.filter(({ step }) => step === 'settled').map(({ cancel, outcome }) => [cancel, outcome])).toEqual([
    [null, 'completed'],
    [null, 'completed'],
  ]);
});

test('a node under a shield is pending, and is cut when the shield ends', async () => {
  const session = () => ({ interruptible: false, shieldMs: 500 });
  const harness = await startObservedHarness({ respond: callsOnce(['wait', { ms: 5_000 }]), session });
  const collected = collectRecords(harness.inspector);
  const turn = await harness.say('words');
  await harness.clock.advance(10);
  await harness.cancel({ target: turn });
  await harness.clock.advance(60_000);
  const ofCall = collected.records.filter(isNode).filter(({ kind }) => kind === 'tool-call');
  expect(ofCall.map(({ step, verdict }) => verdict ?? step)).toEqual(['pending', 'cut', 'aborted', 'settled']);
  expect((ofCall[1]?.at ?? 0) - (ofCall[0]?.at ?? 0)).toBeGreaterThan(100);
});

test('words that wait for a model call are nodes without an actor', async () => {
  const harness = await startObservedHarness({
    respond: callsOnce(['wait']),
    session: () => ({ whileRunning: 'steer' }),
  });
  const collected = collectRecords(harness.inspector);
  const turn = await harness.say('words');
  await harness.clock.advance(10);
  const words = harness.session.say(harness.alice, { text: 'and more' });
  await harness.clock.advance(0);
  expect(await words).toMatchObject({ type: 'input_deferred' });
  await harness.cancel({ target: turn });
  await harness.clock.advance(5_000);
  const ofInput = collected.records.filter(isNode).filter(({ kind }) => kind === 'input');
  expect(ofInput.map(({ step }) => step)).toEqual(['planned', 'cut', 'aborted', 'settled']);
  expect(ofInput[0]).toMatchObject({ actor: null, parent: turn });
});

test('a name that the model made up is in no record', async () => {
  const harness = await startObservedHarness({ respond: callsOnce(['my_secret_words'], ['wait']) });
  const collected = collectRecords(harness.inspector);
  await harness.say('words');
  await harness.clock.advance(10);
  await harness.cancel({ target: 'session' });
  await harness.clock.advance(5_000);
  expect(collected.records.filter(isNode).length).toBeGreaterThan(4);
  expect(JSON.stringify(collected.records)).not.toContain('my_secret');
});

test('nothing observes the tree while nobody listens', async () => {
  const harness = await startWave();
  const before = harness.nodes().length;
  harness.collected.stop();
  await harness.cancel({ target: 'session' });
  await harness.clock.advance(60_000);
  expect(harness.nodes()).toHaveLength(before);
});
