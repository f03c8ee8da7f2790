// Rendering: every prefix of a log gives messages that a strict provider accepts, and they say what happened.
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import type { Message } from '../../../machines/messages.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { render } from '../../../src/core/transcript/render.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { fc } from '../../support/property.ts';
import {
  contents,
  dateFacts,
  ending,
  opening,
  renderFor,
  reply,
  toolCallFact,
  toolResultFact,
  turnsIn,
} from './facts-of-turns.ts';
import { plausibleLogs } from './plausible.ts';

describe('at every prefix of a log', () => {
  test('every call has exactly one result right after it, in the request of every turn [history.paired]', () => {
    fc.assert(
      fc.property(plausibleLogs, (log) => {
        for (let length = 0; length <= log.length; length++) {
          const prefix = log.slice(0, length);
          for (const turn of turnsIn(prefix))
            expect(pairingProblems(render(prefix, { turn, instructions: 'x' }))).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a request after the recovery has every result that one before it had [history.paired]', () => {
    fc.assert(
      fc.property(plausibleLogs, fc.nat(), (log, cut) => {
        const prefix = log.slice(0, cut % (log.length + 1));
        const whole = [...prefix, ...dateFacts(recover(prefix)), ...dateFacts(opening('next', 'and now?'))];
        const messages = render(whole, { turn: 'next', instructions: '' });
        expect(pairingProblems(messages)).toEqual([]);
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
        plausibleLogs,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 2_000 }),
        (log, contextTurns, contextBytes) => {
          const whole = [...log, ...dateFacts(recover(log)), ...dateFacts(opening('next', 'and now?'))];
          const messages = render(whole, { turn: 'next', instructions: '', contextTurns, contextBytes });
          expect(pairingProblems(messages)).toEqual([]);
          expect(contents(messages, 'user').at(-1)).toMatch(/and now\?$/);
          // words that were said to a turn while it ran are a message of their own within it
          const told = log.filter((fact) => fact.type === 'input_settled' && fact.fate === 'consumed').length;
          expect(contents(messages, 'user').length).toBeLessThanOrEqual(contextTurns + told);
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
    ...opening('t1', 'look'),
    ...reply('t1', 'I look.'),
    toolCallFact('t1', 'c1'),
    toolCallFact('t1', 'c2'),
    toolResultFact('t1', 'c2'),
    toolResultFact('t1', 'c1'),
    ...reply('t1', 'Done.', 1),
    ending('t1'),
  ];

  test('is rendered turn by turn, each model call as one message, results in call order [history.paired]', () => {
    const messages: readonly Message[] = renderFor([...first, ...opening('t2', 'thanks')], 't2');
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: 'I look.',
        calls: [
          { callId: 'c1', givenId: 'call_0', name: 'shell', arguments: '{}' },
          { callId: 'c2', givenId: 'call_0', name: 'shell', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'c1', content: 'output of c1' },
      { role: 'tool', callId: 'c2', content: 'output of c2' },
      { role: 'assistant', content: 'Done.', calls: [] },
      { role: 'user', content: 'thanks' },
    ]);
  });

  test('names the speakers where there is more than one', () => {
    expect(contents(renderFor([...first, ...opening('t2', 'thanks', 'ben')], 't2'), 'user')).toEqual([
      'ann: look',
      'ben: thanks',
    ]);
    expect(
      contents(renderFor([...first, ...opening('t2', 'thanks', 'ben')], 't2', { contextTurns: 1 }), 'user'),
    ).toEqual(['thanks']);
  });

  test('a turn that is still open is a note, never calls', () => {
    const other = [
      ...opening('t2', 'and this?', 'ben'),
      ...reply('t2', 'I try.'),
      toolCallFact('t2', 'c3', { owner: 'ben' }),
    ];
    const messages = renderFor([...first, ...other, ...opening('t3', 'well?')], 't3');
    expect(JSON.stringify(messages)).not.toMatch(/c3|I try/);
    expect(contents(messages, 'user').at(-1)).toMatch(/^\[Note .*ben has said "and this\?".*\]\n\nwell\?$/);
  });

  test('an agent reads its own task and nothing else, its parent reads only the result', () => {
    const facts: Fact[] = [
      ...first,
      ...opening('t2', 'find it'),
      ...reply('t2', ''),
      toolCallFact('t2', 'a1', { kind: 'sub-agent', name: 'spawn_agent' }),
      { type: 'turn_started', turn: 't3', owner: 'ann', parent: 'a1', text: 'search', agent: 'scout' },
      ...reply('t3', 'secret thought'),
      toolCallFact('t3', 'c4'),
    ];
    expect(renderFor([...facts, toolResultFact('t3', 'c4')], 't3')).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'search' },
      {
        role: 'assistant',
        content: 'secret thought',
        calls: [{ callId: 'c4', givenId: 'call_0', name: 'shell', arguments: '{}' }],
      },
      { role: 'tool', callId: 'c4', content: 'output of c4' },
    ]);
    const parent = renderFor(
      [...facts, toolResultFact('t3', 'c4'), ending('t3'), toolResultFact('t2', 'a1', { output: 'found' })],
      't2',
    );
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
      ...reply('bg', 'Found it.'),
    ];
    expect(contents(renderFor([...first, ...agent], 'bg'), 'user')).toEqual(['search']);
    const meanwhile = renderFor([...first, ...agent, ...opening('t2', 'hi')], 't2');
    expect(contents(meanwhile, 'user').at(-1)).toMatch(
      /^\[Note .*agent scout is working in the background for ann on "search"\]\n\nhi$/,
    );
    const after = renderFor([...first, ...agent, ending('bg'), ...opening('t2', 'hi')], 't2');
    expect(after.slice(-3).map(({ content }) => content)).toEqual([
      expect.stringMatching(/^\[Note .*agent scout .* on: "search"\]$/),
      'Found it.',
      'hi',
    ]);
  });

  test('throws for a turn that the transcript does not have', () => {
    expect(() => renderFor(first, 't9')).toThrow('t9');
  });
});
