// Responses by the official client, against a gateway in a process of its own, with real shells and an endpoint that sees its requests closed.
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import {
  newWorkspace,
  type ServedBelay,
  serveBelay,
  type TestSpeaker,
  tokenOf,
  type Workspace,
} from '../support/belay.ts';
import {
  requestEnds,
  shellCall,
  toolMessages,
  untilAllEnded,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { storedFacts, storedSessions } from '../support/stored-facts.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

const doors = [{ door: 'openai', profiles: { belay: {}, careful: { tools: ['shell'], approve: ['shell'] } } }];
const serve = (workspace?: Workspace) => serveBelay(endpoint, { config: { doors }, ...(workspace && { workspace }) });
const clientOf = ({ url }: ServedBelay, speaker: TestSpeaker = 'ann') =>
  new OpenAI({
    baseURL: `${url.replace('ws://', 'http://').replace(/\/belay$/, '')}/v1`,
    apiKey: tokenOf(speaker),
    maxRetries: 0,
  });
const belayOf = (answer: unknown) => (answer as { readonly belay: Readonly<Record<string, unknown>> }).belay;
const model = 'belay';

/** Returns the messages to the model, without its instructions. */
const saidIn = (request: { readonly messages: readonly { role?: unknown; content?: unknown }[] } | undefined) =>
  (request?.messages ?? []).filter(({ role }) => role !== 'system').map(({ content }) => content);

test('a response: its items are the texts and the calls, whole and as they come; it is read again, also after a restart [doors.responses]', async () => {
  const workspace = newWorkspace();
  const belay = await serve(workspace);
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Both ran.', usage: { input: 7, output: 3 } } },
    {
      reply: {
        text: 'I look.',
        calls: [shellCall('echo one', belay.folder.a), shellCall('echo two; exit 3', belay.folder.b)],
        usage: { input: 10, output: 5 },
      },
    },
  ]);
  const client = clientOf(belay);
  const made = await client.responses.create({
    model,
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'what was before?' },
      { type: 'function_call', call_id: 'c1', name: 'old_tool', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'an old result' },
      { role: 'assistant', content: 'That.' },
      { role: 'user', content: [{ type: 'input_text', text: 'run both' }] },
    ],
  });
  expect(made).toMatchObject({
    object: 'response',
    status: 'completed',
    model,
    error: null,
    output_text: 'I look.Both ran.',
  });
  expect(made.output).toMatchObject([
    { type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'mcp_call', name: 'shell', status: 'completed', error: null, output: expect.stringContaining('one') },
    { type: 'mcp_call', name: 'shell', output: expect.stringContaining('two') },
    { type: 'message', content: [{ text: 'Both ran.' }] },
  ]);
  expect(made.usage).toMatchObject({ input_tokens: 17, output_tokens: 8, total_tokens: 25 });
  expect(JSON.stringify((await endpoint.requests())[0]?.messages)).toContain('an old result');

  const types: string[] = [];
  const streamed = client.responses.stream({ model, input: 'run both' }).on('event', ({ type }) => types.push(type));
  const final = await streamed.finalResponse();
  expect(final.output_text).toBe('I look.Both ran.');
  expect(final.output.map(({ type }) => type)).toEqual(['message', 'mcp_call', 'mcp_call', 'message']);
  expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);
  expect(types).toContain('response.output_text.delta');

  belay.child.signal('SIGTERM');
  await belay.child.ended();
  const { output, usage, status } = await clientOf(await serve(workspace)).responses.retrieve(made.id);
  expect({ output, usage, status }).toEqual({ output: made.output, usage: made.usage, status: made.status });
});

test('it goes on from an earlier response; from one that was gone on from, in a fork that does not have it [doors.responses]', async () => {
  const belay = await serve();
  await endpoint.script([{ reply: { text: 'Noted.' } }]);
  const client = clientOf(belay);
  const first = await client.responses.create({ model, input: 'the first' });
  const second = await client.responses.create({ model, input: 'the second', previous_response_id: first.id });
  expect(saidIn((await endpoint.requests()).at(-1))).toEqual(['the first', 'Noted.', 'the second']);
  const other = await client.responses.create({
    model,
    input: 'instead',
    previous_response_id: first.id,
    store: false,
  });
  expect(saidIn((await endpoint.requests()).at(-1))).toEqual(['the first', 'Noted.', 'instead']);
  expect(belayOf(second)['session']).toBe(belayOf(first)['session']);
  expect(belayOf(other)['session']).not.toBe(belayOf(first)['session']);
  await until(() => storedSessions(belay.store).length === 1, { what: 'the session that is not stored to be deleted' });
  await expect(client.responses.retrieve(other.id)).rejects.toMatchObject({ status: 404 });
  await expect(
    clientOf(belay, 'guest').responses.create({ model, input: 'x', previous_response_id: first.id }),
  ).rejects.toMatchObject({ status: 404, code: 'unknown_target', param: 'previous_response_id' });
});

