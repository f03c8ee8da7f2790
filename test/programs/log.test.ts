// The log of a gateway: its schema, exactly one line for each thing, and no word or secret of a conversation in any of them.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { type LogLine, logEvents } from '../../src/core/reports/log-lines.ts';
import { describeError } from '../../src/core/text/error-text.ts';
import { createLogObserver } from '../../src/programs/log-observer.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf, callsOnce, callsResponse, startHarness, toolOf } from '../support/harness.ts';

const page = readFileSync(new URL('../../docs/log.md', import.meta.url), 'utf8');

/** An observer that keeps the lines of the log. */
function keepLines() {
  const lines: LogLine[] = [];
  const observer = createLogObserver((line) => lines.push(line));
  const of = (event: LogLine['event']) => lines.filter((line) => line.event === event);
  return { lines, observer, of };
}

/** Every line has a known event, its level, and no other fields. */
function expectSchema(lines: readonly LogLine[]): void {
  for (const { event, level, fields } of lines) {
    expect(level).toBe(logEvents[event].level);
    const known: readonly string[] = logEvents[event].fields;
    expect(
      Object.keys(fields).filter((field) => !known.includes(field)),
      event,
    ).toEqual([]);
  }
}

test('the page of the log says what the code can write', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm)].map(([, event, level, fields = '']) => [
    event,
    { level, fields: [...fields.matchAll(/`(\w+)`/g)].map(([, field]) => field) },
  ]);
  expect(Object.fromEntries(rows)).toEqual(logEvents);
});

test('a call that is abandoned after the end of its turn has its line and its warning, too [ops.log]', async () => {
  const { observer, of } = keepLines();
  const config = {
    session: () => ({ policy: 'owner' as const }),
    ownerOfCall: () => 'bob',
    respond: callsOnce(['ignores_signal', { ms: 60_000 }]),
  };
  for (const observers of [[], [observer]]) {
    const harness = await startHarness({ ...config, observers });
    await harness.session.join(callerOf('bob'), createRecorder().listener, null);
    const turn = await harness.say('work');
    await harness.clock.advance(100);
    await harness.cancel({ target: turn });
    await harness.clock.advance(100);
    const node = harness.callNamed('ignores_signal');
    await harness.cancel({ target: node }, callerOf('bob'));
    await harness.clock.advance(10_000);
    expect(harness.recorder.of('late_result')).toMatchObject([{ node, outcome: 'abandoned' }]);
    if (observers.length === 0) expect(harness.warnings).toContain(`${node} did not stop in time.`);
    else expect(of('abandoned')).toMatchObject([{ fields: { session: 's', turn, node, name: 'ignores_signal' } }]);
  }
});

test('each join, turn end, cancel, stop, refusal and abandoned call has one line, also over repeats [ops.log] [ops.metrics.lines]', async () => {
  const { lines, observer, of } = keepLines();
  const harness = await startHarness({
    observers: [observer],
    session: () => ({ policy: 'owner' }),
    respond: ({ messages }) =>
      messages.at(-1)?.content === 'work'
        ? callsResponse(['wait', { ms: 60_000 }], ['ignores_signal', { ms: 60_000 }])
        : { steps: [{ fail: 'model_unreachable' }] },
  });
  const bob = callerOf('bob');
  const { clock } = harness;
  const turn = await harness.say('work');
  await clock.advance(100);
  await harness.cancel({ target: turn, ref: 'c0' }, bob);
  for (const ref of ['c1', 'c1', 'c2']) await harness.cancel({ target: turn, ref, reason: 'secret words' });
  await clock.advance(10_000);
  await harness.say('fail');
  await clock.advance(100_000);
  const counted = Object.fromEntries(
    Object.keys(logEvents).map((event) => [event, of(event as LogLine['event']).length]),
  ); // its own keys
  expect(counted).toMatchObject({ join: 1, turn_end: 2, cancel: 1, stop: 3, cancel_end: 1, refusal: 1 });
  expect(counted).toMatchObject({ model_failure: 1, abandoned: 1, abandoned_end: 1, warning: 0, recovery: 0 });
  expect(of('abandoned')[0]?.fields).toMatchObject({ session: 's', turn, name: 'ignores_signal' });
  expect(of('refusal')[0]?.fields).toMatchObject({ speaker: 'bob', action: 'cancel', code: 'not_owner', target: turn });
  expect(of('turn_end')[0]?.fields).toMatchObject({ kind: 'say', owner: 'alice', outcome: 'cancelled' });
  expect(of('turn_end')[0]?.fields['ms']).toEqual(expect.any(Number));
  expect(
    harness.warnings.filter((warning) => /in time/.test(warning)),
    'the log says it',
  ).toEqual([]);
  expectSchema(lines);
  expect(JSON.stringify(lines)).not.toContain('secret words');
});

