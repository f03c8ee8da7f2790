// The permission requests of an outside agent: the question for a person, and the outcome for the agent.
import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { PermissionRequests } from '../../../src/adapters/acp/permissions.ts';
import type { QuestionOptions } from '../../../src/core/contracts/tool.ts';

interface Open {
  readonly approval: Omit<QuestionOptions, 'choices'>;
  answer(isYes: boolean): void;
}

function collectApprovals() {
  const open: Open[] = [];
  const permissions = new PermissionRequests({
    name: 'coder',
    titleOf: (id) => (id === 'known' ? 'edit x.txt' : undefined),
    requestApproval: (approval) =>
      new Promise((resolve, reject) => {
        open.push({ approval, answer: resolve });
        approval.signal?.addEventListener('abort', () => reject(new Error('withdrawn')));
      }),
  });
  return { open, permissions };
}

const allow: PermissionOption = { optionId: 'a', name: 'Allow', kind: 'allow_once' };
const always: PermissionOption = { optionId: 'w', name: 'Always', kind: 'allow_always' };
const reject: PermissionOption = { optionId: 'r', name: 'Reject', kind: 'reject_once' };
const never: PermissionOption = { optionId: 'n', name: 'Never', kind: 'reject_always' };

const request = (more: Partial<RequestPermissionRequest> = {}): RequestPermissionRequest => ({
  sessionId: 's',
  toolCall: { toolCallId: 'c', title: 'run it' },
  options: [allow, reject],
  ...more,
});
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a permission request', () => {
  test('says what is wanted, and waits for a yes or a no [agent.acp]', async () => {
    const { open, permissions } = collectApprovals();
    const answer = permissions.request(
      request({ toolCall: { toolCallId: 'c', title: 'run it', rawInput: { cmd: 'ls' } } }),
    );
    await tick();
    expect(open[0]?.approval.text).toBe('coder asks for permission: run it\n{"cmd":"ls"}');
    open[0]?.answer(true);
    expect(await answer).toEqual(selected('a'));
  });

  test('that names only its call has the title of the call', async () => {
    const { open, permissions } = collectApprovals();
    void permissions.request(request({ toolCall: { toolCallId: 'known' } }));
    await tick();
    expect(open[0]?.approval.text).toBe('coder asks for permission: edit x.txt');
  });

  test.each([
    { name: 'yes, once', isYes: true, options: [always, allow, reject], outcome: selected('a') },
    { name: 'yes, where there is only always', isYes: true, options: [reject, always], outcome: selected('w') },
    { name: 'no, once', isYes: false, options: [allow, never, reject], outcome: selected('r') },
    { name: 'no, where there is only never', isYes: false, options: [allow, never], outcome: selected('n') },
    { name: 'no, where the agent knows none', isYes: false, options: [allow], outcome: cancelled },
  ])('$name', async ({ isYes, options, outcome }) => {
    const { open, permissions } = collectApprovals();
    const answer = permissions.request(request({ options }));
    await tick();
    open[0]?.answer(isYes);
    expect(await answer).toEqual(outcome);
  });

  test('is put whole: the session cuts it, and says how much is hidden', async () => {
    const { open, permissions } = collectApprovals();
    void permissions.request(request({ toolCall: { toolCallId: 'c', title: 'x'.repeat(100_000) } }));
    await tick();
    expect(open[0]?.approval.text).toContain('x'.repeat(100_000));
  });

  test('without an option to allow is no question', async () => {
    const { open, permissions } = collectApprovals();
    expect(await permissions.request(request({ options: [] }))).toEqual(cancelled);
    expect(await permissions.request(request({ options: [never] }))).toEqual(selected('n'));
    expect(open).toEqual([]);
  });

  test('waits for those before it: one at a time', async () => {
    const { open, permissions } = collectApprovals();
    const answers = [permissions.request(request()), permissions.request(request())];
    await tick();
    expect(open).toHaveLength(1);
    open[0]?.answer(true);
    await answers[0];
    await tick();
    expect(open).toHaveLength(2);
    open[1]?.answer(false);
    expect(await Promise.all(answers)).toEqual([selected('a'), selected('r')]);
  });

  test('after sixteen that wait is cancelled at once', async () => {
    const { open, permissions } = collectApprovals();
    const waiting = Array.from({ length: 16 }, () => permissions.request(request()));
    expect(await permissions.request(request())).toEqual(cancelled);
    permissions.close();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => cancelled));
    expect(open).toHaveLength(1);
  });

  test('that is withdrawn is answered as cancelled, and so is every later one [agent.acp]', async () => {
    const { open, permissions } = collectApprovals();
    const answers = [permissions.request(request()), permissions.request(request())];
    await tick();
    permissions.close();
    expect(await Promise.all(answers)).toEqual([cancelled, cancelled]);
    expect(await permissions.request(request())).toEqual(cancelled);
    expect(open).toHaveLength(1);
    expect(open[0]?.approval.signal?.aborted).toBe(true);
  });
});