test('a stop by its client, in the background by `cancel`, or by a closed stream, ends all of it [doors.responses] [doors.cause]', async () => {
  const belay = await serve();
  const [one, two] = [newToken(), newToken()];
  const client = clientOf(belay);
  await endpoint.script([
    { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
    {
      reply: {
        calls: [
          shellCall(`trap '' TERM; sleep ${one}`, belay.folder.a),
          { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
        ],
      },
    },
  ]);
  const begun = await client.responses.create({ model, input: 'all of it', background: true });
  expect(begun).toMatchObject({ status: 'in_progress', background: true, output: [] });
  await Promise.all([untilRunning(one), untilHanging(belay, 2)]);
  expect((await client.responses.retrieve(begun.id)).status).toBe('in_progress');
  await expect(clientOf(belay, 'guest').responses.cancel(begun.id)).rejects.toMatchObject({ status: 404 });
  const ended = await client.responses.cancel(begun.id);
  expect(living(one)).toEqual([]);
  expect(ended.status).toBe('cancelled');
  expect(ended.output).toMatchObject([
    { type: 'mcp_call', name: 'shell', status: 'failed', error: expect.stringContaining('cancelled') },
    { type: 'mcp_call', name: 'spawn_agent', status: 'failed' },
  ]);
  expect(belayOf(ended)['receipt']).toMatchObject({ cause: { by: 'ann', source: 'http', door: 'openai' } });
  expect(await client.responses.cancel(begun.id)).toMatchObject({ status: 'cancelled' }); // twice
  await untilAllEnded(belay);
  expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 closed_by_client']);

  await endpoint.script([{ reply: { text: 'On it.', calls: [shellCall(`sleep ${two}`, belay.folder.b)] } }]);
  const stream = await client.responses.create(
    { model, input: 'build', stream: true },
    { headers: { 'x-belay-session': 'kept' } },
  );
  for await (const event of stream)
    if (event.type === 'response.mcp_call_arguments.done') {
      await untilRunning(two);
      stream.controller.abort();
    }
  await until(() => living(two).length === 0, { what: 'the command to end' });
  const settled = await until(() => storedFacts(belay.store, 'kept').find(({ type }) => type === 'cancel_settled'));
  expect(settled).toMatchObject({ cause: { source: 'disconnect', by: 'ann', door: 'openai' } });
});

test('what nobody can be asked is denied, also in the background; what is not done here is refused by its name [doors.responses] [doors.cannot_ask]', async () => {
  const belay = await serve();
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'So it is.' } },
    { reply: { calls: [shellCall('echo ran')] } },
  ]);
  const client = clientOf(belay);
  const { id } = await client.responses.create({ model: 'careful', input: 'run it', background: true });
  const ended = await until(async () => {
    const now = await client.responses.retrieve(id);
    return now.status !== 'in_progress' && now;
  });
  expect(ended.output).toMatchObject([
    { type: 'mcp_call', status: 'failed', error: expect.stringContaining('cannot_ask') },
    { type: 'message', content: [{ text: 'So it is.' }] },
  ]);
  expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('Nobody could be asked');

  const create = (more: object) => client.responses.create({ model, input: 'hello', ...more });
  const refused = async (more: object, param: string, code = 'bad_field') =>
    expect(create(more)).rejects.toMatchObject({ status: 400, code, param });
  await refused({ tools: [{ type: 'function', name: 'x', parameters: {}, strict: true }] }, 'tools');
  await refused({ conversation: 'conv_1' }, 'conversation');
  await refused({ text: { format: { type: 'json_object' } } }, 'text.format');
  await refused({ input: [{ role: 'assistant', content: 'x' }] }, 'input');
  await refused({ input: [{ type: 'input_file', file_id: 'x' }] }, 'input');
  await refused({ model: undefined }, 'model', 'missing_field');
  await expect(client.responses.retrieve('resp_unknown')).rejects.toMatchObject({
    status: 404,
    code: 'unknown_target',
  });
  await expect(create({ model: 'unknown' })).rejects.toMatchObject({ status: 404, code: 'unknown_model' });

  await endpoint.script([{ reply: { status: 401 } }]);
  expect(await create({})).toMatchObject({ status: 'failed', error: { code: 'model_unauthorized' } });
});
