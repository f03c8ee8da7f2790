// The provider for models of the AI SDK: its contract, what it reports, and calls that have lost their signature.
import { createAnthropic } from '@ai-sdk/anthropic';
import { expect, test } from 'vitest';
import type { Message } from '../../../machines/messages.ts';
import { createAiSdkAdapter } from '../../../src/adapters/models/ai-sdk/ai-sdk-provider.ts';
import { createHttpFetch } from '../../../src/adapters/models/transport/http-fetch.ts';
import type { ProviderCall } from '../../../src/core/contracts/provider.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { describeProvider, request, runModelCall } from '../../contract/provider.ts';
import { anthropicMessages } from '../../support/endpoints/anthropic-messages.ts';
import { openContractHarness } from '../../support/endpoints/contract-harness.ts';
import { startStandIn } from '../../support/endpoints/stand-in.ts';
import { hasty } from './at-endpoint.ts';

const claude = (baseURL: string, thinking: object = { type: 'adaptive' }) => {
  const anthropic = createAnthropic({ baseURL, apiKey: 'test-key', fetch: createHttpFetch() });
  return createAiSdkAdapter({
    model: anthropic('claude-sonnet-4-6'),
    clock: hasty,
    random: systemSources.random,
    providerOptions: { anthropic: { thinking: { ...thinking } } },
    providerTools: { web_search: anthropic.tools.webSearch_20250305({}) },
  });
};

describeProvider('ai-sdk', () => openContractHarness(anthropicMessages(), claude));

test('calls that the provider runs are reported, and go back with the response', async () => {
  const endpoint = await startStandIn(anthropicMessages());
  endpoint.play({ hosted: true, text: 'Found it.' });
  const calls: ProviderCall[] = [];
  const end = await claude(endpoint.url).stream(request, {
    signal: new AbortController().signal,
    onText() {},
    onProviderCall: (call) => void calls.push(call),
  });
  expect(calls.at(-1)).toMatchObject({
    name: 'web_search',
    arguments: '{"query":"news"}',
    state: 'completed',
    effect: 'none',
  });
  if (end.kind !== 'completed') throw new Error(end.kind);
  const state = { provider: 'x', model: 'y', parts: end.state ?? [] };
  const again: Message[] = [
    ...request.messages,
    { role: 'assistant', content: 'Found it.', calls: [], state },
    { role: 'user', content: 'And?' },
  ];
  expect(await runModelCall(claude(endpoint.url), { ...request, messages: again }).end).toMatchObject({
    kind: 'completed',
  });
  expect(endpoint.last?.body.messages[1].content.map(({ type }: { type: string }) => type)).toEqual([
    'server_tool_use',
    'web_search_tool_result',
    'text',
  ]);
});

const call = (n: number) => ({ callId: `node_${n}`, givenId: `toolu_${n}`, name: 'look', arguments: '{}' });
const round = (n: number): Message[] => [
  { role: 'assistant', content: '', calls: [call(n)] },
  { role: 'tool', callId: `node_${n}`, content: `Result ${n}.` },
];

test('calls of the current turn that have lost their signature are put into words; those of earlier turns stay calls [model.state]', async () => {
  const endpoint = await startStandIn(anthropicMessages());
  const messages: Message[] = [
    ...request.messages,
    ...round(1),
    { role: 'assistant', content: 'Done.', calls: [] },
    { role: 'user', content: 'Again.' },
    ...round(2),
    ...round(3),
  ];
  const thinking = { type: 'enabled', budgetTokens: 2_000 };
  expect(await runModelCall(claude(endpoint.url, thinking), { ...request, messages }).end).toMatchObject({
    kind: 'completed',
  });
  expect(endpoint.refusals()).toEqual([]);
  const sent = JSON.stringify(endpoint.last?.body.messages);
  expect(sent).toContain('"toolu_1"');
  expect(sent).not.toContain('"toolu_2"');
  expect(sent).toContain('Result 3.');
});

test('a model that ignores its signal does not delay a stop [cancel.fence]', async () => {
  const model = {
    specificationVersion: 'v4' as const,
    provider: 'ignores its signal',
    modelId: 'm',
    doStream: () => new Promise<never>(() => {}),
  };
  const running = runModelCall(createAiSdkAdapter({ model, clock: hasty, random: systemSources.random }));
  running.controller.abort();
  expect(await running.end).toMatchObject({ kind: 'stopped' });
});

test('a key is taken out of the message of a failure', async () => {
  const model = {
    specificationVersion: 'v4',
    provider: 'own',
    modelId: 'one',
    doStream: () => Promise.reject(Object.assign(new Error('Incorrect key: secret-1234.'), { statusCode: 401 })),
  } as const;
  const secrets = ['secret-1234'];
  const one = createAiSdkAdapter({ model, secrets, clock: hasty, random: systemSources.random });
  const end = await runModelCall(one).end;
  expect(end).toMatchObject({ kind: 'failed', code: 'model_unauthorized' });
  expect(end).toMatchObject({ message: expect.stringContaining('Incorrect key: ….') });
});
