// Rendering: every prefix of a log gives messages that a strict provider takes, and they say what happened.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fact, Recorded } from '../../machines/facts.ts';
import type { Message, Message as ProviderMessage } from '../../machines/messages.ts';
import { recover } from '../../src/transcript/recover.ts';
import { type RenderOptions, render } from '../../src/transcript/render.ts';
import { pairedProblems } from '../support/paired.ts';
import { logs } from './plausible.ts';

const at = (facts: readonly Fact[]): Recorded[] => facts.map((fact, i) => ({ ...fact, at: 1_000 + i }));
const usage = { kind: 'exact', input: 1, output: 1 } as const;
const ask = (facts: readonly Fact[], turn: string, more: Partial<RenderOptions> = {}): Message[] =>
  render(at(facts), { turn, instructions: 'Be brief.', ...more });

/** The facts of a turn: opened and started, some rounds, and its end. */
const opened = (turn: string, text: string, owner = 'ann'): Fact[] => [
  { type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, ref: null },
  { type: 'turn_started', turn, owner, parent: null },
];
const answered = (turn: string, text: string, index = 0, cutOff = false): Fact[] => [
  { type: 'model_started', turn, index },
  { type: 'model_ended', turn, index, outcome: cutOff ? 'cancelled' : 'completed', text, cutOff, usage },
];
const called = (turn: string, node: string, more: Partial<Extract<Fact, { type: 'tool_call' }>> = {}): Fact => ({
  type: 'tool_call',
  turn,
  node,
  kind: 'tool-call',
  callId: 'call_0',
  name: 'shell',
  arguments: '{}',
  owner: 'ann',
  index: 0,
  ...more,
});
const result = (turn: string, node: string, more: Partial<Extract<Fact, { type: 'tool_result' }>> = {}): Fact => ({
  type: 'tool_result',
  turn,
  node,
  outcome: 'completed',
  effect: 'done',
  output: `output of ${node}`,
  ...more,
});
const ended = (
  turn: string,
  outcome: Extract<Fact, { type: 'turn_ended' }>['outcome'] = 'completed',
  code?: string,
): Fact => ({
  type: 'turn_ended',
  turn,
  outcome,
  effect: 'none',
  usage,
  ...(code !== undefined && { code }),
});
const cancelled = (
  turn: string,
  stopping: string[],
  more: Partial<Extract<Fact, { type: 'cancel_accepted' }>> = {},
): Fact => ({
  type: 'cancel_accepted',
  cancel: `cancel_${turn}`,
  ref: null,
  source: 'client',
  by: 'ann',
  reason: null,
  target: turn,
  force: false,
  stopping,
  pending: [],
  refused: [],
  detached: [],
  ...more,
});
const turnsIn = (facts: readonly Fact[]): string[] => [
  ...new Set(facts.flatMap((fact) => (fact.type === 'turn_opened' || fact.type === 'turn_started' ? [fact.turn] : []))),
];
const contents = (messages: readonly Message[], role: Message['role']) =>
  messages.flatMap((message) => (message.role === role ? [message.content] : []));

describe('at every prefix of a log', () => {
  test('every call has exactly one result right behind it, whoever asks [history.paired]', () => {
    fc.assert(
      fc.property(logs, (log) => {
        for (let length = 0; length <= log.length; length++) {
          const prefix = log.slice(0, length);
          for (const turn of turnsIn(prefix))
            expect(pairedProblems(render(prefix, { turn, instructions: 'x' }))).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a request after the recovery has every result that one before it had [history.paired]', () => {
    fc.assert(
      fc.property(logs, fc.nat(), (log, cut) => {
        const prefix = log.slice(0, cut % (log.length + 1));
        const whole = [...prefix, ...at(recover(prefix)), ...at(opened('next', 'and now?'))];
        const messages = render(whole, { turn: 'next', instructions: '' });
        expect(pairedProblems(messages)).toEqual([]);
        const shown = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.callId, one.content]] : [])));
        for (const turn of turnsIn(prefix)) {
          for (const one of render(prefix, { turn, instructions: '', contextTurns: 1 }))
            if (one.role === 'tool' && shown.has(one.callId)) expect(shown.get(one.callId)).toBe(one.content);
        }
      }),
    );
  });

  test('only whole turns are left out, and the request stays within its bytes [history.bounded]', () => {
    fc.assert(
      fc.property(
        logs,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 2_000 }),
        (log, contextTurns, contextBytes) => {
          const whole = [...log, ...at(recover(log)), ...at(opened('next', 'and now?'))];
          const messages = render(whole, { turn: 'next', instructions: '', contextTurns, contextBytes });
          expect(pairedProblems(messages)).toEqual([]);
          expect(contents(messages, 'user').at(-1)).toMatch(/and now\?$/);
          expect(contents(messages, 'user').length).toBeLessThanOrEqual(contextTurns);
          const bytes = messages
            .flatMap((one) => ('calls' in one ? one.calls.map((call) => call.arguments) : []))
            .concat(messages.map((one) => one.content));
          const own = Buffer.byteLength(contents(messages, 'user').at(-1) ?? '');
          expect(bytes.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(
            Math.max(contextBytes, own),
          );
        },
      ),
    );
  });
});

