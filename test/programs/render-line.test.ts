// Frames as lines of text: the standard words, without control sequences.
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../machines/facts.ts';
import { nameOf } from '../../src/client/view/node-names.ts';
import { renderLines } from '../../src/programs/render-line.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { joined } from '../client/view/frames.ts';
import { at, before, exactUsage, lines, snapshotAfter, viewer } from './rendered.ts';

const result = (fields: Partial<ToolResult>): ServerFrame => ({
  ...at,
  type: 'tool_result',
  turn: 'turn_1',
  node: 'call_1',
  outcome: 'completed',
  effect: 'done',
  ...fields,
});

describe('a call', () => {
  test('has a line when it starts and one when it ends, indented by its depth [cli.chat]', () => {
    expect(before.map((frame) => lines(frame))).toEqual([
      [],
      ['  > shell {}'],
      [],
      ['  > researcher: read'],
      ['    > read_file {}'],
    ]);
    expect(lines(result({ ms: 1_234 }))).toEqual(['  < shell completed after 1.2 s']);
    expect(lines(result({ turn: 'turn_2', node: 'call_2' }))).toEqual(['    < read_file completed']);
    expect(lines(result({ node: 'agent_1' }))).toEqual(['  < researcher completed']);
  });

  test.each([
    [{ outcome: 'cancelled', effect: 'not_started' }, 'cancelled; it had not started'],
    [
      { outcome: 'cancelled', effect: 'unknown', forced: true, ms: 10 },
      'cancelled by force after 10 ms; it may have had effects',
    ],
    [{ outcome: 'cancelled', effect: 'none' }, 'cancelled'],
    [{ outcome: 'timed_out', effect: 'unknown' }, 'timed out; it may have had effects'],
    [{ outcome: 'superseded', effect: 'none' }, 'superseded by a newer one'],
    [
      { outcome: 'failed', effect: 'unknown', code: 'command_failed', message: 'exit code 2' },
      'failed: exit code 2 (command_failed)',
    ],
    [{ outcome: 'failed', effect: 'unknown', code: 'crash' }, 'failed (crash)'],
    [{ outcome: 'denied', effect: 'not_started' }, 'denied'],
    [{ outcome: 'abandoned', effect: 'unknown', ms: 1_500 }, 'did not stop in time; its end will be reported'],
    [{ outcome: 'continues', effect: 'unknown', ms: 5 }, 'runs on'],
  ] as const)('that ended as %o is rendered in the standard words [cli.chat]', (fields, words) => {
    expect(lines(result(fields))).toEqual([`  < shell ${words}`]);
  });
});

test('an image, a sound and a file of a result have a line each; words have none [model.parts]', () => {
  const blob = 'a'.repeat(64);
  const parts = [
    { type: 'image', blob, mediaType: 'image/png', bytes: 12_345, name: 'chart\x1b.png' },
    { type: 'text', text: 'words' },
    { type: 'audio', blob, mediaType: 'audio/wav', bytes: 7 },
  ] as const;
  expect(lines(result({ parts }))).toEqual([
    '  < shell completed',
    '    [image chart_.png: image/png, 12 KiB]',
    '    [audio: audio/wav, 7 bytes]',
  ]);
});

describe('a question of a call', () => {
  const asked = { ...at, turn: 'turn_1', node: 'call_1', to: 'ann', expiresAt: 60_000 } as const;

  test('is rendered with the commands that answer it, for its addressee [cli.chat]', () => {
    expect(lines({ ...asked, type: 'approval_requested', text: 'rm -r x' })).toEqual([
      '  ? shell asks you: rm -r x',
      '    /approve call_1  or  /deny call_1, for 1 min 00 s',
    ]);
    expect(lines({ ...asked, type: 'approval_requested', text: 'rm -r x', to: 'bob' })).toEqual([
      '  ? shell asks bob: rm -r x',
    ]);
    expect(lines({ ...asked, type: 'question_asked', text: 'Which?', choices: ['a', 'b'], expiresAt: null })).toEqual([
      '  ? shell asks you: Which? (a / b)',
      '    /answer call_1 …',
    ]);
  });

  test('that is an approval says the arguments as they are, and whether there is more [cli.chat]', () => {
    const command = '{"command":"rm -rf ~","command":"ls"}';
    const approval = { ...asked, type: 'approval_requested', text: 'Run shell with {"command":"ls"}?' } as const;
    const call = { ...approval, name: 'shell', arguments: command, remark: '' };
    expect(lines(call)[0]).toBe(`  ? shell asks you: Run shell with ${command}?`);
    expect(lines({ ...call, remark: 'It may repeat.' })[0]).toMatch(/"ls"\}\? It may repeat\.$/);
    const { remark: _, ...own } = call;
    expect(lines({ ...own, text: 'May I?' })[0]).toBe('  ? shell asks you: May I?');
    const long = lines({ ...call, arguments: `{"command":"${'x'.repeat(5_000)}"}` });
    expect(long[0]).toMatch(/\[… \d+ characters omitted …\]/);
    expect(long[1]).toContain('(/show call_1 for the whole text)');
    expect(lines(call)[1]).not.toContain('/show');
  });

  test('is rendered with its answer', () => {
    const closed = { ...at, node: 'call_1', ref: 'r' } as const;
    const rendered = [
      lines({ ...closed, type: 'approval_closed', answer: 'approved', by: 'ann' }),
      lines({ ...closed, type: 'approval_closed', answer: 'denied', by: 'bob' }),
      lines({ ...closed, type: 'approval_closed', answer: 'withdrawn', by: null }),
      lines({ ...closed, type: 'question_closed', answer: 'answered', text: 'a', by: 'bob' }),
    ].flat();
    expect(rendered).toEqual([
      '  . shell: approved by you',
      '  . shell: denied by bob',
      '  . shell: no longer asked',
      '  . shell: answered by bob: a',
    ]);
  });
});

