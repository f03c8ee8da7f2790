// The floor that Belay is measured against does the job that it claims: a floor that cheated would make every ratio a lie.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type FloorJournal, openJournal } from '../../bench/floor/journal.ts';
import { startFloor } from '../../bench/floor/server.ts';
import { floorShellTool } from '../../bench/floor/shell.ts';
import type { FloorTool } from '../../bench/floor/turn.ts';
import { type BenchFrame, connectBenchClient } from '../../bench/stand/client.ts';
import { startEndpoint, type TestEndpoint } from '../support/endpoint.ts';
import { until } from '../support/until.ts';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

const wait: FloorTool = {
  name: 'wait',
  description: 'Waits.',
  parameters: { type: 'object' },
  run: (_, { signal, output }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve('stopped'));
      output('ready');
    }),
};
const note: FloorTool = { ...wait, name: 'note', run: async () => 'noted' };

/** A floor and one client in the session `s`; `heard` is what another one in it receives. */
async function start(journal: FloorJournal | null = null) {
  const tools = [wait, note, floorShellTool(200)];
  const floor = await startFloor({ baseURL: endpoint.url, apiKey: 'none', model: 'scripted', tools, journal });
  const client = await connectBenchClient(floor.url);
  const other = await connectBenchClient(floor.url);
  onTestFinished(async () => {
    client.close();
    other.close();
    await floor.close();
    await journal?.close();
  });
  const heard: BenchFrame[] = [];
  for (const one of [client, other]) await one.request({ type: 'JOIN', session: 's' }, 'joined');
  other.tap((data) => heard.push(JSON.parse(data.toString())));
  /** Says it, waits for the nth frame of the type, and cancels: the receipt. */
  const interrupt = async (text: string, type: string, nth: number) => {
    const alive = client.receive((frame) => frame.type === type, nth);
    const { frame } = await client.request({ type: 'SAY', session: 's', text }, 'turn_opened');
    await alive;
    const settled = client.request({ type: 'CANCEL', session: 's', target: frame['turn'] }, 'cancel_settled');
    await until(() => heard.some(({ type: last }) => last === 'cancel_settled'));
    return (await settled).frame as BenchFrame & { readonly nodes: readonly { readonly outcome: string }[] };
  };
  /** The messages of the next request, which the endpoint takes only when calls and results pair. */
  const nextMessages = async () => {
    await client.completeTurn('s', 'and now?');
    return (await endpoint.requests()).at(-1)?.messages ?? [];
  };
  return { client, heard, interrupt, nextMessages };
}

test('a stopped response keeps its text so far, and nothing of it comes after the acceptance', async () => {
  await endpoint.script([
    { when: { user: 'talk' }, reply: { text: 'word '.repeat(400), pace: { chunksPerSecond: 100, chunkChars: 5 } } },
    { reply: { text: 'Here I am.' } },
  ]);
  const { heard, interrupt, nextMessages } = await start();
  const { nodes } = await interrupt('talk', 'text_delta', 3);
  expect(nodes.map(({ outcome }) => outcome)).toEqual(['cancelled']);
  const types = heard.map(({ type }) => type);
  expect(types.lastIndexOf('text_delta')).toBeLessThan(types.indexOf('cancel_accepted'));
  expect(types.indexOf('turn_ended')).toBeLessThan(types.indexOf('cancel_settled'));
  const [, partial, ...rest] = await nextMessages();
  expect(partial?.content).toMatch(/^(word ){3,} \[cut off\]$/);
  expect(rest.map(({ role }) => role)).toEqual(['user']);
  await until(async () => (await endpoint.requests()).some(({ ended }) => ended?.how === 'closed_by_client'));
});

test('tools run in parallel; each call has one result, of those that were stopped and of the one that was done', async () => {
  const calls = ['wait', 'note', 'wait'].map((name) => ({ name, arguments: {} }));
  await endpoint.script([{ when: { user: 'go', round: 0 }, reply: { calls } }, { reply: { text: 'Done.' } }]);
  const { heard, interrupt, nextMessages } = await start();
  const { nodes } = await interrupt('go', 'tool_output', 2);
  expect(nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']); // the turn and two calls
  expect(heard.filter(({ type }) => type === 'tool_result')).toHaveLength(3);
  const results = (await nextMessages()).filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content)).toEqual(['[cancelled] stopped', 'noted', '[cancelled] stopped']);
});

test('a command is dead when its turn has settled, also one that is deaf to TERM', async () => {
  const command = `trap '' TERM; echo $$; while :; do sleep 1; done`;
  const calls = [{ name: 'shell', arguments: { command } }];
  await endpoint.script([{ when: { user: 'go', round: 0 }, reply: { calls } }, { reply: { text: 'Done.' } }]);
  const { heard, interrupt, nextMessages } = await start();
  await interrupt('go', 'tool_output', 1);
  const leader = Number(heard.find(({ type }) => type === 'tool_output')?.['text']);
  expect(leader).toBeGreaterThan(1);
  expect(() => process.kill(leader, 0)).toThrow('ESRCH');
  await nextMessages();
});

test('a sub-agent has tools of its own, and the cancel of its root stops them', async () => {
  await endpoint.script([
    { when: { user: 'go', round: 0 }, reply: { calls: [{ name: 'spawn_agent', arguments: { task: 'look' } }] } },
    { when: { user: 'look', round: 0 }, reply: { calls: [{ name: 'wait', arguments: {} }] } },
    { reply: { text: 'Done.' } },
  ]);
  const { interrupt, nextMessages } = await start();
  const { nodes } = await interrupt('go', 'tool_output', 1);
  expect(nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']); // turn, sub-agent, its call
  expect((await nextMessages()).filter(({ role }) => role === 'tool')).toHaveLength(1);
});

test('with a journal, what clients receive is on the disk: the acceptance before the receipt', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'floor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'journal');
  const calls = [{ name: 'wait', arguments: {} }];
  await endpoint.script([{ when: { user: 'go', round: 0 }, reply: { calls } }, { reply: { text: 'Done.' } }]);
  const { interrupt } = await start(await openJournal(path));
  await interrupt('go', 'tool_output', 1);
  const written = readFileSync(path, 'utf8').trim().split('\n');
  expect(written.map((line) => JSON.parse(line).type)).toEqual([
    'turn_opened',
    'model_ended',
    'tool_calls',
    'cancel_accepted',
    'tool_result',
    'turn_ended',
    'cancel_settled',
  ]);
});
