// The words of a provider whose model call failed, by every door: where there are tokens, they are for the operator and for moderators.
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { newWorkspace, type ServedBelay, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { useEndpoint } from '../support/journey.ts';
import { connectRaw } from '../support/raw-client.ts';

const endpoint = useEndpoint();

const said = 'Incorrect API key of the account acme-billing@example.org at 10.0.0.7.';
const refused = { status: 401, message: said };
const shown = 'The model endpoint rejected the credentials. Check the key and the base address.';

const httpOf = ({ url }: ServedBelay) => url.replace('ws://', 'http://').replace(/\/belay$/, '');

test('a speaker gets the sentence of the code by every door; a moderator and the operator find what the provider said [access.model_errors]', async () => {
  const doors = [{ door: 'openai', profiles: { belay: {} } }];
  const belay = await serveBelay(endpoint, { config: { doors, log: 'json' } });
  const delegated = { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'look it up' } };
  await endpoint.script([
    { when: { user: 'delegate', toolResult: true }, reply: { text: 'It failed.' } },
    { when: { user: 'delegate' }, reply: { calls: [delegated] } },
    { reply: refused },
  ]);
  const ann = await connectRaw(belay.url);
  await ann.hello(tokenOf('ann'));
  await ann.join('room', 0);
  ann.send({ type: 'SAY', ref: 's1', text: 'hello' });
  const ended = await ann.waitFor('turn_ended', { outcome: 'failed' });
  ann.send({ type: 'SAY', ref: 's2', text: 'delegate it' });
  await ann.waitFor('turn_ended', { outcome: 'completed' });

  expect(ended).toMatchObject({ code: 'model_unauthorized', message: shown });
  expect(ann.all('model_ended')[0]).toMatchObject({ code: 'model_unauthorized', message: shown });
  expect(ann.all('tool_result')[0]).toMatchObject({ outcome: 'failed', message: shown });
  const get = async (speaker: TestSpeaker, path: string) => {
    const headers = { authorization: `Bearer ${tokenOf(speaker)}` };
    return (await fetch(`${httpOf(belay)}/api/sessions/room/${path}`, { headers })).text();
  };
  const client = new OpenAI({ baseURL: `${httpOf(belay)}/v1`, apiKey: tokenOf('ann'), maxRetries: 0 });
  const request = { model: 'belay', messages: [{ role: 'user', content: 'hello' } as const] };
  const overDoor = await client.chat.completions.create(request).catch((error: unknown) => error);
  expect(overDoor).toMatchObject({ code: 'model_unauthorized', message: expect.stringContaining(shown) });
  const open = {
    frames: JSON.stringify(ann.frames),
    events: await get('ann', 'events?wait=0'),
    export: await get('ann', 'export'),
    door: String(overDoor),
    requests: JSON.stringify(await endpoint.requests()),
    log: belay.child.stdout() + belay.child.stderr(),
  };
  expect(open.export, 'the route of the export works').toContain(shown);
  for (const [where, text] of Object.entries(open)) expect(text.includes('acme-billing'), where).toBe(false);

  expect(await get('moderator', 'export')).toContain(said);
  const show = startChild('src/programs/belay.ts', { args: ['show', String(ended['turn']), '--store', belay.store] });
  expect(await show.ended(30_000)).toBe(0);
  expect(show.stdout()).toContain(`the provider of model call 0 said: 401 ${said}`);
});

test('without tokens everybody is the operator, and reads what the provider said [access.model_errors]', async () => {
  const { path, store } = newWorkspace();
  await endpoint.script([{ reply: refused }]);
  const env = { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: endpoint.url, BELAY_MODEL: 'scripted' };
  const serve = startChild('src/programs/serve.ts', { args: ['--port', '0', '--store', store], cwd: path, env });
  const [, url = ''] = await serve.untilPrinted(/listens at (\S+)/, 30_000);
  const ann = await connectRaw(url.replace('#', '?'));
  await ann.hello();
  await ann.join('room', 0);
  ann.send({ type: 'SAY', ref: 's1', text: 'hello' });
  expect(await ann.waitFor('turn_ended', { outcome: 'failed' })).toMatchObject({
    message: expect.stringContaining(said),
  });
});
