// The live block: what runs, with titles, times and the last line of output, in the rows and columns that it has.
import { describe, expect, test } from 'vitest';
import { lineWidth } from '../../../src/programs/chat-lines/line-width.ts';
import { type StatusInput, statusLines } from '../../../src/programs/chat-lines/status-block.ts';
import { plainText } from '../../../src/programs/chat-lines/styled-text.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { accepted, opened, started, toolCall } from '../../client/view/frames.ts';
import { snapshotAfter } from '../rendered.ts';

const at = { session: 's', seq: 1, at: 0 };
const frames = (...facts: readonly object[]) => facts.map((fact) => ({ ...at, ...fact }) as ServerFrame);
const shell = { ...toolCall('call_1', 'turn_1', 'shell'), arguments: '{"command":"npm run build"}' };
const running = frames(
  opened('turn_1'),
  { ...started('turn_1'), at: 1_000 },
  shell,
  { type: 'tool_started', turn: 'turn_1', node: 'call_1', at: 2_000 },
  toolCall('agent_1', 'turn_1', 'spawn_agent', 'sub-agent'),
  { type: 'tool_started', turn: 'turn_1', node: 'agent_1', at: 2_000 },
  { ...started('turn_2', 'agent_1', 'researcher'), at: 2_000 },
  { ...toolCall('call_2', 'turn_2', 'read_file'), arguments: '{"path":"notes.md"}' },
  { type: 'tool_started', turn: 'turn_2', node: 'call_2', at: 2_500 },
);

/** Returns the ages of the nodes above at a time. */
const agesAt =
  (now: number) =>
  (node: string): number =>
    now - ({ turn_1: 1_000, turn_5: 1_000, call_1: 2_000, agent_1: 2_000, call_2: 2_500 }[node] ?? now);

const joinedAfter = (list: readonly ServerFrame[]) => ({ ...snapshotAfter(list), state: 'joined' }) as const;
const shown = (list: readonly ServerFrame[], fields: Partial<StatusInput> = {}) =>
  statusLines({
    snapshot: joinedAfter(list),
    speaker: 'ann',
    ageMs: agesAt(5_000),
    columns: 80,
    rows: 20,
    ...fields,
  }).map(plainText);

test('each call and sub-agent has its title and time, below its turn [cli.chat]', () => {
  expect(shown(running)).toEqual([
    '● your turn: running 2 tools · 4 s',
    '  ● shell npm run build  3 s',
    '  ● researcher  3 s',
    '    ● read_file notes.md  2 s',
  ]);
  expect(shown([])).toEqual([]);
});

test('the last line of output stands below its call, without what steers a terminal', () => {
  const output = { type: 'tool_output', node: 'call_1', text: 'one\n\u001b[32m 10 %\r 20 %\u001b[0m\n\n' };
  expect(shown([...running, ...frames(output)])[2]).toBe('     20 %');
});

test('a long time says so in words', () => {
  expect(shown(running, { ageMs: agesAt(14_000) })[1]).toBe('  ● shell npm run build  12 s, slow');
  expect(shown(running, { ageMs: agesAt(64_000) })[1]).toBe('  ● shell npm run build  1 min 02 s, long');
});

test('it says stopping of what was accepted to be stopped, and not before [cli.chat]', () => {
  const stopping = [...running, ...frames(accepted(['call_1']))];
  expect(shown(stopping)[1]).toBe('  ◐ shell npm run build  3 s · stopping…');
  expect(shown(stopping).filter((line) => line.includes('stopping'))).toHaveLength(1);
});

describe('what does not run says why', () => {
  test('a call that asks, and one that waits for another', () => {
    const asked = {
      type: 'approval_requested',
      turn: 'turn_1',
      node: 'call_1',
      to: 'ann',
      text: 'may I?',
      expiresAt: null,
    };
    expect(shown([...running, ...frames(asked)])[1]).toBe('  ○ shell npm run build  3 s · needs your answer');
    expect(shown([...running, ...frames({ ...asked, to: 'bob' })])[1]).toContain('needs an answer of bob');
    const waitsFor = { node: 'call_9', name: 'shell', owner: 'bob' };
    const third = { ...toolCall('call_3', 'turn_1', 'write_file'), arguments: '{"path":"a.txt"}' };
    const waiting = frames(third, { type: 'tool_waiting', node: 'call_3', waitsFor, elapsedMs: 0 });
    expect(shown([...running, ...waiting]).at(-1)).toBe("  ○ write_file a.txt · waits for bob's shell");
  });

  test('words that wait for the model, and a turn that waits for its lane', () => {
    const input = {
      type: 'input_deferred',
      turn: 'turn_1',
      input: 'input_1',
      owner: 'ann',
      text: 'use the other folder',
      ref: null,
    };
    expect(shown([...running, ...frames(input)])[1]).toBe('  ○ “use the other folder” · the model reads it next');
    const queued = frames({ ...opened('turn_3'), text: 'and then\ndeploy' });
    expect(shown([...running, ...queued]).at(-1)).toBe('○ your turn: queued “and then deploy”');
  });
});

test("turns of others have their owner's name, and what they do [cli.chat]", () => {
  const bob = frames(
    opened('turn_5', 'bob'),
    { ...started('turn_5'), owner: 'bob', at: 1_000 },
    { type: 'model_started', turn: 'turn_5', index: 0 },
  );
  const text = { type: 'text_delta', session: 's', turn: 'turn_5', index: 0, offset: 0, text: 'x'.repeat(4_000) };
  expect(shown(bob)).toEqual(["● bob's turn: waiting for the model · 4 s"]);
  expect(shown([...bob, text as ServerFrame])).toEqual(["● bob's turn: writing · 4 s · ~1.0k tokens"]);
});

test('it keeps within its rows and columns, and counts what it leaves out', () => {
  const many = Array.from({ length: 30 }, (_, i) => ({
    ...toolCall(`call_${i}`, 'turn_1', 'shell'),
    arguments: '{"command":"日本語日本語日本語日本語"}',
  }));
  const list = frames(opened('turn_1'), started('turn_1'), ...many);
  expect(shown(list, { rows: 6 }).at(-1)).toBe('  … 26 more (/tree shows all)');
  const narrow = {
    snapshot: joinedAfter(list),
    speaker: 'ann',
    ageMs: agesAt(5_000),
    columns: 30,
    rows: 50,
  };
  expect(statusLines(narrow).length).toBeLessThan(20);
  expect(statusLines(narrow).every((line) => lineWidth(line) <= 30)).toBe(true);
});
