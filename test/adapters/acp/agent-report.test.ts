// The report of an outside agent's updates, and their live output.
import { describe, expect, test } from 'vitest';
import { AgentReport } from '../../../src/adapters/acp/agent-report.ts';
import { parseUpdate } from '../../../src/adapters/acp/agent-updates.ts';

function reported(...updates: unknown[]) {
  let shown = '';
  const report = new AgentReport({
    maxChars: 1_000,
    maxLiveChars: 160,
    show: (text) => {
      shown += text;
    },
  });
  for (const update of updates) {
    const parsed = parseUpdate({ sessionId: 's', update });
    if (parsed) report.addUpdate(parsed);
  }
  return { report, shown: () => shown, ...report.bounded() };
}

const words = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const call = (toolCallId: string, title: string) => ({ sessionUpdate: 'tool_call', toolCallId, title });
const update = (toolCallId: string, more: object) => ({ sessionUpdate: 'tool_call_update', toolCallId, ...more });

describe('the report', () => {
  test('is its words; what it does is shown on lines of its own beside them [agent.acp]', () => {
    const { output, shown } = reported(
      words('Let me '),
      words('look.'),
      call('c1', 'read x.txt'),
      update('c1', { status: 'in_progress' }),
      update('c1', { status: 'completed' }),
      words('Found it.\n'),
      call('c2', 'edit'),
      update('c2', { title: 'edit x.txt', status: 'failed' }),
      update('c3', { status: 'completed' }),
    );
    expect(output).toBe('Let me look.\n\nFound it.\n');
    expect(shown()).toBe(
      'Let me look.\n[read x.txt]\n[read x.txt: completed]\nFound it.\n[edit]\n[edit x.txt: failed]\n[c3: completed]\n',
    );
  });

  test('shows what is printable only, and each change once', () => {
    const plan = { sessionUpdate: 'plan', entries: [{ content: 'a\u001b[2J\nb', status: 'in_progress' }] };
    const output = (text: string) => [{ type: 'content', content: { type: 'text', text } }];
    const { shown } = reported(
      plan,
      plan,
      call('c1', 'run\n\u001b[31m[it: completed]'),
      update('c1', { content: output('12') }),
      update('c1', { content: output('12') }),
      update('c1', { content: output('123\u0007') }),
      update('c1', { status: 'completed', rawOutput: '123' }),
      update('c2', { status: 'failed', rawOutput: 'no' }),
    );
    expect(shown()).toBe(
      '[plan]\n  [>] a[2J b\n[run [31m[it: completed]]\n123\n[run [31m[it: completed]: completed]\nno\n[c2: failed]\n',
    );
  });

  test('shows the output of one of its calls up to a limit, and says so once', () => {
    const shown: string[] = [];
    const report = new AgentReport({ maxChars: 1_000, maxLiveChars: 100_000, show: (text) => shown.push(text) });
    for (const chars of [16_000, 20_000, 24_000]) {
      const content = [{ type: 'content', content: { type: 'text', text: 'x'.repeat(chars) } }];
      const parsed = parseUpdate({ update: update('c', { content }) });
      if (parsed) report.addUpdate(parsed);
    }
    expect(shown.join('')).toBe(`${'x'.repeat(16_384)}\n[… the rest is not shown live …]\n`);
  });

  test('skips what it does not know, and what is invalid', () => {
    const { output, shown } = reported(
      { sessionUpdate: 'of_tomorrow' },
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'image', data: '' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } },
      { sessionUpdate: 'tool_call', toolCallId: 'c1' },
      null,
      words(''),
    );
    expect(output + shown()).toBe('');
    for (const params of [undefined, null, 7, 'text', [], { update: [] }]) expect(parseUpdate(params)).toBeNull();
  });

  test('is cut to a limit, and so is the live output, which says so [history.bounded]', () => {
    const { output, omitted, shown } = reported(...Array.from({ length: 100 }, () => words('x'.repeat(100))));
    expect(output.length).toBeLessThanOrEqual(1_000);
    expect(omitted).toBeGreaterThan(9_000);
    expect(shown()).toBe(`${'x'.repeat(160)}\n[… the rest is not shown live …]\n`);
  });

  test('knows the titles of the last calls, cut to a limit', () => {
    const many = Array.from({ length: 300 }, (_, i) => call(`c${i}`, `title ${i}`));
    const { report } = reported(...many, call('long', 'x'.repeat(10_000)), update('c299', { title: 'new' }));
    expect(report.titleOf('c0')).toBeUndefined();
    expect(report.titleOf('c298')).toBe('title 298');
    expect(report.titleOf('c299')).toBe('new');
    expect(report.titleOf('long')).toHaveLength(200);
  });
});