describe('a conversation', () => {
  const first = [
    ...opened('t1', 'look'),
    ...answered('t1', 'I look.'),
    called('t1', 'c1'),
    called('t1', 'c2'),
    result('t1', 'c2'),
    result('t1', 'c1'),
    ...answered('t1', 'Done.', 1),
    ended('t1'),
  ];

  test('is rendered turn by turn, each model call as one message, results in call order [history.paired]', () => {
    const messages: readonly ProviderMessage[] = ask([...first, ...opened('t2', 'thanks')], 't2');
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: 'I look.',
        calls: [
          { callId: 'c1', name: 'shell', arguments: '{}' },
          { callId: 'c2', name: 'shell', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'c1', content: 'output of c1' },
      { role: 'tool', callId: 'c2', content: 'output of c2' },
      { role: 'assistant', content: 'Done.', calls: [] },
      { role: 'user', content: 'thanks' },
    ]);
  });

  test('names who spoke when there is more than one', () => {
    expect(contents(ask([...first, ...opened('t2', 'thanks', 'ben')], 't2'), 'user')).toEqual([
      'ann: look',
      'ben: thanks',
    ]);
    expect(contents(ask([...first, ...opened('t2', 'thanks', 'ben')], 't2', { contextTurns: 1 }), 'user')).toEqual([
      'thanks',
    ]);
  });

  test('a turn that is still open is a note, never calls', () => {
    const other = [
      ...opened('t2', 'and this?', 'ben'),
      ...answered('t2', 'I try.'),
      called('t2', 'c3', { owner: 'ben' }),
    ];
    const messages = ask([...first, ...other, ...opened('t3', 'well?')], 't3');
    expect(JSON.stringify(messages)).not.toMatch(/c3|I try/);
    expect(contents(messages, 'user').at(-1)).toMatch(/^\[Note .*ben has said "and this\?".*\]\n\nwell\?$/);
  });

  test('an agent is told its own task and nothing else, its parent only the result', () => {
    const facts: Fact[] = [
      ...first,
      ...opened('t2', 'find it'),
      ...answered('t2', ''),
      called('t2', 'a1', { kind: 'sub-agent', name: 'spawn_agent' }),
      { type: 'turn_started', turn: 't3', owner: 'ann', parent: 'a1', text: 'search', agent: 'scout' },
      ...answered('t3', 'secret thought'),
      called('t3', 'c4'),
    ];
    expect(ask([...facts, result('t3', 'c4')], 't3')).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'search' },
      { role: 'assistant', content: 'secret thought', calls: [{ callId: 'c4', name: 'shell', arguments: '{}' }] },
      { role: 'tool', callId: 'c4', content: 'output of c4' },
    ]);
    const parent = ask([...facts, result('t3', 'c4'), ended('t3'), result('t2', 'a1', { output: 'found' })], 't2');
    expect(JSON.stringify(parent)).not.toContain('secret thought');
    expect(parent.at(-1)).toEqual({ role: 'tool', callId: 'a1', content: 'found' });
  });

  test('a detached agent works on its own task; when it has ended, the session reads what it did', () => {
    const agent: Fact[] = [
      {
        type: 'turn_opened',
        turn: 'bg',
        kind: 'agent',
        owner: 'ann',
        lane: 'bg',
        text: 'search',
        ref: null,
        from: 't1',
        agent: 'scout',
      },
      ...answered('bg', 'Found it.'),
    ];
    expect(contents(ask([...first, ...agent], 'bg'), 'user')).toEqual(['search']);
    const meanwhile = ask([...first, ...agent, ...opened('t2', 'hi')], 't2');
    expect(contents(meanwhile, 'user').at(-1)).toMatch(
      /^\[Note .*agent scout is working in the background for ann on "search"\]\n\nhi$/,
    );
    const after = ask([...first, ...agent, ended('bg'), ...opened('t2', 'hi')], 't2');
    expect(after.slice(-3).map(({ content }) => content)).toEqual([
      expect.stringMatching(/^\[Note .*agent scout .* on: search\]$/),
      'Found it.',
      'hi',
    ]);
  });

  test('has a turn for whoever asks', () => {
    expect(() => ask(first, 't9')).toThrow('t9');
  });
});

