// A long history is shortened by a model call of its own phase; stopped, it changes nothing.
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../src/model/provider.ts';
import type { Script } from '../../src/model/scripted.ts';
import { pairedProblems } from '../support/paired.ts';
import { asks, createWorld, says, type World } from '../support/world.ts';

const long = 'x'.repeat(3_000);
const isSummary = ({ messages }: ModelRequest) =>
  messages.at(-1)?.content.startsWith('Summarize this conversation') ?? false;

async function talk(summary: Script = says('In short: ', 'many x.')) {
  const world = await createWorld({
    limits: { compactAboveBytes: 12_000 },
    respond: (request, n) => (isSummary(request) ? summary : n % 2 === 0 ? asks(['note', { n }]) : says(long)),
  });
  const turns: string[] = [];
  for (let i = 0; i < 4; i++) {
    turns.push(await world.say(`question ${i}`));
    await world.clock.advance(1_000);
  }
  return { world, turns };
}
const lastRequest = (world: World) => world.provider.requests.at(-1)?.messages ?? [];
const asText = (messages: ModelRequest['messages']) => messages.map(({ content }) => content).join('\n');

test('past its budget the older turns become a summary, whole turns stay, and every call keeps its result [history.bounded]', async () => {
  const { world, turns } = await talk();
  const next = await world.say('and now?');
  await world.clock.advance(1_000);
  expect(world.heard.of('history_compacted')).toMatchObject([
    { turn: next, upTo: turns[2], summary: 'In short: many x.' },
  ]);
  const messages = lastRequest(world);
  expect(asText(messages)).toContain('what was said before, in short: In short: many x.');
  expect(asText(messages)).not.toContain('question 1');
  expect(asText(messages)).toContain('question 2');
  expect(pairedProblems(messages)).toEqual([]);
  expect(world.end(next)?.outcome).toBe('completed');
  expect(world.end(next)?.usage.output, 'the summary is counted').toBeGreaterThan(0);
});

test('the next life renders the same summary, and a second one goes on from it [history.bounded] [store.durable]', async () => {
  const { world } = await talk();
  await world.say('and now?');
  await world.clock.advance(1_000);
  const again = await createWorld({
    log: world.log,
    life: 2,
    limits: { compactAboveBytes: 9_000 },
    respond: (request) => (isSummary(request) ? says('Shorter still.') : says(long)),
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
  const { world } = await talk({ steps: [{ text: 'In sh' }, { hang: true }] });
  const next = await world.say('and now?');
  await world.clock.advance(100);
  await world.cancel({ target: next });
  await world.clock.advance(1_000);
  expect(world.heard.of('history_compacted')).toEqual([]);
  expect(world.end(next)?.outcome).toBe('cancelled');
  expect(world.heard.texts.map(({ text }) => text).join('')).not.toContain('In sh');
});

test('its commit is shielded: a cancel meanwhile is pending, and the summary is whole [cancel.shield] [history.bounded]', async () => {
  const { world, turns } = await talk();
  const { append } = world.log;
  let answer: Promise<unknown> | null = null;
  world.log.append = async (session, epoch, seq, bodies) => {
    if (!answer && bodies.some(({ type }) => type === 'history_compacted')) {
      answer = world.session.cancel(world.alice, { target: 'session' });
      await new Promise<void>((done) => void world.clock.after(50, done));
    }
    return append.call(world.log, session, epoch, seq, bodies);
  };
  const next = await world.say('and now?');
  await world.clock.advance(2_000);
  expect(await answer).toMatchObject({ type: 'cancel_accepted', receipt: { stopping: [], pending: [next] } });
  expect(world.heard.of('history_compacted')).toMatchObject([{ upTo: turns[2] }]);
  expect(world.end(next)?.outcome).toBe('cancelled');
});

test('one that fails leaves the history as it is, and the turn goes on [history.bounded]', async () => {
  const { world } = await talk({ steps: [{ fail: 'model_unavailable' }] });
  const next = await world.say('and now?');
  await world.clock.advance(1_000);
  expect(world.heard.of('history_compacted')).toEqual([]);
  expect(world.end(next)?.outcome).toBe('completed');
  expect(asText(lastRequest(world))).toContain('question 0');
});
