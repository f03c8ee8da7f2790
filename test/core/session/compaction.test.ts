// Compaction: a model call in a phase of its own summarizes a long history. A stopped compaction changes nothing.
import { expect, test } from 'vitest';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { SessionSpec } from '../../../src/core/session/session-spec.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsResponse, type Harness, startHarness, textResponse } from '../../support/harness.ts';
import { pairingProblems } from '../../support/message-pairing.ts';

const long = 'x'.repeat(3_000);
const isSummary = ({ messages }: ModelRequest) =>
  messages.at(-1)?.content.includes('Summarize this conversation') ?? false;

async function talk(summary: Script = textResponse('In short: ', 'many x.'), session: Partial<SessionSpec> = {}) {
  const harness = await startHarness({
    session: () => session,
    limits: { compactAboveBytes: 12_000 },
    respond: (request, n) =>
      isSummary(request) ? summary : n % 2 === 0 ? callsResponse(['note', { n }]) : textResponse(long),
  });
  const turns: string[] = [];
  for (let i = 0; i < 4; i++) {
    turns.push(await harness.say(`question ${i}`));
    await harness.clock.advance(1_000);
  }
  return { harness, turns };
}
const lastRequest = (harness: Harness) => harness.provider.requests.at(-1)?.messages ?? [];
const asText = (messages: ModelRequest['messages']) => messages.map(({ content }) => content).join('\n');

test('past its budget the older turns become a summary; newer turns stay whole, and every call keeps its result [history.bounded]', async () => {
  const { harness, turns } = await talk();
  const next = await harness.say('and now?');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('history_compacted')).toMatchObject([
    { turn: next, upTo: turns[2], summary: 'In short: many x.' },
  ]);
  const messages = lastRequest(harness);
  expect(asText(messages)).toContain('what was said before, in short: In short: many x.');
  expect(asText(messages)).not.toContain('question 1');
  expect(asText(messages)).toContain('question 2');
  expect(pairingProblems(messages)).toEqual([]);
  expect(harness.endOf(next)?.outcome).toBe('completed');
  expect(harness.endOf(next)?.usage.output, 'the summary is counted').toBeGreaterThan(0);
});

test('after a restart the same summary is rendered, and a second summary includes it [history.bounded] [store.durable]', async () => {
  const { harness } = await talk();
  await harness.say('and now?');
  await harness.clock.advance(1_000);
  const again = await startHarness({
    log: harness.log,
    life: 2,
    limits: { compactAboveBytes: 9_000 },
    respond: (request) => (isSummary(request) ? textResponse('Shorter still.') : textResponse(long)),
  });
  for (let i = 0; i < 5; i++) {
    await again.say(`later ${i}`);
    await again.clock.advance(1_000);
  }
  const summaries = again.provider.requests.filter(isSummary);
  expect(asText(summaries[0]?.messages ?? [])).toContain('In short: many x.');
  expect(asText(lastRequest(again))).toContain('Shorter still.');
  expect(asText(lastRequest(again))).not.toContain('In short: many x.');
});

test('cancelled, it changes nothing: no summary, the history as it was [history.bounded]', async () => {
  const { harness } = await talk({ steps: [{ text: 'In sh' }, { hang: true }] });
  const next = await harness.say('and now?');
  await harness.clock.advance(100);
  await harness.cancel({ target: next });
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('history_compacted')).toEqual([]);
  expect(harness.endOf(next)?.outcome).toBe('cancelled');
  expect(harness.recorder.texts.map(({ text }) => text).join('')).not.toContain('In sh');
});

test('its commit is shielded: a CANCEL meanwhile is pending, and the summary is whole [cancel.shield] [history.bounded]', async () => {
  const { harness, turns } = await talk();
  const { append } = harness.log;
  let answer: Promise<unknown> | null = null;
  harness.log.append = async (session, epoch, seq, bodies) => {
    if (!answer && bodies.some(({ type }) => type === 'history_compacted')) {
      answer = harness.session.cancel(harness.alice, { target: 'session' });
      await new Promise<void>((done) => void harness.clock.after(50, done));
    }
    return append.call(harness.log, session, epoch, seq, bodies);
  };
  const next = await harness.say('and now?');
  await harness.clock.advance(2_000);
  expect(await answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [], pending: [next] } });
  expect(harness.recorder.of('history_compacted')).toMatchObject([{ upTo: turns[2] }]);
  expect(harness.endOf(next)?.outcome).toBe('cancelled');
});

test('a summary that is too long is cut where a character ends [history.bounded]', async () => {
  const harness = await startHarness({
    limits: { compactAboveBytes: 9_000, summaryChars: 11 },
    respond: (request) => textResponse(isSummary(request) ? '0123456789\u{1f600} and on' : long),
  });
  for (let i = 0; i < 4; i++) {
    await harness.say(`question ${i}`);
    await harness.clock.advance(1_000);
  }
  expect(harness.recorder.of('history_compacted')).toMatchObject([{ summary: '0123456789' }]);
});

test('after a failed summary the history is unchanged, and the turn goes on [history.bounded]', async () => {
  const { harness } = await talk({ steps: [{ fail: 'model_unavailable' }] });
  const next = await harness.say('and now?');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('history_compacted')).toEqual([]);
  expect(harness.endOf(next)?.outcome).toBe('completed');
  expect(asText(lastRequest(harness))).toContain('question 0');
});

