// Questions above the input of a terminal: what counts as an answer, and in which order they come.
import { describe, expect, test } from 'vitest';
import { emptySnapshot, type QuestionView, type SessionSnapshot } from '../../src/client/view/snapshot.ts';
import { monotonicTime } from '../../src/core/sources/monotonic-time.ts';
import { createVirtualSources } from '../../src/core/sources/virtual.ts';
import { AskedQuestions } from '../../src/programs/asked-questions.ts';
import type { KeyQuestion, TerminalView } from '../../src/programs/terminal/terminal-view.ts';

const question: QuestionView = {
  id: 'q1',
  node: 'call_1',
  kind: 'approval',
  to: 'ann',
  text: 'Run this?',
  whole: null,
  name: null,
  arguments: null,
  remark: null,
  choices: [],
  schema: null,
  expiresAt: null,
};

function start(...questions: readonly QuestionView[]) {
  const { clock } = createVirtualSources();
  const open: KeyQuestion[] = [];
  const sent: unknown[] = [];
  let snapshot: SessionSnapshot = { ...emptySnapshot, questions };
  let notify = () => {};
  const send =
    (kind: string) =>
    (...args: unknown[]) => {
      sent.push([kind, ...args]);
      return Promise.resolve({} as never);
    };
  const asked = new AskedQuestions({
    terminal: {
      style: (_, text) => text,
      print: (lines) => void sent.push(lines),
      openQuestion: (one) => {
        open.push(one);
        return () => void open.splice(open.indexOf(one), 1);
      },
    } as Pick<TerminalView, 'style' | 'print' | 'openQuestion'> as TerminalView, // the rest of it is not used
    session: { approve: send('approve'), deny: send('deny'), answer: send('answer') },
    view: {
      getSnapshot: () => snapshot,
      subscribe: (listener) => {
        notify = listener;
        return () => {};
      },
    },
    speaker: 'ann',
    clock,
    onError: (error) => void sent.push(error),
  });
  const show = () => open[0]?.render({ columns: 40, rows: 20 }) ?? [];
  const change = (...next: readonly QuestionView[]) => {
    snapshot = { ...snapshot, questions: next };
    notify();
  };
  return { asked, clock, open, sent, show, change };
}

test('a key counts half a second after the question was shown, and no sooner [owner.ask]', async () => {
  const { clock, open, sent, show } = start(question);
  expect(open[0]?.keys['y']?.()).toBe(false); // it is not shown yet
  expect(show()).toEqual(['A call asks for your approval:', '  Run this?', '  y yes  n no']);
  await clock.advance(499);
  expect(open[0]?.keys['y']?.()).toBe(false);
  await clock.advance(1);
  expect(open[0]?.keys['y']?.()).toBe(true);
  expect(sent).toEqual([['approve', 'call_1', { question: 'q1' }]]);
});

test.each([-3_600_000, 3_600_000])(
  'a step of the time of day by %d ms changes nothing of that time [owner.ask]',
  async (ms) => {
    const { clock, open, show } = start(question);
    show();
    await clock.advance(499);
    clock.step(ms);
    expect(open[0]?.keys['y']?.()).toBe(false);
    await clock.advance(1);
    expect(open[0]?.keys['y']?.()).toBe(true);
  },
);

test('a typed text is the answer if it was begun after that; a command is none [owner.ask]', async () => {
  const { clock, open, sent, show } = start({ ...question, kind: 'question', text: 'Why?' });
  show();
  await clock.advance(1_000);
  expect(open[0]?.onText?.('begun before', monotonicTime(100))).toBe(false);
  expect(open[0]?.onText?.('/tree', monotonicTime(900))).toBe(false);
  expect(open[0]?.onText?.('because', monotonicTime(900))).toBe(true);
  expect(sent).toEqual([['answer', 'call_1', 'because', { question: 'q1' }]]);
});

test('a question that another one has answered is closed, and the next one is shown [owner.ask]', async () => {
  const second = { ...question, id: 'q2', node: 'call_2', text: 'And this?' };
  const { open, show, change, asked } = start(question, { ...question, id: 'q3', to: 'bob' }, second);
  expect(open).toHaveLength(2);
  expect(show().at(-1)).toBe('  y yes  n no  (1 more question after this one)');
  change(second);
  expect(show()).toContain('  And this?');
  asked.close();
  expect(open).toEqual([]);
});

test('of a long text the first lines are shown, and all of it on request [owner.ask]', async () => {
  const text = Array.from({ length: 12 }, (_, i) => `line ${i}`).join('\n');
  const { clock, open, sent, show } = start({ ...question, text: 'cut', whole: text });
  expect(show()).toContain('  … 5 more lines: v shows all of it');
  await clock.advance(500);
  expect(open[0]?.keys['v']?.()).toBe(true);
  expect(String(sent[0])).toContain('line 11');
  expect(open[0]?.expand?.()).toHaveLength(13);
});

test('the values that a question asks for are listed [owner.ask]', () => {
  const schema = {
    properties: { host: { type: 'string', title: 'Host' }, port: { type: 'integer' } },
    required: ['host'],
  };
  const { show } = start({ ...question, kind: 'question', text: 'Where?', schema });
  expect(show()).toEqual([
    'A call asks you:',
    '  Where?',
    '  host (string): Host',
    '  port (integer, may be left out)',
    '  Write name=value; name=value',
    '  Type the answer, and press Enter. /steer says something else to the bot.',
  ]);
});

describe('an approval of a call', () => {
  const call = (text: string, more: Partial<QuestionView> = {}) =>
    start({ ...question, text: 'Run shell with {}?', name: 'shell', arguments: text, remark: '', ...more })
      .show()
      .slice(1, -1);

  test('has a line for each argument, the command as it would be typed, and nothing is left out [owner.ask]', () => {
    expect(call(JSON.stringify({ command: 'echo "a"\nrm b', cwd: '.', timeoutMs: 5 }))).toEqual([
      '  Run shell?',
      '  command: echo "a"',
      '    rm b',
      '  cwd: .',
      '  timeoutMs: 5',
    ]);
  });

  test('shows the text of arguments that say a name twice [owner.ask]', () => {
    const twice = '{"command":"rm b","command":"ls"}';
    expect(call(twice)).toEqual(['  Run shell?', `  ${twice}`]);
  });

  test('has the words of its tool, then the arguments; a remark comes after them [owner.ask]', () => {
    const text = '{"to":"prod"}';
    expect(call(text, { text: 'Deploy it?', remark: null })).toEqual(['  Deploy it?', '  to: prod']);
    expect(call(text, { remark: 'It may repeat.' })).toEqual(['  Run shell?', '  to: prod', '  It may repeat.']);
  });

  test('of an earlier version is its text [owner.ask]', () => {
    const text = 'Run shell with {"a":1}?';
    expect(call('', { text, name: null, arguments: null, remark: null })).toEqual([`  ${text}`]);
  });

  test('sends no control character to the terminal [owner.ask]', () => {
    expect(call('{"a\\u001b[2J":"b\\u001b[2J"}', { name: 'x\u001b' }).join('')).not.toContain('\u001b');
  });
});
