// The report of an outside agent's updates, and their live output.
import { describe, expect, test } from 'vitest';
import { AgentReport } from '../../src/acp/agent-report.ts';

function reported(...updates: unknown[]) {
  let shown = '';
  const report = new AgentReport({
    maxChars: 1_000,
    maxLiveChars: 120,
    show: (text) => {
      shown += text;
    },
  });
  for (const update of updates) report.addUpdate({ sessionId: 's', update });
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

  test('skips what it does not know, and what is invalid', () => {
    const { report, output, shown } = reported(
      { sessionUpdate: 'of_tomorrow' },
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 7 } },
      { sessionUpdate: 'tool_call', toolCallId: 'c1' },
      null,
      words(''),
    );
    for (const params of [undefined, null, 7, 'text', [], { update: [] }]) report.addUpdate(params);
    expect(output + shown()).toBe('');
  });

  test('is cut to a limit, and so is the live output, which says so [history.bounded]', () => {
    const { output, omitted, shown } = reported(...Array.from({ length: 100 }, () => words('x'.repeat(100))));
    expect(output.length).toBeLessThanOrEqual(1_000);
    expect(omitted).toBeGreaterThan(9_000);
    expect(shown()).toBe(`${'x'.repeat(120)}\n[… the rest is not shown live …]\n`);
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
