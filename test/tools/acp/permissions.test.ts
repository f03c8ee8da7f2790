// How the permission requests of an outside agent are put to a person, and what the agent hears.
import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { createPermissions } from '../../../src/tools/acp/permissions.ts';
import type { Asked } from '../../../src/tools/tool.ts';

interface Open {
  readonly question: Asked;
  answer(words: string): void;
}

function asked() {
  const open: Open[] = [];
  const permissions = createPermissions({
    name: 'coder',
    titleOf: (id) => (id === 'known' ? 'edit x.txt' : undefined),
    ask: (question) =>
      new Promise((resolve, reject) => {
        open.push({ question, answer: resolve });
        question.signal?.addEventListener('abort', () => reject(new Error('withdrawn')));
      }),
  });
  return { open, permissions };
}

const allow: PermissionOption = { optionId: 'a', name: 'Allow', kind: 'allow_once' };
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
  test('is a question that says what is wanted, with the options as choices [agent.acp]', async () => {
    const { open, permissions } = asked();
    const answer = permissions.ask(
      request({ toolCall: { toolCallId: 'c', title: 'run it', rawInput: { cmd: 'ls' } } }),
    );
    await tick();
    expect(open[0]?.question).toMatchObject({
      text: 'coder asks for permission: run it\n{"cmd":"ls"}',
      choices: ['Allow', 'Reject'],
    });
    open[0]?.answer('Allow');
    expect(await answer).toEqual(selected('a'));
  });

  test('that names only its call has the title of the call', async () => {
    const { open, permissions } = asked();
    void permissions.ask(request({ toolCall: { toolCallId: 'known' } }));
    await tick();
    expect(open[0]?.question.text).toBe('coder asks for permission: edit x.txt');
  });

  test.each([
    ['allow', [allow, reject], selected('a')],
    [' Reject ', [allow, reject], selected('r')],
    ['yes', [allow, reject], selected('r')],
    ['', [allow, never], selected('n')],
    ['yes', [allow], cancelled],
  ])('"%s" chooses by name, and is no yes where it names nothing', async (words, options, outcome) => {
    const { open, permissions } = asked();
    const answer = permissions.ask(request({ options }));
    await tick();
    open[0]?.answer(words);
    expect(await answer).toEqual(outcome);
  });

  test('with options of one name has a name for each', async () => {
    const { open, permissions } = asked();
    const answer = permissions.ask(request({ options: [reject, { ...allow, name: 'Reject' }] }));
    await tick();
    expect(open[0]?.question.choices).toEqual(['Reject', 'Reject (2)']);
    open[0]?.answer('Reject');
    expect(await answer).toEqual(selected('r'));
  });

  test('is bounded in its words', async () => {
    const { open, permissions } = asked();
    const options = Array.from({ length: 100 }, (_, i) => ({ ...reject, name: `${i} ${'x'.repeat(1_000)}` }));
    void permissions.ask(request({ options, toolCall: { toolCallId: 'c', title: 'x'.repeat(100_000) } }));
    await tick();
    expect(open[0]?.question.text).toHaveLength(2_000);
    expect(open[0]?.question.choices).toHaveLength(16);
    expect(open[0]?.question.choices?.[0]).toHaveLength(200);
  });

  test('without options is put to nobody', async () => {
    const { open, permissions } = asked();
    expect(await permissions.ask(request({ options: [] }))).toEqual(cancelled);
    expect(open).toEqual([]);
  });

  test('waits for those before it: one question at a time', async () => {
    const { open, permissions } = asked();
    const answers = [permissions.ask(request()), permissions.ask(request())];
    await tick();
    expect(open).toHaveLength(1);
    open[0]?.answer('Allow');
    await answers[0];
    await tick();
    expect(open).toHaveLength(2);
    open[1]?.answer('Reject');
    expect(await Promise.all(answers)).toEqual([selected('a'), selected('r')]);
  });

  test('behind sixteen that wait is refused at once', async () => {
    const { open, permissions } = asked();
    const waiting = Array.from({ length: 16 }, () => permissions.ask(request()));
    expect(await permissions.ask(request())).toEqual(cancelled);
    permissions.close();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => cancelled));
    expect(open).toHaveLength(1);
  });

  test('that is withdrawn is answered as cancelled, and so is every later one [agent.acp]', async () => {
    const { open, permissions } = asked();
    const answers = [permissions.ask(request()), permissions.ask(request())];
    await tick();
    permissions.close();
    expect(await Promise.all(answers)).toEqual([cancelled, cancelled]);
    expect(await permissions.ask(request())).toEqual(cancelled);
    expect(open).toHaveLength(1);
    expect(open[0]?.question.signal?.aborted).toBe(true);
  });
});
