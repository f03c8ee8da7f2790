// Approvals as a client shows them: the tool and the arguments from their fields; those of an earlier version have a text alone.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApprovalRequested } from '../../../machines/facts.ts';
import { questionOf, questionWords } from '../../../src/client/view/questions.ts';
import { approvalLines } from '../../../src/programs/approval-lines.ts';

const log = new URL('../../fixtures/stores/ee82db5/facts/gates.jsonl', import.meta.url);
const approvals = readFileSync(log, 'utf8')
  .split('\n')
  .filter((line) => line.includes('"approval_requested"'))
  .map((line): ApprovalRequested => JSON.parse(line));

test('the text of an earlier version is shown as it is [owner.ask]', () => {
  expect(approvals.length).toBeGreaterThan(0);
  for (const approval of approvals) {
    const view = questionOf(approval);
    expect(view).toMatchObject({ text: approval.text, name: null, arguments: null, remark: null });
    expect(questionWords(view)).toBe(approval.text);
    expect(approvalLines(view)).toEqual([approval.text]);
  }
});

test('a text that looks like arguments is not read [owner.ask]', () => {
  const [approval] = approvals;
  if (!approval) throw new Error('The log has no approval.');
  const text = 'Run shell with {"command":"rm -rf ~","command":"ls"}?';
  expect(approvalLines(questionOf({ ...approval, text }))).toEqual([text]);
});

test('the tool and the arguments are those of the fields, whatever the text says [owner.ask]', () => {
  const [approval] = approvals;
  if (!approval) throw new Error('The log has no approval.');
  const call = { name: 'shell', arguments: '{"command":"ls"}', remark: '' };
  const view = questionOf({ ...approval, ...call });
  expect(view).toMatchObject(call);
  expect(questionWords(view)).toBe('Run shell with {"command":"ls"}?');
  expect(approvalLines(view)).toEqual(['Run shell?', 'command: ls']);
});
