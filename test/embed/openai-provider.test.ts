// The options of the provider for OpenAI's APIs.
import { expect, test } from 'vitest';
import { createOpenAIProvider } from '../../src/embed/openai-provider.ts';

const options = { apiKey: 'a-key', model: 'a-model' };

test('the address is baseUrl, as in the configuration', () => {
  const { endpoint } = createOpenAIProvider({ ...options, baseUrl: 'http://127.0.0.1:9/v1' });
  expect(endpoint?.address).toBe('127.0.0.1');
});

test('the old name baseURL is refused: the key would go to another address', () => {
  const old: object = { baseURL: 'http://127.0.0.1:9/v1' };
  expect(() => createOpenAIProvider({ ...options, ...old })).toThrow(/baseURL .* is called baseUrl/);
});
