// The packages of the AI SDK are loaded where they are configured; an error says what to install.
import { expect, test } from 'vitest';
import { aiSdkPackages } from '../../../src/adapters/models/ai-sdk/ai-sdk-apis.ts';
import { loadAiSdkModels } from '../../../src/adapters/models/ai-sdk/ai-sdk-packages.ts';
import { openAIApiFor } from '../../../src/adapters/models/openai-apis.ts';
import { startModelProvider } from '../../../src/programs/model-provider.ts';
import { modelSchema } from '../../../src/programs/model-settings.ts';
import { request, runModelCall } from '../../contract/provider.ts';
import { anthropicMessages } from '../../support/endpoints/anthropic-messages.ts';
import { openAIResponses } from '../../support/endpoints/openai-responses.ts';
import { startStandIn } from '../../support/endpoints/stand-in.ts';

test('a configured API is spoken by its package, with the key, the address and the headers', async () => {
  const endpoint = await startStandIn(anthropicMessages());
  await using stack = new AsyncDisposableStack();
  const settings = modelSchema.parse({
    api: 'anthropic',
    name: 'claude-sonnet-4-6',
    apiKey: 'sk-test',
    baseUrl: endpoint.url,
    headers: { 'x-team': 'blue' },
  });
  const provider = await startModelProvider(settings, stack);
  endpoint.play({ text: 'Hello.' });
  expect(
    await runModelCall(provider, { ...request, options: { extra: { thinking: { type: 'adaptive' } } } }).end,
  ).toMatchObject({
    kind: 'completed',
    usage: { kind: 'exact', input: 100, output: 20, cachedInput: 50, cacheWrite: 10 },
  });
  expect(endpoint.last).toMatchObject({
    refusal: null,
    headers: { 'x-api-key': 'sk-test', 'x-team': 'blue' },
    body: { model: 'claude-sonnet-4-6', thinking: { type: 'adaptive' } },
  });
});

test('responses are asked for where they are configured', async () => {
  const endpoint = await startStandIn(openAIResponses());
  await using stack = new AsyncDisposableStack();
  const settings = modelSchema.parse({ api: 'responses', apiKey: 'sk-test', baseUrl: endpoint.url });
  expect(await runModelCall(await startModelProvider(settings, stack)).end).toMatchObject({ kind: 'completed' });
  expect(endpoint.last).toMatchObject({ path: '/v1/responses', body: { model: 'gpt-6.1-terra', store: false } });
});

test.each([
  ['https://api.openai.com/v1', {}, 'responses'],
  ['https://eu.api.openai.com/v1', {}, 'responses'],
  ['https://api.openai.com/v1', { family: 'openai' }, 'chat'],
  ['https://api.openai.com/v1', { api: 'chat' }, 'chat'],
  ['https://api.openai.com.example.org/v1', {}, 'chat'],
  ['http://127.0.0.1:11434/v1', {}, 'chat'],
  ['http://127.0.0.1:11434/v1', { api: 'responses' }, 'responses'],
] as const)('at %s with %j the API is %s', (baseUrl, more, api) => {
  expect(openAIApiFor({ baseUrl, ...more })).toBe(api);
});

test.each(Object.entries(aiSdkPackages))('%s names what to install', async (api, { name }) => {
  const missing = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }));
  await expect(loadAiSdkModels(api as keyof typeof aiSdkPackages, {}, missing)).rejects.toThrow(`npm install ${name}`);
  await expect(loadAiSdkModels(api as keyof typeof aiSdkPackages, {}, async () => ({}))).rejects.toThrow(
    `The package ${name} has no create`,
  );
});
