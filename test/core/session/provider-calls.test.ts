// Calls that a provider itself runs within a model call: they are nodes with effects, and a CANCEL has them in its receipt.
import { expect, test, vi } from 'vitest';
import { unknownUsage } from '../../../machines/vocabulary.ts';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { ModelStream, ProviderCall } from '../../../src/core/contracts/provider.ts';
import { maxOutputChars } from '../../../src/core/contracts/tool.ts';
import { startHarness, textResponse } from '../../support/harness.ts';

const search = (state: ProviderCall['state'], more: Partial<ProviderCall> = {}): ProviderCall => ({
  callId: 'ws_1',
  name: 'web_search',
  arguments: '{"query":"belay"}',
  effect: 'none',
  state,
  ...more,
});
const deploy = (state: ProviderCall['state']) => search(state, { callId: 'm_1', name: 'deploy', effect: 'done' });

const searching: Script = {
  steps: [{ providerCall: search('running') }, { providerCall: deploy('running') }, { text: 'Well, ' }, { hang: true }],
};

async function start(first: Script) {
  const harness = await startHarness({ respond: (_, n) => (n === 0 ? first : textResponse('fine')) });
  const turn = await harness.say('one');
  await harness.clock.advance(50);
  const nodeOf = (name: string) => harness.recorder.of('tool_call').find((fact) => fact.name === name)?.node ?? '';
  return { harness, turn, nodeOf };
}

test('it is a node while it runs, and has a result when it has ended', async () => {
  const { harness, turn, nodeOf } = await start({
    steps: [
      { providerCall: search('running') },
      { providerCall: search('completed', { output: 'found' }) },
      { text: 'So.' },
    ],
  });
  expect(harness.recorder.of('tool_call')).toMatchObject([{ turn, name: 'web_search', ranBy: 'provider', index: 0 }]);
  expect(harness.recorder.of('tool_result')).toMatchObject([
    { node: nodeOf('web_search'), outcome: 'completed', effect: 'none', output: 'found' },
  ]);
  const types = harness.recorder.facts.map(({ type }) => type);
  expect(types.indexOf('tool_result')).toBeLessThan(types.indexOf('model_ended'));
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed', effect: 'none' });
  expect(await harness.session.nodes()).toEqual([]);
});

test('a CANCEL of its turn has it in the receipt, with what it may have done [cancel.reach] [cancel.settled]', async () => {
  const { harness, turn, nodeOf } = await start(searching);
  const running = (await harness.session.nodes()).map(({ node }) => node);
  expect(running).toEqual([turn, nodeOf('web_search'), nodeOf('deploy')]);
  await harness.cancel({ target: turn });
  await harness.clock.advance(500);
  const nodes = harness.recorder.of('cancel_settled')[0]?.nodes;
  expect(nodes).toMatchObject([
    { node: turn, outcome: 'cancelled', effect: 'unknown' },
    { node: nodeOf('web_search'), outcome: 'cancelled', effect: 'none' },
    { node: nodeOf('deploy'), outcome: 'cancelled', effect: 'unknown' },
  ]);
  expect(await harness.session.nodes()).toEqual([]);
});

test('alone it cannot be stopped, and the receipt says so [cancel.bounded]', async () => {
  const { harness, turn, nodeOf } = await start(searching);
  await harness.cancel({ target: nodeOf('deploy') });
  await harness.clock.advance(60_000);
  expect(harness.recorder.of('cancel_settled')[0]?.nodes).toMatchObject([
    { node: nodeOf('deploy'), outcome: 'abandoned' },
  ]);
  expect(harness.endOf(turn)).toBeUndefined();
  await harness.cancel({ target: turn });
  await harness.clock.advance(500);
  expect(harness.recorder.of('abandoned_ended')).toMatchObject([{ node: nodeOf('deploy') }]);
  expect(harness.recorder.of('tool_result').filter(({ node }) => node === nodeOf('deploy'))).toHaveLength(1);
});

test('a later request has it in words, where its provider wants nothing back [history.words]', async () => {
  const { harness } = await start({ steps: [{ providerCall: search('completed', { output: 'found' }) }] });
  await harness.say('two');
  await harness.clock.advance(100);
  const said = harness.provider.requests.at(-1)?.messages.find(({ role }) => role === 'assistant');
  expect(said).toMatchObject({
    content: '[web_search {"query":"belay"} was run for this: completed: found]',
    calls: [],
  });
});

test('one that the end of its model call leaves open has failed, and may have had effects', async () => {
  const { harness, turn, nodeOf } = await start({ steps: [{ providerCall: deploy('running') }, { text: 'So.' }] });
  expect(harness.recorder.of('tool_result')).toMatchObject([
    { node: nodeOf('deploy'), outcome: 'failed', effect: 'unknown' },
  ]);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed', effect: 'unknown' });
});

test('what is reported after the end of its model call is ignored', async () => {
  const harness = await startHarness();
  let late: ModelStream['onProviderCall'];
  vi.spyOn(harness.provider, 'stream').mockImplementation(async (_, { onText, onProviderCall }) => {
    late = onProviderCall;
    onText('So.');
    return { kind: 'completed', finish: 'stop', calls: [], usage: unknownUsage };
  });
  const turn = await harness.say('one');
  await harness.clock.advance(50);
  late?.(deploy('running'));
  expect(harness.recorder.of('tool_call')).toEqual([]);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'completed' });
  expect(await harness.session.nodes()).toEqual([]);
});

test('a provider that rejects has not taken back what its calls did', async () => {
  const harness = await startHarness();
  vi.spyOn(harness.provider, 'stream').mockImplementation(async (_, { onText, onProviderCall }) => {
    onText('Well, ');
    onProviderCall?.(deploy('completed'));
    throw new Error('a bug of the provider');
  });
  const turn = await harness.say('one');
  await harness.clock.advance(50);
  expect(harness.recorder.of('model_ended')).toMatchObject([{ outcome: 'failed', text: 'Well, ' }]);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'failed', code: 'model_malformed', effect: 'done' });
  expect(harness.warnings).toContainEqual(expect.stringContaining('rejected'));
});

test('its arguments are bounded in its fact, like its output', async () => {
  const long = 'x'.repeat(2 * maxOutputChars);
  const { harness } = await start({
    steps: [{ providerCall: search('completed', { arguments: long, output: long }) }, { text: 'So.' }],
  });
  expect(harness.recorder.of('tool_call')[0]?.arguments.length).toBeLessThanOrEqual(maxOutputChars);
  expect(harness.recorder.of('tool_result')[0]?.output?.length).toBeLessThanOrEqual(maxOutputChars);
});
