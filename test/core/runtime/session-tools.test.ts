// Tools and folders that a session has of its own: its model is offered these alone, and their sources end with the session.
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import type { ToolSource } from '../../../src/core/contracts/tool-source.ts';
import type { SessionSpec } from '../../../src/core/session/session-spec.ts';
import {
  callerOf,
  callsOnce,
  callsResponse,
  type Harness,
  startHarness,
  textResponse,
  toolOf,
} from '../../support/harness.ts';

const idleMs = 1_000;

interface OwnSource extends ToolSource {
  readonly events: readonly string[];
}

/** A source with one tool. `readyAfter`: resolves when it does not wait any longer. */
function ownSource(tool: Tool, readyAfter: Promise<void> = Promise.resolve()): OwnSource {
  const events: string[] = [];
  const tools = [tool];
  const instructions = [{ tools: [tool.name], text: `About ${tool.name}.` }];
  return {
    events,
    tools: () => (events.includes('ready') ? tools : []),
    mayHave: (name) => name === tool.name,
    instructions: () => instructions,
    async ready() {
      await readyAfter;
      if (!events.includes('ready')) events.push('ready');
    },
    absenceOf: (name) => (name === tool.name ? 'it has left' : null),
    async endSession() {
      events.push('ended');
    },
  };
}

/** Returns the tools in the last request to the model of a session. */
const offered = ({ provider }: Harness): string[] => provider.requests.at(-1)?.tools.map(({ name }) => name) ?? [];

/** Says words in another session than that of the harness. */
async function sayIn(harness: Harness, session: string): Promise<void> {
  const said = harness.runtime.say(session, callerOf('bob'), { text: 'words' });
  await harness.clock.advance(1_000);
  await said;
}

test('a model is offered the tools of its session alone, with what their source says [tool.mcp]', async () => {
  const own = toolOf('own', async () => 'of s');
  const source = ownSource(toolOf('late', async () => 'late'));
  const specs: Record<string, Partial<SessionSpec>> = { s: { tools: [own], toolSources: [source] } };
  const harness = await startHarness({ session: (id) => specs[id] ?? {} });
  await harness.say('words');
  await harness.clock.advance(1_000);
  expect(offered(harness)).toEqual(['own', 'late']);
  expect(harness.provider.requests.at(-1)?.messages[0]?.content).toContain('About late.');
  await sayIn(harness, 'other');
  expect(offered(harness)).toEqual(expect.arrayContaining(['wait', 'note']));
  expect(offered(harness)).not.toContain('own');
});

test('a call in a session does not reach a tool of another one [tool.mcp] [access.join]', async () => {
  const ran: string[] = [];
  const toolFor = (id: string) => toolOf(`only_${id}`, async (_, { session }) => `${ran.push(session)}`);
  const harness = await startHarness({
    session: (id) => ({ tools: [toolFor(id)] }),
    respond: callsOnce(['only_other'], ['only_s']),
  });
  await sayIn(harness, 'other'); // its model calls both names, and gets its own only
  expect(ran).toEqual(['other']);
  const facts = (await harness.log.read('other', 0)).map(({ body }) => body);
  expect(facts).toContainEqual(
    expect.objectContaining({ type: 'tool_result', code: 'unknown_tool', message: 'There is no tool named only_s.' }),
  );
});

test('its calls get its folders [tool.contract]', async () => {
  const seen: Record<string, readonly string[]> = {};
  const look = toolOf('look', async (_, { session, roots }) => {
    seen[session] = roots;
    return '';
  });
  const harness = await startHarness({
    tools: [look],
    roots: ['/srv/common'],
    session: (id) => (id === 's' ? { roots: ['/srv/s'] } : {}),
    respond: (_, n) => (n % 2 === 0 ? callsResponse(['look']) : textResponse('done')),
  });
  await harness.say('words');
  await harness.clock.advance(1_000);
  await sayIn(harness, 'other');
  expect(seen).toEqual({ s: ['/srv/s'], other: ['/srv/common'] });
});