describe('what was stopped', () => {
  const stopped: Fact[] = [
    ...opened('t1', 'do it'),
    ...answered('t1', 'On it.'),
    called('t1', 'done'),
    called('t1', 'ran'),
    called('t1', 'never'),
    called('t1', 'his', { owner: 'ben' }),
    result('t1', 'done'),
    cancelled('t1', ['t1', 'ran', 'never'], {
      reason: 'changed my mind',
      refused: [{ node: 'his', reason: 'not_owner' }],
    }),
    result('t1', 'ran', { outcome: 'cancelled', effect: 'unknown', output: 'half' }),
    result('t1', 'never', { outcome: 'cancelled', effect: 'not_started', output: '' }),
    result('t1', 'his', { outcome: 'continues', effect: 'unknown', output: '' }),
    ended('t1', 'cancelled'),
  ];

  test('is noted before the next words: what completed, what may have had effects, and no retry unasked [history.words]', () => {
    const [, next] = contents(ask([...stopped, ...opened('t2', 'hello')], 't2'), 'user');
    expect(next).toMatch(/was stopped by ann \("changed my mind"\)/);
    expect(next).toMatch(/Completed: shell \(done\)\./);
    expect(next).toMatch(/May have had effects: shell \(ran\)\./);
    expect(next).toMatch(/Did not run: shell \(never\)\./);
    expect(next).toMatch(/Not stopped, it ran on: shell \(his\) for ben\./);
    expect(next).toMatch(/Do not take any of it up again unasked: .*\]\n\nhello$/);
  });

  test('a late end is told by a note, never by a second result', () => {
    const late: Fact = { type: 'late_result', node: 'his', outcome: 'completed', effect: 'done', output: 'his output' };
    const messages = ask([...stopped, late, ...opened('t2', 'hello')], 't2');
    expect(pairedProblems(messages)).toEqual([]);
    expect(messages.filter((one) => one.role === 'tool' && one.callId === 'his')).toHaveLength(1);
    expect(contents(messages, 'user')[1]).toMatch(
      /shell \(his\) has ended since: completed, with this output: his output\./,
    );
  });

  test('what would not stop is told as such, until it has ended', () => {
    const deaf = [
      ...opened('t1', 'do it'),
      ...answered('t1', ''),
      called('t1', 'deaf'),
      cancelled('t1', ['t1', 'deaf']),
      result('t1', 'deaf', { outcome: 'abandoned', effect: 'unknown', output: '' }),
      ended('t1', 'cancelled'),
    ];
    const now = contents(ask([...deaf, ...opened('t2', 'hello')], 't2'), 'user')[1];
    expect(now).toMatch(/Told to stop, and still not ended: shell \(deaf\)\./);
    expect(now).not.toMatch(/has ended since/);
    const gone: Fact = { type: 'abandoned_ended', node: 'deaf', output: 'bye' };
    const later = contents(ask([...deaf, gone, ...opened('t2', 'hello')], 't2'), 'user')[1];
    expect(later).toMatch(
      /May have had effects: shell \(deaf\)\. shell \(deaf\) has ended since, with this output: bye\./,
    );
    expect(later).not.toMatch(/still not ended/);
  });

  test('text keeps what was shown, marked as cut off, and nothing is said where nothing was [history.partial]', () => {
    const cut = [
      ...opened('t1', 'tell me'),
      ...answered('t1', 'Once upon a \ud83d', 0, true),
      cancelled('t1', ['t1']),
      ended('t1', 'cancelled'),
    ];
    expect(contents(ask([...cut, ...opened('t2', 'go on')], 't2'), 'assistant')).toEqual([
      'Once upon a \ufffd… [cut off here]',
    ]);
    const silent = [
      ...opened('t1', 'tell me'),
      ...answered('t1', '', 0, true),
      cancelled('t1', ['t1']),
      ended('t1', 'cancelled'),
    ];
    expect(contents(ask([...silent, ...opened('t2', 'go on')], 't2'), 'assistant')).toEqual([]);
  });

  test('by a crash: text up to the last checkpoint, and a note that says so [history.partial]', () => {
    const log: Fact[] = [
      ...opened('t1', 'tell me'),
      { type: 'model_started', turn: 't1', index: 0 },
      { type: 'text_checkpoint', turn: 't1', index: 0, offset: 0, text: 'Once ' },
      { type: 'text_checkpoint', turn: 't1', index: 0, offset: 5, text: 'upon' },
    ];
    const before = contents(ask(log, 't1'), 'assistant');
    const whole = [...log, ...recover(at(log)), ...opened('t2', 'and?')];
    expect(contents(ask(whole, 't2'), 'assistant')).toEqual(before);
    expect(before).toEqual(['Once upon… [cut off here]']);
    expect(contents(ask(whole, 't2'), 'user')[1]).toMatch(
      /ended early \(failed: The process that ran this ended before it settled\.\)/,
    );
  });
});

