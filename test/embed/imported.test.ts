// A session that begins with a conversation that was held elsewhere: the model reads it, and nothing else counts it.
import { expect, test } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { BroughtMessage } from '../../src/core/transcript/imported.ts';
import type { StoredSessions } from '../../src/embed/stored-sessions.ts';
import { asks, open, says } from './open.ts';

/** Returns the facts of a stored session. */
async function factsOf(sessions: StoredSessions, id: string): Promise<readonly RecordedFact[]> {
  const facts: RecordedFact[] = [];
  for await (const { fact } of sessions.export(id)) facts.push(fact);
  return facts;
}

const text = (words: string) => [{ type: 'text', text: words } as const];
const brought: readonly BroughtMessage[] = [
  { role: 'user', content: text('what is in the box?') },
  { role: 'assistant', content: text('I look.'), calls: [{ name: 'watch', arguments: '{}' }] },
  { role: 'tool', content: text('a cat') },
  { role: 'assistant', content: text('A cat.') },
  { role: 'user', content: text('thanks') },
];
const ann = { speaker: { id: 'ann', roles: ['member'] }, connection: 'c', door: 'openai' } as const;

test('the model reads it: user and assistant in turn, calls and results as words [doors.imported]', async () => {
  const { runtime, clock, provider } = await open(() => says('fine'));
  await runtime.open('own', ann);
  expect(await runtime.importMessages('own', ann, { messages: brought })).toEqual({ type: 'imported', messages: 3 });
  const session = await runtime.session('own');
  const turn = session.as('ann').say('and now?');
  await clock.advance(0);
  expect(await turn.reply()).toBe('fine');
  const messages = provider.requests[0]?.messages.filter(({ role }) => role !== 'system');
  expect(messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  const contents = messages?.map(({ content }) => content);
  expect(contents?.[0]).toBe('what is in the box?');
  expect(contents?.[1]).toBe(
    'I look.\n\n[A call that the client says was made elsewhere: watch({})]\n\n[A result that the client says came from elsewhere: a cat]\n\nA cat.',
  );
  expect(contents?.[2]).toBe('thanks\n\nand now?');
  expect(messages?.some((message) => message.role === 'assistant' && message.calls.length > 0)).toBe(false);
});

test('it is one fact, which names its speaker and its door, and counts after a restart [doors.imported]', async () => {
  const log = createMemoryLog();
  const first = await open(() => says('fine'), { log });
  await first.runtime.open('own', ann);
  await first.runtime.importMessages('own', ann, { messages: brought });
  const facts = (await factsOf(first.runtime.sessions, 'own')).map((fact) => fact);
  expect(facts.map(({ type }) => type)).toEqual(['session_opened', 'imported']);
  expect(facts[1]).toMatchObject({ by: 'ann', door: 'openai' });
  await first.close();
  const second = await open(() => says('fine'), { log });
  (await second.runtime.session('own')).as('ann').say('and now?');
  await second.clock.advance(0);
  expect(JSON.stringify(second.provider.requests[0]?.messages)).toContain('what is in the box?');
});

test('only an empty session of that speaker begins so, once, and within the limits [doors.imported]', async () => {
  const { runtime, clock, session } = await open(() => says('fine'));
  const refused = (code: string) => ({ type: 'import_refused', code });
  await runtime.open('own', ann);
  const bob = { speaker: { id: 'bob', roles: ['member'] }, connection: 'd' } as const;
  expect(await runtime.importMessages('own', bob, { messages: brought })).toEqual(refused('session_not_empty'));
  const many = Array.from({ length: 1_001 }, () => ({ role: 'user', content: text('x') }) as const);
  expect(await runtime.importMessages('own', ann, { messages: many })).toMatchObject({
    ...refused('import_too_large'),
    limit: 1_000,
  });
  const long = [{ role: 'user', content: text('x'.repeat(262_145)) }] as const;
  expect(await runtime.importMessages('own', ann, { messages: long })).toMatchObject({
    ...refused('import_too_large'),
    limit: 262_144,
  });
  const image = { type: 'image', blob: 'sha256-none', mediaType: 'image/png', bytes: 3 } as const;
  expect(await runtime.importMessages('own', ann, { messages: [{ role: 'user', content: [image] }] })).toEqual(
    refused('unknown_blob'),
  );
  await runtime.importMessages('own', ann, { messages: brought });
  expect(await runtime.importMessages('own', ann, { messages: brought })).toEqual(refused('session_not_empty'));
  session.as('ann').say('hello');
  await clock.advance(0);
  expect(await runtime.importMessages('s', ann, { messages: brought })).toEqual(refused('session_not_empty'));
});

test('images of it reach the model, and stay stored after a restart [doors.imported]', async () => {
  const log = createMemoryLog();
  const first = await open(() => says('fine'), { log });
  await first.runtime.open('own', ann);
  const data = new Uint8Array([1, 2, 3]);
  const [blob = ''] = await first.runtime.storeBlobs('own', [data]);
  const image = { type: 'image', blob, mediaType: 'image/png', bytes: 3 } as const;
  await first.runtime.importMessages('own', ann, { messages: [{ role: 'user', content: [...text('see'), image] }] });
  await first.close();
  const second = await open(() => says('fine'), { log });
  (await second.runtime.session('own')).as('ann').say('what is it?');
  await second.clock.advance(0);
  expect(JSON.stringify(second.provider.requests[0]?.messages)).toContain(blob);
  expect(await second.runtime.readBlob('own', blob)).toEqual(data);
});

test('nothing in it can be resumed or stopped, and a call like one of it is not held as a repeat [doors.imported]', async () => {
  const { runtime, clock, recorder } = await open((said) => (said === 'look' ? asks('watch') : says('fine')));
  await runtime.open('own', ann);
  await runtime.importMessages('own', ann, { messages: brought });
  expect(await runtime.resume('own', ann, { turn: 'imported:0' })).toMatchObject({ code: 'unknown_turn' });
  expect(await runtime.cancel('own', ann, { target: 'imported:0' })).toMatchObject({ type: 'unknown_target' });
  const turn = (await runtime.session('own')).as('ann').say('look');
  await clock.advance(0);
  expect(recorder).toBeDefined();
  const nodes = await runtime.nodes('own');
  expect(nodes.map(({ state }) => state)).not.toContain('approving');
  expect(await (await runtime.directory()).questions(ann)).toEqual({ questions: [], missing: [] });
  turn.cancel();
  await clock.advance(0);
});

test('a fork has it, and a speaker who is deleted takes it along [doors.imported]', async () => {
  const { runtime, clock, provider } = await open(() => says('fine'));
  await runtime.open('own', ann);
  await runtime.importMessages('own', ann, { messages: brought });
  const turn = (await runtime.session('own')).as('ann').say('and now?');
  await clock.advance(0);
  const forking = runtime.sessions.fork('own', { turn: await turn.opened, to: 'copy' });
  await clock.advance(0);
  await forking;
  (await runtime.session('copy')).as('bob').say('and here?');
  await clock.advance(0);
  expect(JSON.stringify(provider.requests.at(-1)?.messages)).toContain('what is in the box?');
  const deleting = runtime.sessions.deleteSpeaker('ann');
  await clock.advance(20_000);
  await deleting;
  const left = (await factsOf(runtime.sessions, 'copy')).map((fact) => JSON.stringify(fact));
  expect(left.join()).not.toContain('what is in the box?');
  expect(left.join()).toContain('[deleted]');
});
