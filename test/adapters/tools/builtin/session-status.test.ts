// Tool `session_status`, through a whole runtime: the calls of the turn, the counts of the session, what is alive.
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../../machines/facts.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { LiveTree } from '../../../../src/core/live/tree.ts';
import { StatusReader } from '../../../../src/core/session/turn-status.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import { History } from '../../../../src/core/transcript/history.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { callsResponse, startHarness, textResponse } from '../../../support/harness.ts';
import { call, named } from './folder.ts';

const tools = builtinTools();
const status = named(tools, 'session_status');

testToolContract('session_status', () => ({ tool: status, good: {}, bad: [] }));

describe('session_status', () => {
  test('returns the calls so far, the timeouts, the running nodes, and the delay of the host [tool.status]', async () => {
    const harness = await startHarness({
      tools: [...tools],
      toolTimeouts: { ignores_signal: 0, wait: 700 },
      agents: { helper: { description: 'helps', instructions: 'Help.' } },
      respond: ({ messages }, n) => {
        if (messages.some(({ content }) => content.endsWith('long work'))) return { steps: [{ hang: true }] };
        if (n === 0)
          return callsResponse(
            ['note'],
            ['wait', { ms: 9_000 }],
            ['spawn_agent', { task: 'long work', detached: true }],
          );
        return messages.at(-1)?.content.includes('late on average')
          ? textResponse('done')
          : callsResponse(['session_status']);
      },
    });
    await harness.say('words');
    await harness.clock.advance(5_000);
    const result = harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('session_status'));
    const lines = (result?.output ?? '').split('\n');
    expect(lines).toEqual([
      'calls of this turn so far: 3',
      expect.stringMatching(new RegExp(`^  ${harness.callNamed('note')} note completed \\d+ ms$`)),
      expect.stringMatching(new RegExp(`^  ${harness.callNamed('wait')} wait timed_out \\d+ ms$`)),
      expect.stringMatching(/^ {2}\S+ spawn_agent completed/),
      'model calls of this turn: 2',
      'timeouts of this turn: 1',
      expect.stringMatching(/^calls of the session so far: \d+$/),
      expect.stringMatching(/^model calls of the session: \d+$/),
      'timeouts of the session: 1 (wait 1)',
      'alive in the session: 2',
      expect.stringMatching(/^ {2}turn_\d+ running \d+ ms$/),
      expect.stringMatching(/^ {2}turn_\d+ helper running \d+ ms$/),
      'speakers here: alice',
      expect.stringMatching(/^event loop: \d+ ms late on average, \d+ ms at worst$/),
    ]);
    expect(result?.effect).toBe('none');
  });

  test('lists abandoned nodes apart from running ones, and none that have ended [tool.status]', async () => {
    const harness = await startHarness({
      tools: [...tools],
      toolTimeouts: { ignores_signal: 500 },
      respond: ({ messages }, n) =>
        n === 0
          ? callsResponse(['ignores_signal', { ms: 60_000 }])
          : messages.at(-1)?.content.includes('late on average')
            ? textResponse('done')
            : callsResponse(['session_status']),
    });
    await harness.say('words');
    await harness.clock.advance(5_000);
    const result = harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('session_status'));
    const lines = (result?.output ?? '').split('\n');
    expect(lines.slice(1, 10)).toEqual([
      `  ${harness.callNamed('ignores_signal')} ignores_signal abandoned`,
      'model calls of this turn: 2',
      'timeouts of this turn: 1',
      'calls of the session so far: 1',
      'model calls of the session: 2',
      'timeouts of the session: 1 (ignores_signal 1)',
      'alive in the session: 1',
      expect.stringMatching(/^ {2}turn_\d+ running 2\.\d s$/),
      'abandoned, perhaps still at work: 1',
    ]);
    expect(lines[10]).toMatch(new RegExp(`^ {2}${harness.callNamed('ignores_signal')} ignores_signal 2\\.\\d s$`));
  });

  test('counts the calls, model calls and timeouts of the earlier turns of the session, too [tool.status]', async () => {
    const harness = await startHarness({
      tools: [...tools],
      toolTimeouts: { wait: 700, keyed: 700 },
      respond: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return textResponse('done');
        return last?.content.endsWith('work')
          ? callsResponse(['note'], ['keyed', { ms: 9_000 }], ['wait', { ms: 9_000 }], ['wait', { ms: 9_001 }])
          : callsResponse(['session_status']);
      },
    });
    await harness.say('work');
    await harness.clock.advance(5_000);
    await harness.say('how is it?');
    await harness.clock.advance(5_000);
    const result = harness.recorder.of('tool_result').find(({ node }) => node === harness.callNamed('session_status'));
    expect((result?.output ?? '').split('\n').slice(0, 6)).toEqual([
      'calls of this turn so far: 0',
      'model calls of this turn: 1',
      'timeouts of this turn: 0',
      'calls of the session so far: 4',
      'model calls of the session: 3',
      'timeouts of the session: 3 (wait 2, keyed 1)',
    ]);
  });

  test('says how many earlier turns it does not count', async () => {
    const history = new History({ contextTurns: 2 });
    const turnFacts = (turn: string): readonly Fact[] => [
      { type: 'turn_opened', turn, kind: 'say', owner: 'ada', lane: 'ada', text: 'words', ref: null },
      { type: 'model_started', turn, index: 0 },
      {
        type: 'turn_ended',
        turn,
        outcome: 'completed',
        effect: 'none',
        usage: { kind: 'unknown', input: null, output: null },
      },
    ];
    const facts = Array.from({ length: 10 }, (_, i) => turnFacts(`turn_${i}`)).flat();
    history.add(facts.map((fact, seq) => ({ seq, fact: { ...fact, at: 0 } })));
    const presence = { speakers: () => ['ada'] };
    const reader = new StatusReader(history, new LiveTree(), presence, systemSources.clock);
    const end = await call(status, {}, { status: () => reader.statusOf('turn_9') });
    expect(end.output).toContain(
      '\nmodel calls of the session: 2\ntimeouts of the session: 0\n  [8 earlier turns are not counted]\n',
    );
  });

  test('of very many calls the newest are listed', async () => {
    const calls = Array.from({ length: 80 }, (_, i) => ({
      call: `call_${i}`,
      name: 'note',
      state: 'completed',
      ms: 5,
    }));
    const health = { lagMs: 1, worstLagMs: 2 };
    const session = { calls: 80, modelCalls: 1, timeouts: 0, timedOut: [], omittedTurns: 0 };
    const end = await call(
      status,
      {},
      {
        status: () => ({
          calls,
          modelCalls: 1,
          timeouts: 0,
          running: [],
          abandoned: [],
          speakers: ['ada'],
          health,
          session,
        }),
      },
    );
    expect(end.output).toContain('so far: 80\n  [30 earlier ones are omitted]\n  call_30 note completed 5 ms\n');
  });
});