test('its request has the turns to summarize, in order, and no turn that stays [history.bounded]', async () => {
  const { harness, turns } = await talk();
  await harness.say('and now?');
  await harness.clock.advance(1_000);
  const asked = harness.provider.requests.find(isSummary)?.messages ?? [];
  const questions = [...asText(asked).matchAll(/question \d|and now/g)].map(([question]) => question);
  expect(questions).toEqual(['question 0', 'question 1']);
  expect(harness.recorder.of('history_compacted')).toMatchObject([{ upTo: turns[2], covers: turns.slice(0, 2) }]);
  const speakers = asked.map(({ role }) => role);
  expect(speakers.filter((role, i) => role === 'user' && speakers[i - 1] === 'user')).toEqual([]);
});

test('its request says of a stopped turn that it was stopped [history.bounded] [history.words]', async () => {
  const harness = await startHarness({
    limits: { compactAboveBytes: 9_000 },
    respond: (request) => (isSummary(request) ? textResponse('In short.') : textResponse(long)),
  });
  // the last turn to summarize is the stopped one
  for (let i = 0; i < 4; i++) {
    const turn = await harness.say(`question ${i}`);
    if (i === 1) await harness.cancel({ target: turn, reason: 'changed my mind' });
    await harness.clock.advance(1_000);
  }
  await harness.say('and now?');
  await harness.clock.advance(1_000);
  expect(harness.recorder.of('history_compacted')).toMatchObject([{ covers: { length: 2 } }]);
  const asked = harness.provider.requests.find(isSummary)?.messages ?? [];
  expect(asText(asked)).toMatch(/changed my mind/);
});

test('a turn that was open meanwhile is rendered in full after it has settled, however many turns followed it [history.bounded]', async () => {
  const harness = await startHarness({
    limits: { compactAboveBytes: 12_000 },
    respond: (request) => {
      if (isSummary(request)) return textResponse('In short.');
      const isHis = request.messages.at(-1)?.content.endsWith('remember 4711');
      return isHis ? { steps: [{ waitMs: 6_500 }, { text: 'I will.' }] } : textResponse('x'.repeat(5_000));
    },
  });
  const bob = callerOf('bob');
  await harness.session.join(bob, createRecorder(harness.clock.now).listener, 0);
  const his = await harness.say('remember 4711', bob);
  for (let i = 0; i < 5; i++) {
    await harness.say(`alice ${i}`);
    await harness.clock.advance(1_000);
  }
  expect(harness.recorder.of('history_compacted').length).toBeGreaterThan(0);
  expect(harness.endOf(his)).toBeUndefined();
  expect(
    harness.provider.requests
      .filter(isSummary)
      .map(({ messages }) => asText(messages))
      .join(),
  ).not.toContain('4711');
  await harness.clock.advance(6_000);
  await harness.say('what did I say?', bob);
  await harness.clock.advance(1_000);
  const rendered = asText(lastRequest(harness));
  expect(rendered).toContain('remember 4711');
  expect(rendered).toContain('I will.');
});

test('of two lanes that compact at once one summary is kept, and no turn is lost [history.bounded]', async () => {
  const harness = await startHarness({
    limits: { compactAboveBytes: 12_000 },
    respond: (request) => (isSummary(request) ? textResponse('In short.') : textResponse('x'.repeat(5_000))),
  });
  const bob = callerOf('bob');
  await harness.session.join(bob, createRecorder(harness.clock.now).listener, 0);
  for (let i = 0; i < 3; i++) {
    await harness.say(`alice ${i}`);
    await harness.clock.advance(1_000);
  }
  const before = harness.recorder.of('history_compacted').length;
  await harness.say('alice now');
  await harness.say('bob now', bob);
  await harness.clock.advance(2_000);
  expect(harness.provider.requests.filter(isSummary).length).toBeGreaterThanOrEqual(before + 2);
  expect(harness.recorder.of('history_compacted')).toHaveLength(before + 1);
  const covered = harness.recorder.of('history_compacted').flatMap(({ covers }) => covers);
  expect(new Set(covered).size).toBe(covered.length);
});

test('with turns of almost its budget no request exceeds it, whatever the model writes as a summary [history.bounded]', async () => {
  const harness = await startHarness({
    limits: { compactAboveBytes: 5_000 },
    respond: (request) => textResponse(isSummary(request) ? 'y'.repeat(9_000) : 'x'.repeat(4_000)),
  });
  for (let i = 0; i < 8; i++) {
    await harness.say(`question ${i}`);
    await harness.clock.advance(1_000);
  }
  const requests = harness.provider.requests.filter((request) => !isSummary(request));
  const longest = requests.map(({ messages }) => Buffer.byteLength(asText(messages.slice(1))));
  expect(Math.max(...longest)).toBeLessThanOrEqual(5_000);
});

test('in a turn that is shielded as a whole the summary is written, and the turn stays shielded [cancel.shield] [history.bounded]', async () => {
  const { harness } = await talk(undefined, { interruptible: false });
  const next = await harness.say('and now?');
  await harness.clock.advance(25);
  expect(harness.recorder.of('history_compacted')).toHaveLength(1);
  await harness.cancel({ target: next });
  expect(harness.recorder.of('cancel_accepted')).toMatchObject([{ stopping: [], pending: [next] }]);
  await harness.clock.advance(5_000);
  expect(harness.endOf(next)?.outcome).toBe('completed');
});