test('the line of a node of a receipt has each of its fields [ops.log]', async () => {
  const { observer, of } = keepLines();
  const breaks = toolOf(
    'breaks',
    (_, { signal }) =>
      new Promise((resolve) => {
        const end = { kind: 'failed', code: 'command_failed', output: '', forced: true } as const;
        signal.addEventListener('abort', () => resolve(end));
      }),
  );
  const harness = await startHarness({ observers: [observer], tools: [breaks], respond: callsOnce(['breaks']) });
  const turn = await harness.say('work');
  await harness.clock.advance(100);
  await harness.cancel({ target: turn });
  await harness.clock.advance(10_000);
  const nodes = harness
    .settledReceipts()
    .flatMap((receipt) =>
      receipt.nodes.map(({ times: _, ...node }) => ({ session: 's', cancel: receipt.cancel, ...node })),
    );
  expect(nodes).toMatchObject([{ node: turn }, { code: 'command_failed', forced: true }]);
  const run = { name: 'breaks', ranMs: 100 };
  expect(of('stop').map(({ fields }) => fields)).toEqual(
    nodes.map((node) => (node.node === turn ? node : { ...node, ...run })),
  );
  expect(of('stop')[1]?.message).toMatch(/^breaks call_\S+: /);
});

test('a tool that exceeds its timeout has a warning with its name, its timeout and how long it had run [ops.log]', async () => {
  const { lines, observer, of } = keepLines();
  const slow = toolOf('slow', () => new Promise(() => {}), { timeoutMs: 2_000 });
  const harness = await startHarness({ observers: [observer], tools: [slow], respond: callsOnce(['slow']) });
  const turn = await harness.say('work');
  await harness.clock.advance(10_000);
  const node = harness.callNamed('slow');
  expect(of('tool_timeout')).toMatchObject([
    { level: 'warn', fields: { session: 's', turn, node, name: 'slow', timeoutMs: 2_000, ranMs: 2_000 } },
  ]);
  expect(of('tool_timeout')[0]?.message).toContain('slow');
  expectSchema(lines);
});

test('lines and facts agree to the last count, over a crash [ops.log]', async () => {
  const first = keepLines();
  const before = await startHarness({ observers: [first.observer], respond: callsOnce(['wait', { ms: 60_000 }]) });
  await before.say('words');
  await before.clock.advance(100);
  const log = createMemoryLog();
  const events = await before.log.read('s', 0);
  const epoch = await log.claim('s', 0, 'dead');
  await log.append(
    's',
    epoch,
    0,
    events.map(({ body }) => body),
  );
  const { lines, observer, of } = keepLines();
  const after = await startHarness({ log, life: 2, observers: [observer] });
  expect(of('recovery').map(({ fields, message }) => [fields, message])).toEqual([
    [{ sessions: 1, turns: 1, processes: 0 }, 'recovered 1 session, closed 1 turn, ended 0 processes'],
  ]);
  const facts = (await after.log.read('s', 0)).map(({ body }) => body as RecordedFact); // of this journal
  const ended = facts.filter(({ type }) => type === 'turn_ended');
  expect([...first.of('turn_end'), ...of('turn_end')]).toHaveLength(ended.length);
  expectSchema(lines);
});

test('of an error a line has its name, code and places, never its message', () => {
  const error = Object.assign(new TypeError('the secret word\n    at hidden (secret word)'), { code: 'EACCES' });
  const fields = describeError(error);
  expect(fields).toMatchObject({ error: 'TypeError', code: 'EACCES', stack: expect.stringContaining('log.test.ts:') });
  for (const thrown of [
    error,
    'the secret word',
    { name: 'the secret word', stack: 'the secret word' },
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('x');
        },
      },
    ),
  ])
    expect(JSON.stringify(describeError(thrown))).not.toContain('secret');
});
