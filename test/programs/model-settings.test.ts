// The settings of the model reach its endpoint, and prices reach the limits of cost.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startModelProvider } from '../../src/programs/model-provider.ts';
import { modelOptionsOf, modelSchema } from '../../src/programs/model-settings.ts';
import { bareServer } from '../adapters/models/at-endpoint.ts';
import { request } from '../contract/provider.ts';
import { startChild } from '../support/child.ts';
import { startEndpoint } from '../support/endpoint.ts';
import { until } from '../support/until.ts';

test('the options, the headers and the family are in each request [model.any]', async () => {
  const { url, responses } = await bareServer();
  const settings = modelSchema.parse({
    baseUrl: url,
    apiKey: 'k',
    name: 'm',
    family: 'xai',
    headers: { 'x-team': 'blue' },
    reasoningEffort: 'low',
    maxOutputTokens: 900,
    temperature: 0.5,
    cache: 'off',
    extraBody: { seed: 7, stream_options: null },
  });
  await using stack = new AsyncDisposableStack();
  const provider = await startModelProvider(settings, stack);
  const controller = new AbortController();
  const options = modelOptionsOf(settings);
  const ended = provider.stream({ ...request, options }, { signal: controller.signal, onText() {} });
  const { req } = await until(() => responses[0], { what: 'the request' });
  const body = JSON.parse(await readAll(req));
  expect(req.headers).toMatchObject({ authorization: 'Bearer k', 'x-team': 'blue' });
  expect(body).toMatchObject({ model: 'm', seed: 7, reasoning_effort: 'low', temperature: 0.5 });
  expect(body).toMatchObject({ max_completion_tokens: 900 }); // the word of that family
  expect(body).not.toHaveProperty('stream_options');
  controller.abort();
  await ended;
});

test('prices are the cost where the endpoint does not say it, and count for the limits [cancel.sources]', async () => {
  const endpoint = await startEndpoint();
  onTestFinished(() => endpoint.close());
  const calls = [{ name: 'list_files', arguments: { path: '.' } }];
  await endpoint.script([{ reply: { text: 'I look.', calls, usage: { input: 1_000, output: 500 } } }]);
  const folder = mkdtempSync(join(tmpdir(), 'belay-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'belay.json');
  const prices = { scripted: { input: 4, output: 12 } }; // one cent a request
  const model = { baseUrl: endpoint.url, name: 'scripted' };
  writeFileSync(config, JSON.stringify({ model, prices, roots: [folder], limits: { turnCents: 2 } }));
  const child = startChild('src/programs/belay.ts', {
    args: ['run', '--json', '--config', config, 'Look.'],
    cwd: folder,
  });
  expect(await child.ended(30_000)).toBe(1);
  const events = child
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.findLast(({ type }) => type === 'turn_ended')).toMatchObject({
    outcome: 'timed_out',
    usage: { input: 2_000, output: 1_000, cost: 0.02 },
  });
  expect(child.stdout()).toContain('limits.turnCents');
});
