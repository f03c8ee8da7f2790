// AG-UI by its official client, against a gateway in a process of its own, with real shells and an endpoint that sees its requests closed.
import { describe, expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { type ServedBelay, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import {
  requestEnds,
  shellCall,
  toolMessages,
  untilAllEnded,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { storedFacts } from '../support/stored-facts.ts';
import { until } from '../support/until.ts';
import { type AGUIMessage, client, eventsOf, openAgent, runTextOf, verify } from './ag-ui-client.ts';
import { addressOf, letGo, untilGo } from './served-door.ts';

const endpoint = useEndpoint();

const profiles = { belay: {}, careful: { approve: ['shell', 'list_files'] }, 'for-bob': { speakers: ['bob'] } };
const serve = (door: object = {}, config: object = {}) =>
  serveBelay(endpoint, { config: { doors: [{ door: 'ag-ui', profiles, ...door }], ...config } });

const bearer = (speaker: TestSpeaker) => ({ authorization: `Bearer ${tokenOf(speaker)}` });
const agentOf = (belay: ServedBelay, thread: string, profile = 'belay', messages: readonly AGUIMessage[] = []) =>
  openAgent(`${addressOf(belay)}/api/ag-ui/${profile}`, thread, bearer('ann'), messages);

const post = (belay: ServedBelay, profile: string, body: unknown, speaker: TestSpeaker = 'ann') =>
  fetch(`${addressOf(belay)}/api/ag-ui/${profile}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(speaker) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe.skipIf(client.isLeftOut)('the client of AG-UI', () => {
  test('parallel tools and a sub-agent: messages, arguments as they are written, results, steps, in the order of the verifier [doors.ag-ui]', async () => {
    const belay = await serve();
    await endpoint.script([
      { when: { user: 'read the notes' }, reply: { text: 'The notes are short.' } },
      { when: { user: 'all of it', round: 0 }, reply: { calls: [shellCall(untilGo, belay.folder.c)] } },
      {
        when: { user: 'all of it', round: 1 },
        reply: {
          text: 'I look.',
          calls: [
            shellCall('echo one', belay.folder.a),
            shellCall('exit 3', belay.folder.b),
            { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
          ],
        },
      },
      { reply: { text: 'All done.' } },
    ]);
    const running = agentOf(belay, 'kept');
    const { agent, events } = running;
    const said = running.say('all of it');
    await until(() => eventsOf(running, 'TOOL_CALL_END').length === 1);
    letGo(belay); // the stream is there: it has all of the next model call
    await said;
    await verify(events);
    expect(runTextOf(agent)).toBe('I look.|All done.');
    const [, first] = agent.messages.filter(({ toolCalls }) => toolCalls);
    const calls = first?.toolCalls ?? [];
    expect(calls.map(({ function: { name } }) => name)).toEqual(['shell', 'shell', 'spawn_agent']);
    expect(JSON.parse(calls[0]?.function.arguments ?? '')).toMatchObject({ command: 'echo one' });
    const resultOf = (i: number) => agent.messages.find(({ toolCallId }) => toolCallId === calls[i]?.id)?.content;
    expect(resultOf(0)).toContain('one');
    expect(resultOf(1)).toContain('Failed');
    expect(agent.messages.find(({ subagentRunId }) => subagentRunId)?.content).toBe('The notes are short.');
    expect(eventsOf(running, 'SUBAGENT_STARTED')).toMatchObject([
      { name: 'spawn_agent', description: 'read the notes', parentToolCallId: calls[2]?.id },
    ]);
    expect(eventsOf(running, 'SUBAGENT_FINISHED')).toMatchObject([{ outcome: { type: 'success' } }]);
    expect(
      eventsOf(running, 'STEP_STARTED').map(
        ({ stepName, subagentRunId }) => `${stepName}${subagentRunId ? ' below' : ''}`,
      ),
    ).toEqual(['model_call_0', 'model_call_1', 'model_call_0 below', 'model_call_2']);
    const types = events.slice(events.findIndex(({ type }) => type === 'TEXT_MESSAGE_START')).map(({ type }) => type);
    expect(types.indexOf('TOOL_CALL_ARGS'), 'as it is written').toBeLessThan(types.indexOf('TEXT_MESSAGE_END'));
    expect(events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 'kept', protocolVersion: '1.0' });
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success' },
      result: { session: 'kept', outcome: 'completed' },
    });
    await running.say('and again');
    expect((await endpoint.requests()).at(-1)?.messages.filter(({ role }) => role === 'user').length).toBe(2);
  });

  test('an approval is an interrupt, and the next run goes on with the turn: yes, no, and other words [doors.ag-ui]', async () => {
    const belay = await serve();
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'So it is.' } },
      { when: { user: 'never mind' }, reply: { text: 'Fine.' } },
      { reply: { calls: [shellCall(`echo ${token}`, belay.folder.a)] } },
    ]);
    const running = agentOf(belay, 'asks', 'careful');
    const { agent, events } = running;
    await running.say('run it');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    const resume = (status: string, payload?: unknown) => ({
      resume: agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status, payload })),
    });
    expect(agent.pendingInterrupts).toMatchObject([
      { reason: 'tool_call', responseSchema: { required: ['approved'] } },
    ]);
    await running.run(resume('resolved', { approved: true }));
    expect(runTextOf(agent)).toBe('So it is.');
    expect(agent.messages.find(({ role }) => role === 'tool')?.content).toContain(token);
    expect(agent.messages.filter(({ toolCalls }) => toolCalls).length).toBe(1);

    await running.say('once more');
    await running.run(resume('resolved', { approved: false }));
    expect(agent.messages.findLast(({ role }) => role === 'tool')?.content).toMatch(/^Denied/);

    await running.say('a third time');
    await running.say('never mind', resume('cancelled'));
    expect(runTextOf(agent)).toBe('So it is.|So it is.|Fine.');
    await verify(events);
    expect(storedFacts(belay.store, 'asks').filter(({ type }) => type === 'approval_closed')).toMatchObject([
      { answer: 'approved', by: 'ann' },
      { answer: 'denied', by: 'ann' },
      { answer: 'withdrawn' },
    ]);
  });

  test('a question, of a sub-agent: it is suspended, and started again by the next run [doors.ag-ui]', async () => {
    const belay = await serve();
    await endpoint.script([
      { when: { user: 'ask for the host', toolResult: true }, reply: { text: 'It is blue.' } },
      {
        when: { user: 'ask for the host' },
        reply: { calls: [{ name: 'list_files', arguments: { path: belay.folder.a } }] },
      },
      { when: { toolResult: true }, reply: { text: 'Noted.' } },
      { when: { user: 'which' }, reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which host?' } }] } },
      { reply: { calls: [{ name: 'spawn_agent', arguments: { agent: 'researcher', task: 'ask for the host' } }] } },
    ]);
    const running = agentOf(belay, 'asks');
    const { agent, events } = running;
    await running.say('which');
    expect(agent.pendingInterrupts).toMatchObject([{ reason: 'input_required', message: 'Which host?' }]);
    const [{ id: interruptId = '' } = {}] = agent.pendingInterrupts;
    await running.run({ resume: [{ interruptId, status: 'resolved', payload: { answer: 'the blue one' } }] });
    expect(runTextOf(agent)).toBe('Noted.');
    expect(toolMessages((await endpoint.requests()).at(-1)).join()).toContain('the blue one');

    const careful = agentOf(belay, 'inner', 'careful');
    await careful.say('deploy');
    const [asked] = careful.agent.pendingInterrupts;
    expect(asked).toMatchObject({ reason: 'tool_call' });
    expect(eventsOf(careful, 'SUBAGENT_FINISHED')).toMatchObject([
      { outcome: { type: 'suspended', interruptIds: [asked?.id] } },
    ]);
    await careful.run({ resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: { approved: true } }] });
    expect(eventsOf(careful, 'SUBAGENT_STARTED').length).toBe(2);
    expect(eventsOf(careful, 'SUBAGENT_FINISHED').at(-1)).toMatchObject({ outcome: { type: 'success' } });
    expect(careful.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    await verify([...events, ...careful.events]);
  });

  test('a stop in the middle of text, and of tools with a sub-agent: a closed run ends every process, and closes the requests upstream [doors.ag-ui] [doors.cause]', async () => {
    const belay = await serve();
    await endpoint.script([{ reply: { text: 'The first half of it', end: 'hang' } }]);
    const running = agentOf(belay, 'kept');
    const said = running.say('hello').catch(() => {});
    await until(() => runTextOf(running.agent) === 'The first half of it');
    running.agent.abortRun();
    await said;
    expect(running.agent.isRunning).toBe(false);
    await untilAllEnded(belay);
    expect(requestEnds(await endpoint.requests())).toEqual(['200 closed_by_client']);
    const settled = await until(() => storedFacts(belay.store, 'kept').find(({ type }) => type === 'cancel_settled'));
    expect(settled).toMatchObject({ cause: { source: 'disconnect', by: 'ann', door: 'ag-ui' } });

    const [one, two] = [newToken(), newToken()];
    await endpoint.script([
      { when: { user: 'read the notes' }, reply: { text: 'Reading', end: 'hang' } },
      { when: { user: 'and now' }, reply: { text: 'Here.' } },
      {
        reply: {
          calls: [
            shellCall(`sleep ${one}`, belay.folder.a),
            shellCall(`trap '' TERM; sleep ${two}`, belay.folder.b),
            { name: 'spawn_agent', arguments: { agent: 'researcher', task: 'read the notes' } },
          ],
        },
      },
    ]);
    const busy = agentOf(belay, 'busy');
    const all = busy.say('all of it').catch(() => {});
    await Promise.all([untilRunning(one), untilRunning(two), untilHanging(belay, 2)]);
    busy.agent.abortRun();
    busy.agent.abortRun(); // twice
    await all;
    await until(() => [...living(one), ...living(two)].length === 0, { what: 'every process to have ended' });
    await untilAllEnded(belay);
    expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 closed_by_client']);
    await until(() => storedFacts(belay.store, 'busy').some(({ type }) => type === 'cancel_settled'));
    expect(storedFacts(belay.store, 'busy').filter(({ type }) => type === 'cancel_accepted')).toHaveLength(1);
    await busy.say('and now');
    expect(runTextOf(busy.agent)).toContain('Here.');
  });

  test('a run that somebody else stops is cancelled, with its receipt; a question that waits is withdrawn [doors.ag-ui]', async () => {
    const belay = await serve();
    const token = newToken();
    await endpoint.script([
      { when: { user: 'build' }, reply: { text: 'On it.', calls: [shellCall(`sleep ${token}`, belay.folder.a)] } },
      { reply: { calls: [{ name: 'ask_user', arguments: { question: 'Which host?' } }] } },
    ]);
    const bob = await joinRoom(belay, 'bob');
    const running = agentOf(belay, 'room');
    const said = running.say('build');
    await untilRunning(token);
    const receipt = await bob.session.cancel('session').settled;
    expect(living(token)).toEqual([]);
    await said;
    await verify(running.events);
    expect(running.events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'cancelled' },
      result: { outcome: 'cancelled' },
    });
    const receipts = eventsOf(running, 'CUSTOM').filter(({ name }) => name === 'belay.receipt');
    expect(receipts.at(-1)).toMatchObject({
      value: { type: 'cancel_settled', cancel: receipt?.cancel, cause: { by: 'bob' } },
    });
    expect(running.agent.messages.find(({ role }) => role === 'tool')?.content).toMatch(/^Cancelled/);

    await running.say('ask me');
    const resume = running.agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved',
      payload: 'blue',
    }));
    expect(resume.length).toBe(1);
    await bob.session.cancel('session').settled;
    await running.run({ resume }); // too late
    expect(running.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect((await endpoint.requests()).length).toBe(2);
  });

  test('a client that is lost comes back to its turn, while it runs and after its end [doors.ag-ui]', async () => {
    const belay = await serve({ onDisconnect: 'continue' });
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Built.' } },
      {
        reply: {
          text: 'On it.',
          calls: [shellCall(`trap 'exit 0' TERM; echo started; sleep ${token} & wait`, belay.folder.a)],
        },
      },
    ]);
    const first = agentOf(belay, 'kept');
    const said = first.say('build').catch(() => {});
    await untilRunning(token);
    await until(() => first.agent.messages.some(({ toolCalls }) => toolCalls));
    first.agent.abortRun();
    await said;
    expect(living(token).length).toBeGreaterThan(0);
    const back = first.run();
    await until(() => eventsOf(first, 'MESSAGES_SNAPSHOT').length === 1 && runTextOf(first.agent) === 'On it.');
    const [call] = storedFacts(belay.store, 'kept').filter((fact) => fact.type === 'tool_call');
    const stopped = await fetch(`${addressOf(belay)}/api/nodes/${String(call?.node)}/abort?wait=settled`, {
      method: 'POST',
      headers: bearer('ann'),
    });
    expect(stopped.status).toBe(200);
    await back;
    expect(runTextOf(first.agent)).toBe('On it.|Built.');
    expect(first.agent.messages.filter(({ toolCalls }) => toolCalls).length).toBe(1);

    await first.run(); // the turn has ended: the client has it whole again
    expect(runTextOf(first.agent)).toBe('On it.|Built.');
    await verify(first.events.slice(first.events.findLastIndex(({ type }) => type === 'RUN_STARTED')));
    expect((await endpoint.requests()).length).toBe(2);
  });

  test('a failed turn is a failed run, with our code; a wrong token fails the run [doors.ag-ui]', async () => {
    const belay = await serve();
    await endpoint.script([{ reply: { status: 401 } }]);
    const running = agentOf(belay, 'kept');
    await running.say('go').catch(() => {});
    expect(running.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'model_unauthorized' });
    await verify(running.events);
    const wrong = openAgent(`${addressOf(belay)}/api/ag-ui/belay`, 'kept', { authorization: 'Bearer wrong' });
    await expect(wrong.say('go')).rejects.toThrow(/401/);
    expect((await endpoint.requests()).length).toBe(1);
  });
});

test('without the client: what was before, the same run again, and errors with our code [doors.ag-ui]', async () => {
  const belay = await serve({}, { gateway: { speakerByteBurst: 400_000, framesPerSecond: 1, frameBurst: 20 } });
  await endpoint.script([{ reply: { text: 'A dot.' } }]);
  const value = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const input = (messages: readonly object[], more: object = {}) => ({
    threadId: 'pictures',
    runId: 'run-1',
    messages,
    tools: [],
    context: [],
    ...more,
  });
  const before = [
    { id: 'm1', role: 'user', content: 'what was before?' },
    {
      id: 'm2',
      role: 'assistant',
      content: 'That.',
      toolCalls: [{ id: 'c1', type: 'function', function: { name: 'old', arguments: '{}' } }],
    },
    { id: 'm3', role: 'tool', toolCallId: 'c1', content: 'an old result' },
  ];
  const picture = { type: 'image', source: { type: 'data', value, mimeType: 'image/png' } };
  const said = { id: 'm4', role: 'user', content: [picture, { type: 'text', text: 'and this?' }] };
  const context = [{ description: 'The page', value: 'a gallery' }];
  const response = await post(belay, 'belay', input([...before, said], { context }));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = await response.text();
  expect(events).toMatch(/^data: \{"type":"RUN_STARTED"[\s\S]*"type":"RUN_FINISHED"[^\n]*\n\n$/);
  const sent = JSON.stringify((await endpoint.requests()).at(-1)?.messages);
  for (const words of ['what was before?', 'an old result', 'That.', 'and this?', 'a gallery', 'data:image/png;base64'])
    expect(sent).toContain(words);
  const again = await (await post(belay, 'belay', input([...before, said], { context }))).text();
  expect(again).toContain('A dot.');
  expect((await endpoint.requests()).length).toBe(1);

  const refused = async (body: unknown, profile = 'belay') => {
    const response = await post(belay, profile, body);
    const { type, code, field } = (await response.json()) as {
      readonly type: string;
      readonly code: string;
      readonly field?: string;
    };
    expect(type).toBe('RUN_ERROR');
    return `${response.status} ${code}${field === undefined ? '' : ` ${field}`}`;
  };
  const hello = { id: 'm1', role: 'user', content: 'x' };
  expect(await refused(input([hello]), 'for-bob')).toBe('404 unknown_model profile');
  expect(await refused({ messages: [hello], runId: 'r' })).toBe('400 missing_field threadId');
  expect(await refused(input([hello], { threadId: '' }))).toBe('400 bad_field threadId');
  expect(await refused(input([], { threadId: 'new' }))).toBe('400 bad_field messages');
  expect(await refused(input([hello], { tools: [{ name: 'x', description: 'x' }] }))).toBe('400 bad_field tools');
  expect(await refused(input([{ ...hello, content: [{ type: 'video' }] }]))).toBe('400 bad_field messages');
  expect(await refused(input([], { resume: [{ interruptId: 'x', status: 'resolved' }] }))).toBe('400 bad_field resume');
  expect(await refused(input([], { resume: [{ interruptId: 't/1/n/q', status: 'resolved' }] }))).toBe(
    '404 unknown_target messages',
  );
  expect(await refused('{')).toBe('400 not_json');
  expect(await refused(input([{ ...hello, content: 'x'.repeat(500_000) }]))).toBe('413 body_too_large');
  const flood = await Promise.all(Array.from({ length: 30 }, () => post(belay, 'belay', {}, 'bob')));
  const limited = flood.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited.map(({ headers }) => headers.get('retry-after'))).toEqual(limited.map(() => '1'));
});