test('nodes from before the JOIN have names like those that started after it', () => {
  const node = { kind: 'turn', owner: 'ann', parent: null, state: 'running', since: 0, name: null } as const;
  const nodes = [
    { ...node, node: 'turn_1' },
    { ...node, node: 'agent_1', kind: 'sub-agent', parent: 'turn_1', name: 'researcher' } as const,
    { ...node, node: 'turn_2', parent: 'agent_1', name: 'researcher' },
  ];
  const snapshot = snapshotAfter([joined(0, { nodes })]);
  expect(nodes.map((each) => nameOf(snapshot, each.node))).toEqual(['turn', 'researcher', "researcher's turn"]);
});

test('a long call has a line with its time so far, and one at its timeout', () => {
  expect(lines({ type: 'tool_progress', session: 'demo', node: 'call_2', elapsedMs: 5_000 })).toEqual([
    '    . read_file is still running, 5.0 s so far',
  ]);
  expect(lines({ ...at, type: 'tool_timeout', node: 'call_1', ms: 120_000 })).toEqual([
    '  . shell has not ended within 2 min 00 s',
  ]);
});

test('the time of a sub-agent, whose result has none, is counted from its start', () => {
  const started = { ...at, type: 'tool_started', turn: 'turn_1', node: 'agent_1', at: 1_000 } as const;
  const snapshot = snapshotAfter([...before, started]);
  expect(renderLines({ ...result({ node: 'agent_1' }), at: 3_500 } as ServerFrame, snapshot, viewer)).toEqual([
    '  < researcher completed after 2.5 s',
  ]);
});

test('a turn that did not complete has a line with its outcome; for a sub-agent its call has it', () => {
  const ended = { ...at, type: 'turn_ended', effect: 'none', usage: exactUsage } as const;
  expect(lines({ ...ended, turn: 'turn_1', outcome: 'completed' })).toEqual([]);
  expect(lines({ ...ended, turn: 'turn_1', outcome: 'failed', code: 'model_unreachable', message: 'refused' })).toEqual(
    ['[failed: refused (model_unreachable)]'],
  );
  expect(lines({ ...ended, turn: 'turn_2', outcome: 'cancelled' })).toEqual([]);
  const snapshot = snapshotAfter(before);
  const seenByBob = { ...viewer, speaker: 'bob' };
  expect(renderLines({ ...ended, turn: 'turn_1', outcome: 'cancelled' }, snapshot, seenByBob)).toEqual([
    "[ann's turn: cancelled]",
  ]);
});

test('words of other speakers are rendered with their name, one’s own are not repeated', () => {
  const said = { ...at, type: 'turn_opened', turn: 't', kind: 'say', lane: 'l', text: 'hello' } as const;
  expect(lines({ ...said, owner: 'bob', ref: 'r' })).toEqual(['bob> hello']);
  expect(lines({ ...said, owner: 'ann', ref: 'mine' })).toEqual([]);
});

test('a call that waits has a line that says for which call, and one every few seconds of it [tool.waits]', () => {
  const waiting = { type: 'tool_waiting', session: 'demo', node: 'call_2' } as const;
  const waitsFor = { node: 'call_9', name: 'shell', owner: 'ann', session: 'b' };
  expect(lines({ ...waiting, waitsFor, elapsedMs: 5_000 })).toEqual([
    '    . read_file is waiting for your shell (call_9) in b, 5.0 s so far',
  ]);
});

test('a completed turn whose answer is not whole says so [model.ends]', () => {
  const over = {
    ...at,
    type: 'turn_ended',
    turn: 'turn_1',
    outcome: 'completed',
    effect: 'none',
    usage: exactUsage,
  } as const;
  expect(lines(over)).toEqual([]);
  expect(lines({ ...over, finish: 'stop' })).toEqual([]);
  const said = (['length', 'content_filter', 'refusal', 'empty', 'reasoning_only'] as const).map((finish) =>
    lines({ ...over, finish }),
  );
  for (const one of said) expect(one).toHaveLength(1);
  expect(new Set(said.flat()).size).toBe(5);
  expect(said[0]).toEqual(['[the answer ends here: it has reached its longest length (length)]']);
});

test('what an endpoint says of a failure is shown whole, and that a model is silent [cli.chat]', () => {
  const message = `400 ${'The value of messages[3] is not accepted. '.repeat(5)}Check it.`;
  const failed = { type: 'turn_ended', turn: 'turn_1', outcome: 'failed', code: 'model_rejected', message } as const;
  expect(lines({ ...at, ...failed, effect: 'none' } as ServerFrame)).toEqual([`[failed: ${message} (model_rejected)]`]);
  const waiting = { type: 'model_waiting', session: 's', turn: 'turn_1', index: 0, elapsedMs: 20_000 } as const;
  expect(lines(waiting)).toEqual(['[the model has sent nothing for 20.0 s]']);
});