describe('what an endpoint would refuse', () => {
  test('malformed arguments, empty ones and odd names are rendered so that it does not', () => {
    const calls = [
      called('t1', 'c1', { arguments: '{"path": "a' }),
      called('t1', 'c2', { arguments: '' }),
      called('t1', 'c3', { arguments: '[1]' }),
      called('t1', 'c4', { name: 'functions.read file' }),
      called('t1', 'c5', { name: '' }),
    ];
    const messages = ask([...opened('t1', 'go'), ...answered('t1', ''), ...calls], 't1');
    expect(pairedProblems(messages)).toEqual([]);
    expect(messages[2]).toMatchObject({
      content: '',
      calls: [
        { arguments: '{"malformed":"{\\"path\\": \\"a"}' },
        { arguments: '{}' },
        { arguments: '{"malformed":"[1]"}' },
        { name: 'functions_read_file' },
        { name: '_' },
      ],
    });
  });

  test('a result without an outcome, or with one that has no word here, and a cause from elsewhere [history.paired]', () => {
    const strange = [
      { outcome: undefined, effect: undefined },
      { outcome: 'paused', effect: 'some' },
    ];
    const log: Fact[] = [
      ...opened('t1', 'go'),
      ...answered('t1', ''),
      called('t1', 'c0'),
      called('t1', 'c1'),
      cancelled('t1', ['t1'], { source: 'moon' as 'client' }),
      ...strange.map((more, i) => result('t1', `c${i}`, more as object)),
      ended('t1', 'cancelled'),
    ];
    const messages = ask([...log, ...opened('t2', 'and now?')], 't2');
    expect(pairedProblems(messages)).toEqual([]);
    expect(contents(messages, 'tool').join()).toMatch(/How it ended is not known.*How it ended is not known/);
    expect(contents(messages, 'user').at(-1)).toMatch(/the turn above was stopped, before it was finished/);
  });

  test('the tail of a log that begins in the middle of a turn', () => {
    const tail = [
      called('t0', 'c0'),
      result('t0', 'c0'),
      ...answered('t0', 'lost', 1),
      ended('t0'),
      ...opened('t1', 'go'),
    ];
    expect(ask(tail, 't1').map(({ content }) => content)).toEqual(['Be brief.', 'go']);
  });
});
