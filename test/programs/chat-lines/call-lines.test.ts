// Calls that are over: the title, how they ended, and the beginning of what they returned.
import { expect, test } from 'vitest';
import type { ToolResult } from '../../../machines/facts.ts';
import { findCall } from '../../../src/client/view/node-names.ts';
import { callBlock } from '../../../src/programs/chat-lines/call-lines.ts';
import { plainText } from '../../../src/programs/chat-lines/styled-text.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { at, before, snapshotAfter } from '../rendered.ts';

function blockOf(fields: Partial<ToolResult>, node = 'call_1', columns = 60) {
  const frame = { ...at, type: 'tool_result', turn: 'turn_1', node, outcome: 'completed', effect: 'done', ...fields };
  const named = before.map((each) =>
    'node' in each && each.node === 'call_1' ? { ...each, arguments: '{"command":"npm test"}' } : each,
  );
  const snapshot = snapshotAfter([...named, frame] as ServerFrame[]);
  const call = findCall(snapshot, node);
  if (!call) throw new Error(`no call ${node}`);
  const { lines, whole } = callBlock(snapshot, call, 'ann', columns);
  return { lines: lines.map(plainText), whole: whole?.(columns).map(plainText) ?? null, styles: lines };
}

const output = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

test('a result has its title, its time, and its first lines; Ctrl-O has all of it [cli.chat]', () => {
  const { lines, whole } = blockOf({ ms: 3_100, output: output(43) });
  expect(lines).toEqual([
    '✓ shell npm test · 3.1 s',
    '  │ line 1',
    '  │ line 2',
    '  │ line 3',
    '  │ … 40 more lines (Ctrl-O)',
  ]);
  expect(whole?.slice(0, 3)).toEqual(['✓ shell npm test · 3.1 s', '  │ command: npm test', '  │ line 1']);
  expect(whole).toHaveLength(45);
});

test('a short result is whole', () => {
  expect(blockOf({ ms: 8, output: output(4) })).toMatchObject({ whole: null });
  expect(blockOf({ ms: 8, output: '' }).lines).toEqual(['✓ shell npm test · 8 ms']);
});

test('a failure shows its error and its last lines', () => {
  const failed = {
    outcome: 'failed',
    code: 'command_failed',
    message: 'exit code 2',
    output: output(9),
    ms: 900,
  } as const;
  expect(blockOf(failed).lines).toEqual([
    '✕ shell npm test · 900 ms · failed',
    '  │ exit code 2 (command_failed)',
    '  │ … 6 earlier lines (Ctrl-O)',
    '  │ line 7',
    '  │ line 8',
    '  │ line 9',
  ]);
});

test('a cancelled call says so, muted', () => {
  const { lines, styles } = blockOf({ outcome: 'cancelled', effect: 'unknown', ms: 3_100 }, 'call_1', 80);
  expect(lines).toEqual(['■ shell npm test · 3.1 s · cancelled; it may have had effects']);
  expect(styles[0]?.at(-1)?.style).toBe('soft');
});

test('JSON in one line is indented, and a diff has its colors', () => {
  expect(blockOf({ output: '{"a":1}' }).lines.slice(1)).toEqual(['  │ {"a":1}']);
  expect(blockOf({ output: `{"a":"${'x'.repeat(80)}","b":1}` }).lines.slice(1, 3)).toEqual([
    '  │ {',
    `  │   "a": "${'x'.repeat(47)}…`,
  ]);
  const { styles } = blockOf({ output: '@@ -1,1 +1,1 @@\n-old\n+new' });
  expect(styles.slice(1).map((line) => line.at(-1)?.style)).toEqual(['code', 'bad', 'good']);
});

test('a sub-agent says how many tools it has used', () => {
  expect(blockOf({ output: 'The notes say: turn.' }, 'agent_1').lines).toEqual([
    '✓ researcher · 1 tool',
    '  │ The notes say: turn.',
  ]);
});

test('no line is wider than the terminal, and nothing steers it [access.names]', () => {
  const { lines } = blockOf({ output: `\u001b[2J${'wide 日本 '.repeat(40)}`, ms: 1 }, 'call_1', 40);
  expect(lines[1]).toMatch(/^ {2}│ wide 日本 .*…$/);
});