test('a source starts with the first request, not with the session; it ends when the session falls asleep, and a new one is made [cancel.clean]', async () => {
  const sources: OwnSource[] = [];
  const session = () => {
    const source = ownSource(toolOf('late', async () => 'late'));
    sources.push(source);
    return { toolSources: [source] };
  };
  const used = () => sources.filter(({ events }) => events.length > 0).map(({ events }) => events);
  const harness = await startHarness({ session, limits: { idleMs } });
  expect(used()).toEqual([]);
  await harness.say('words');
  await harness.clock.advance(100);
  expect(used()).toEqual([['ready']]);
  await harness.session.leave(harness.alice.connection, 'left');
  await harness.clock.advance(3 * idleMs);
  expect(used()).toEqual([['ready', 'ended']]);
  await sayIn(harness, 's');
  expect(used()[1]).toContain('ready');
});

test('it ends with a shutdown [cancel.clean]', async () => {
  const source = ownSource(toolOf('late', async () => 'late'));
  const harness = await startHarness({ session: () => ({ toolSources: [source] }) });
  await harness.say('words');
  await harness.clock.advance(1_000);
  const closed = harness.runtime.close();
  await harness.clock.advance(20_000);
  await closed;
  expect(source.events).toEqual(['ready', 'ended']);
});

test('it ends with a session that another host has taken [cancel.clean]', async () => {
  const log = createMemoryLog();
  const source = ownSource(toolOf('late', async () => 'late'));
  const harness = await startHarness({ log, session: () => ({ toolSources: [source] }) });
  await harness.say('words');
  await harness.clock.advance(1_000);
  await startHarness({ log, life: 2 }); // it claims the session
  harness.session.say(harness.alice, { text: 'again' }).catch(() => {});
  await harness.clock.advance(20_000);
  expect(harness.runtime.sizes('s')).toMatchObject({ sessions: 0 });
  expect(source.events).toEqual(['ready', 'ended']);
});

test('a CANCEL ends the wait for tools that do not come [cancel.bounded]', async () => {
  const source = ownSource(
    toolOf('late', async () => ''),
    new Promise(() => {}),
  );
  const harness = await startHarness({ session: () => ({ toolSources: [source] }) });
  const turn = await harness.say('words');
  await harness.clock.advance(5_000);
  expect(harness.provider.requests).toEqual([]);
  await harness.cancel({ target: turn });
  await harness.clock.advance(100);
  expect(harness.endOf(turn)).toMatchObject({ outcome: 'cancelled' });
  expect(harness.settledReceipts()).toHaveLength(1);
});

test('one that does not end is reported, and does not hold the session [cancel.bounded]', async () => {
  const stuck: ToolSource = {
    ...ownSource(toolOf('late', async () => '')),
    endSession: () => new Promise(() => {}),
  };
  const harness = await startHarness({ session: () => ({ toolSources: [stuck] }) });
  await harness.say('words');
  await harness.clock.advance(1_000);
  const closed = harness.runtime.close();
  await harness.clock.advance(60_000);
  await closed;
  expect(harness.warnings).toEqual([
    expect.stringMatching(/^A source of tools was not closed: it took more than \d+ ms/),
  ]);
});

test('after a crash a tool that is no longer there is put into words, in the history and in the result of a new call [store.durable] [tool.mcp]', async () => {
  const log = createMemoryLog();
  const gone = toolOf('gone__wait', () => new Promise(() => {}));
  const first = await startHarness({ log, session: () => ({ tools: [gone] }), respond: callsOnce(['gone__wait']) });
  await first.say('words');
  await first.clock.advance(100);

  const source = ownSource(toolOf('gone__wait', async () => ''));
  const empty: ToolSource = { ...source, tools: () => [] };
  const calls = callsOnce(['gone__wait']);
  const next = await startHarness({
    log,
    life: 2,
    session: () => ({ tools: [], toolSources: [empty] }),
    respond: calls,
  });
  await next.say('go on');
  await next.clock.advance(1_000);
  const [before, again] = next.recorder.of('tool_result');
  expect(before).toMatchObject({ outcome: 'failed' });
  expect(again).toMatchObject({ code: 'unknown_tool', message: 'There is no tool named gone__wait: it has left.' });
  expect(next.recorder.of('turn_ended').at(-1)).toMatchObject({ outcome: 'completed' });
});
