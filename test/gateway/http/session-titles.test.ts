// Titles of listed sessions: the beginning of the first words, for whoever may read them.
import { expect, test } from 'vitest';
import { ann, bob, eve, httpOf } from './open.ts';

const listed = async (ask: Awaited<ReturnType<typeof httpOf>>['ask'], token: string, query = '') =>
  (await ask(`/api/sessions${query}`, { token })).body.sessions;

test('a session has the first words as its title, on one line, whoever has said them [http.api]', async () => {
  const { ask } = await httpOf();
  await ask('/api/sessions/room/say', { body: { text: '  what\n time is it?' } });
  await ask('/api/sessions/room/say', { token: bob, body: { text: 'and later?' } });
  for (const token of [ann, bob])
    expect(await listed(ask, token)).toMatchObject([{ session: 'room', title: 'what time is it?' }]);
});

test('long words are cut; a session in which nothing was said has no title [http.api]', async () => {
  const { ask, runtime } = await httpOf();
  await runtime.session('quiet');
  await ask('/api/sessions/room/say', { body: { text: 'word '.repeat(100) } });
  const sessions = await listed(ask, ann);
  const room = sessions.find(({ session }: { session: string }) => session === 'room');
  expect(room.title).toMatch(/^(word ){16}…$/);
  for (const { session, title } of sessions) if (session !== 'room') expect(title).toBeNull();
});

test('the title is shown to nobody who may not read [http.api.access]', async () => {
  const { ask } = await httpOf();
  await ask('/api/sessions/room/say', { body: { text: 'between us' } });
  expect(await listed(ask, eve)).toEqual([]);
  expect(await listed(ask, ann, '?action=cancel')).toMatchObject([{ session: 'room', title: null }]);
});
