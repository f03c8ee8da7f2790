// A client that stops tools and no turn: by a turn, by a target, and with a gateway that does not know it.
import { expect, onTestFinished, test } from 'vitest';
import { NotSupported } from '../../src/client/errors.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { wireFeatures } from '../../src/wire/frame-limits.ts';
import { connectChecked } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { callsOnce, startHarness } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { setUpClient, welcome } from './held-sockets.ts';

const token = 'token-of-ann-000001';
const authenticator = createTokenAuthenticator({ [token]: { speaker: 'ann', sessions: ['*'], roles: ['member'] } });

test('the tools of a turn are stopped under one receipt, and the turn completes [cancel.tools]', async () => {
  const harness = await startHarness({ respond: callsOnce(['wait', { ms: 60_000 }], ['wait', { ms: 50_000 }]) });
  const { url } = await startGateway({ runtime: harness.runtime, authenticator });
  const client = await connectChecked({ url, token });
  onTestFinished(() => client.close());
  expect(client.features).toEqual(wireFeatures);
  const session = client.session('s');
  const turn = session.say('work');
  const pass = (condition: () => boolean) =>
    until(async () => {
      await harness.clock.advance(10);
      return condition();
    });
  await pass(() => harness.entered.length === 2);
  const cancel = turn.cancelTools({ reason: 'too slow' });
  expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted', target: `tools:${turn.id}` });
  const again = session.cancel('tools:mine');
  expect(await again.accepted).toMatchObject({ type: 'cancel_accepted', repeated: true });
  await pass(() => harness.recorder.of('turn_ended').length === 1);
  expect((await cancel.settled)?.nodes).toHaveLength(2);
  expect(await turn.reply()).toBe('done');
});

test('a gateway that does not list the feature is not asked: the stop is refused in the client [cancel.tools.feature]', async () => {
  const { client, sockets } = setUpClient();
  expect(client.features).toBeNull();
  await null; // the token is asked for first
  sockets[0]?.onopen?.();
  sockets[0]?.hear(welcome);
  expect(client.features).toEqual([]);
  const sent = sockets[0]?.sent.length;
  const session = client.session('s');
  for (const { accepted, settled } of [session.cancel('tools:mine'), session.say('work').cancelTools()]) {
    await expect(accepted).rejects.toBeInstanceOf(NotSupported);
    await expect(settled).rejects.toThrow('The gateway does not have the feature cancel_tools, and nothing was sent.');
  }
  expect(sockets[0]?.sent.slice(sent).some((frame) => JSON.stringify(frame).includes('tools:'))).toBe(false);
});
