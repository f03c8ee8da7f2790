// Rendering of what did not end well: stopped turns, crashes, and facts that an endpoint would reject as they are.
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import {
  acceptance,
  contents,
  dateFacts,
  ending,
  opening,
  renderFor,
  reply,
  toolCallFact,
  toolResultFact,
} from './facts-of-turns.ts';

describe('a stopped turn', () => {
  const stopped: Fact[] = [
    ...opening('t1', 'do it'),
    ...reply('t1', 'On it.'),
    toolCallFact('t1', 'done'),
    toolCallFact('t1', 'ran'),
    toolCallFact('t1', 'never'),
    toolCallFact('t1', 'his', { owner: 'ben' }),
    toolResultFact('t1', 'done'),
    acceptance('t1', ['t1', 'ran', 'never'], {
      reason: 'changed my mind',
      refused: [{ node: 'his', reason: 'not_owner' }],
    }),
    toolResultFact('t1', 'ran', { outcome: 'cancelled', effect: 'unknown', output: 'half' }),
    toolResultFact('t1', 'never', { outcome: 'cancelled', effect: 'not_started', output: '' }),
    toolResultFact('t1', 'his', { outcome: 'continues', effect: 'unknown', output: '' }),
    ending('t1', 'cancelled'),
  ];

  test('is noted before the next prompt: what completed, what may have had effects, and no retry unasked [history.words]', () => {
    const [, next] = contents(renderFor([...stopped, ...opening('t2', 'hello')], 't2'), 'user');
    expect(next).toMatch(/was stopped by ann \("changed my mind"\)/);
    expect(next).toMatch(/Completed: shell \(done\)\./);
    expect(next).toMatch(/May have had effects: shell \(ran\)\./);
    expect(next).toMatch(/Did not run: shell \(never\)\./);
    expect(next).toMatch(/Not stopped, it ran on: shell \(his\) for ben\./);
    expect(next).toMatch(/Do not take any of it up again unasked: .*\]\n\nhello$/);
  });

  test('a late end is a note, never a second result', () => {
    const late: Fact = { type: 'late_result', node: 'his', outcome: 'completed', effect: 'done', output: 'his output' };
    const messages = renderFor([...stopped, late, ...opening('t2', 'hello')], 't2');
    expect(pairingProblems(messages)).toEqual([]);
    expect(messages.filter((one) => one.role === 'tool' && one.callId === 'his')).toHaveLength(1);
    expect(contents(messages, 'user')[1]).toMatch(
      /shell \(his\) has ended since: completed, with this output: "his output"\./,
    );
  });

  test('a call that did not stop is noted as such, until it has ended', () => {
    const deaf = [
      ...opening('t1', 'do it'),
      ...reply('t1', ''),
      toolCallFact('t1', 'deaf'),
      acceptance('t1', ['t1', 'deaf']),
      toolResultFact('t1', 'deaf', { outcome: 'abandoned', effect: 'unknown', output: '' }),
      ending('t1', 'cancelled'),
    ];
    const now = contents(renderFor([...deaf, ...opening('t2', 'hello')], 't2'), 'user')[1];
    expect(now).toMatch(/Told to stop, and still not ended: shell \(deaf\)\./);
    expect(now).not.toMatch(/has ended since/);
    const gone: Fact = { type: 'abandoned_ended', node: 'deaf', output: 'bye' };
    const later = contents(renderFor([...deaf, gone, ...opening('t2', 'hello')], 't2'), 'user')[1];
    expect(later).toMatch(
      /May have had effects: shell \(deaf\)\. shell \(deaf\) has ended since, with this output: "bye"\./,
    );
    expect(later).not.toMatch(/still not ended/);
  });

  test('text that was streamed stays, marked as cut off, and an empty text adds no message [history.partial]', () => {
    const cut = [
      ...opening('t1', 'tell me'),
      ...reply('t1', 'Once upon a \ud83d', 0, true),
      acceptance('t1', ['t1']),
      ending('t1', 'cancelled'),
    ];
    expect(contents(renderFor([...cut, ...opening('t2', 'go on')], 't2'), 'assistant')).toEqual([
      'Once upon a \ufffd… [cut off here]',
    ]);
    const silent = [
      ...opening('t1', 'tell me'),
      ...reply('t1', '', 0, true),
      acceptance('t1', ['t1']),
      ending('t1', 'cancelled'),
    ];
    expect(contents(renderFor([...silent, ...opening('t2', 'go on')], 't2'), 'assistant')).toEqual([]);
  });

  test('by a crash: text up to the last checkpoint, and a note that says so [history.partial]', () => {
    const log: Fact[] = [
      ...opening('t1', 'tell me'),
      { type: 'model_started', turn: 't1', index: 0 },
      { type: 'text_checkpoint', turn: 't1', index: 0, offset: 0, text: 'Once ' },
      { type: 'text_checkpoint', turn: 't1', index: 0, offset: 5, text: 'upon' },
    ];
    const before = contents(renderFor(log, 't1'), 'assistant');
    const whole = [...log, ...recover(dateFacts(log)), ...opening('t2', 'and?')];
    expect(contents(renderFor(whole, 't2'), 'assistant')).toEqual(before);
    expect(before).toEqual(['Once upon… [cut off here]']);
    expect(contents(renderFor(whole, 't2'), 'user')[1]).toMatch(
      /ended early \(failed: The process that ran this ended before it settled\.\)/,
    );
  });
});

describe('facts that an endpoint would reject', () => {
  test('malformed arguments, empty ones and odd names are rendered in an acceptable form', () => {
    const calls = [
      toolCallFact('t1', 'c1', { arguments: '{"path": "a' }),
      toolCallFact('t1', 'c2', { arguments: '' }),
      toolCallFact('t1', 'c3', { arguments: '[1]' }),
      toolCallFact('t1', 'c4', { name: 'functions.read file' }),
      toolCallFact('t1', 'c5', { name: '' }),
    ];
    const messages = renderFor([...opening('t1', 'go'), ...reply('t1', ''), ...calls], 't1');
    expect(pairingProblems(messages)).toEqual([]);
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

  test('a result without an outcome or with an unknown one, and an unknown cause [history.paired]', () => {
    const strange = [
      { outcome: undefined, effect: undefined },
      { outcome: 'paused', effect: 'some' },
    ];
    const log: Fact[] = [
      ...opening('t1', 'go'),
      ...reply('t1', ''),
      toolCallFact('t1', 'c0'),
      toolCallFact('t1', 'c1'),
      acceptance('t1', ['t1'], { source: 'moon' as 'client' }),
      ...strange.map((more, i) => toolResultFact('t1', `c${i}`, more as object)),
      ending('t1', 'cancelled'),
    ];
    const messages = renderFor([...log, ...opening('t2', 'and now?')], 't2');
    expect(pairingProblems(messages)).toEqual([]);
    expect(contents(messages, 'tool').join()).toMatch(/How it ended is not known.*How it ended is not known/);
    expect(contents(messages, 'user').at(-1)).toMatch(/the turn above was stopped, before it was finished/);
  });

  test('the tail of a log that begins in the middle of a turn', () => {
    const tail = [
      toolCallFact('t0', 'c0'),
      toolResultFact('t0', 'c0'),
      ...reply('t0', 'lost', 1),
      ending('t0'),
      ...opening('t1', 'go'),
    ];
    expect(renderFor(tail, 't1').map(({ content }) => content)).toEqual(['Be brief.', 'go']);
  });
});
