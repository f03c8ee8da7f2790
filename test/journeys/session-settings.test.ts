// Rules and limits of single sessions, from the file of a real gateway: the sessions that a pattern matches have them, and the others do not.
import { expect, test } from 'vitest';
import { serveBelay, tokenOf } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { connectRaw } from '../support/raw-client.ts';

const endpoint = useEndpoint();

const sessions = {
  'short/*': { limits: { sayChars: 12, turnTokens: 0 } },
  'asking/*': { approve: ['shell'] },
  'quick/*': { approve: [] },
  'own/*': { access: 'private' },
  'whole/*': { interruptible: false, shieldMs: 0 },
  'gone/*': { onDisconnect: 'cancel', limits: { disconnectGraceMs: 0 } },
};

test('each has its own, and the rest what all sessions have [config.sessions]', async () => {
  const config = { sessions, approve: ['read_file'], access: 'open' };
  const belay = await serveBelay(endpoint, { config });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Done.' } },
    { when: { user: 'run' }, reply: { calls: [shellCall('echo ran')] } },
    { when: { user: 'read' }, reply: { calls: [{ name: 'read_file', arguments: { path: 'nothing.txt' } }] } },
    { when: { user: 'talk' }, reply: { text: 'Well', end: 'hang' } },
  ]);
  const [ann, bob] = [await connectRaw(belay.url), await connectRaw(belay.url)];
  await ann.hello(tokenOf('ann'));
  await bob.hello(tokenOf('bob'));
  const join = async (session: string) => {
    await ann.join(session);
    return session;
  };
  let refs = 0;
  const say = (session: string, text: string) => ann.send({ type: 'SAY', ref: `s${refs++}`, session, text });
  const long = 'words that are many';

  const [short, other] = [await join('short/a'), await join('other')];
  say(short, long);
  expect(await ann.waitFor('say_refused', { session: short })).toMatchObject({ code: 'text_too_long' });
  say(other, long);
  await ann.waitFor('turn_opened', { session: other });

  const asking = await join('asking/a');
  say(asking, 'run');
  const asked = await ann.waitFor('approval_requested', { session: asking });
  ann.send({ type: 'DENY', ref: 'no', session: asking, target: asked['node'] });
  expect(await ann.waitFor('tool_result', { session: asking })).toMatchObject({ outcome: 'denied' });
  say(other, 'run');
  expect(await ann.waitFor('tool_result', { session: other })).toMatchObject({ outcome: 'completed' });
  const quick = await join('quick/a');
  say(quick, 'read');
  expect(await ann.waitFor('tool_result', { session: quick })).toMatchObject({ outcome: 'failed' });

  const own = await join('own/a');
  bob.send({ type: 'JOIN', ref: 'j', session: own, after: 0 });
  expect(await bob.waitFor('error', { session: own })).toMatchObject({ code: 'access_denied' });
  await bob.join(other);

  const whole = await join('whole/a');
  say(whole, 'talk');
  const { turn } = await ann.waitFor('turn_started', { session: whole });
  await ann.waitFor('text_delta', { session: whole });
  ann.send({ type: 'CANCEL', ref: 'c', session: whole, target: turn });
  expect(await ann.waitFor('cancel_accepted', { session: whole })).toMatchObject({ stopping: [], pending: [turn] });

  const gone = await join('gone/a');
  await bob.join(gone);
  await bob.join(whole);
  say(gone, 'talk');
  await bob.waitFor('text_delta', { session: gone });
  ann.socket.terminate();
  expect(await bob.waitFor('cancel_accepted', { session: gone })).toMatchObject({ source: 'disconnect', by: 'ann' });
  await bob.waitFor('turn_ended', { session: gone });
});
