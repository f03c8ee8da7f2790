// `belay check-model` as a process: without a key at the script, at an endpoint that hangs, and at an address where nothing is.
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { startEndpoint } from '../support/endpoint.ts';

const checkModel = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  startChild('src/programs/belay.ts', { args: ['check-model', ...args], env });

test('without a key the script is checked, and that is said [model.any]', async () => {
  const child = checkModel({});
  expect(await child.ended(60_000)).toBe(0);
  expect(child.stdout()).toMatch(/^SCRIPTED: a script plays the model/);
  for (const name of ['text', 'tool', 'parallel', 'cancel'])
    expect(child.stdout()).toMatch(new RegExp(`^ {2}${name} +works `, 'm'));
  expect(child.stdout()).toMatch(
    /cancel .*The connection was closed \d+ ms after the stop; the next request was taken/,
  );
  expect(child.stdout()).toMatch(/\d+ requests, \d+ tokens\.\nBelay can use this model/);
});

test('a cancel closes the socket, as the server sees it, and nothing follows [cancel.fence]', async () => {
  const endpoint = await startEndpoint();
  onTestFinished(() => endpoint.close());
  await endpoint.script([
    { when: { user: 'Write the numbers' }, reply: { text: 'one\ntwo', end: 'hang' } },
    { reply: { text: 'Ready.' } },
  ]);
  const child = checkModel({ OPENAI_BASE_URL: endpoint.url, BELAY_MODEL: 'm' }, '--json');
  expect(await child.ended(60_000)).toBe(1); // it calls no tool
  const report = JSON.parse(child.stdout());
  expect(report).toMatchObject({ model: 'm', url: endpoint.url, usable: false });
  expect(report.checks).toMatchObject([
    { check: 'text', state: 'works' },
    { check: 'tool', state: 'fails', remedy: expect.stringContaining('call tools') },
    { check: 'parallel', state: 'fails' },
    { check: 'image', state: 'partly' },
    { check: 'reasoning', state: 'partly' },
    { check: 'cancel', state: 'works' },
  ]);
  const requests = await endpoint.requests();
  expect(requests.map(({ ended }) => ended?.how)).toEqual([
    ...Array.from({ length: 5 }, () => 'finished'),
    'closed_by_client',
    'finished',
  ]);
});

test('an address where nothing listens: what to do, and exit code 1', async () => {
  const child = checkModel({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
  expect(await child.ended(60_000)).toBe(1);
  expect(child.stdout()).toMatch(/text +FAILS .*\n +Check the base address and the network\./);
  expect(child.stdout()).toContain('Not tried: the model does not answer.');
  expect(child.stdout()).toContain('Belay cannot use this model as it is');
});

test('what the endpoint says moves no cursor of the terminal [access.names]', async () => {
  const endpoint = await startEndpoint();
  onTestFinished(() => endpoint.close());
  await endpoint.script([{ reply: { status: 400, message: 'No such \u001b[2Jmodel.\u202e' } }]);
  const env = { OPENAI_BASE_URL: endpoint.url, BELAY_MODEL: 'm' };
  const child = checkModel(env);
  expect(await child.ended(60_000)).toBe(1);
  expect(child.stdout()).toContain('No such [2Jmodel.');
  expect(child.stdout()).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  const asJson = checkModel(env, '--json');
  expect(await asJson.ended(60_000)).toBe(1);
  expect(asJson.stdout()).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  expect(JSON.parse(asJson.stdout()).checks[0].detail).toContain('No such \u001b[2Jmodel.\u202e'); // a program reads all of it
});
