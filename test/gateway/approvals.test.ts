// Approvals and questions over real sockets, with the real runtime under a virtual clock.
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../src/core/contracts/tool.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { callsOnce, type HarnessOptions, startHarness, toolOf } from '../support/harness.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const tokens = { ann: 'token-of-ann-000001', bob: 'token-of-bob-000001', bridge: 'token-of-bridge-0001' };
const authenticator = createTokenAuthenticator({
  [tokens.ann]: { speaker: 'ann', sessions: ['*'] },
  [tokens.bob]: { speaker: 'bob', sessions: ['*'] },
  [tokens.bridge]: { speaker: 'bridge', sessions: ['*'], roles: ['bridge'] },
});

const risky: Tool = {
  ...toolOf('risky', async () => 'done it'),
  approval: () => ({ text: 'May I?', to: 'bob', expiresMs: 60_000 }),
};
const curious = toolOf('curious', async (_, { ask }) => `it is ${await ask({ text: 'Which?', choices: ['a', 'b'] })}`);

async function start(name: 'risky' | 'curious', options: HarnessOptions = {}) {
  const harness = await startHarness({ tools: [risky, curious], respond: callsOnce([name]), ...options });
  const { url } = await startGateway({ runtime: harness.runtime, authenticator });
  const joinAs = async (who: keyof typeof tokens) => {
    const raw = await connectRaw(url);
    await raw.hello(tokens[who]);
    await raw.join('s', 0);
    return raw;
  };
  const pass = <T>(condition: () => T | false | null | undefined) =>
    until(async () => {
      await harness.clock.advance(10);
      return condition();
    });
  const [ann, bob] = [await joinAs('ann'), await joinAs('bob')];
  ann.send({ type: 'SAY', ref: 's1', text: 'work' });
  return { harness, ann, bob, joinAs, pass };
}

describe('an approval', () => {
  test('is sent to every member, given by its addressee, and closed for every member [owner.ask]', async () => {
    const { ann, bob, pass, harness } = await start('risky');
    const [asked] = await pass(() => bob.all('approval_requested').length === 1 && bob.all('approval_requested'));
    const [call] = bob.all('tool_call');
    expect(asked).toMatchObject({ to: 'bob', text: 'May I?', node: harness.callNamed('risky') });
    expect(asked).toMatchObject({ name: call?.['name'], arguments: call?.['arguments'] });
    expect(call?.['arguments']).toBe('{}');
    ann.send({ type: 'APPROVE', ref: 'a1', target: harness.callNamed('risky') });
    const refused = await pass(() => ann.all('answer_refused')[0]);
    expect(refused).toMatchObject({
      ref: 'a1',
      session: 's',
      code: 'not_addressed',
      target: harness.callNamed('risky'),
    });
    bob.send({ type: 'APPROVE', ref: 'b1', target: harness.callNamed('risky') });
    await pass(() => ann.all('turn_ended').length === 1);
    for (const screen of [ann, bob]) {
      expect(screen.all('approval_closed')).toMatchObject([{ answer: 'approved', by: 'bob', ref: 'b1' }]);
    }
    expect(ann.all('tool_result')).toMatchObject([{ outcome: 'completed', output: 'done it' }]);
  });

  test('that is denied does not run', async () => {
    const { ann, bob, pass, harness } = await start('risky');
    await pass(() => bob.all('approval_requested').length === 1);
    bob.send({ type: 'DENY', ref: 'b1', target: harness.callNamed('risky') });
    await pass(() => ann.all('turn_ended').length === 1);
    expect(ann.all('approval_closed')).toMatchObject([{ answer: 'denied', by: 'bob', ref: 'b1' }]);
    expect(ann.all('tool_result')).toMatchObject([{ outcome: 'denied', effect: 'not_started' }]);
  });

  test('is withdrawn for every member by a cancel; a later yes is refused, after the fact [ladder.ask]', async () => {
    const { ann, bob, pass, harness } = await start('risky');
    await pass(() => bob.all('approval_requested').length === 1);
    ann.send({ type: 'CANCEL', ref: 'c1', target: harness.callNamed('risky') });
    bob.send({ type: 'APPROVE', ref: 'b1', target: harness.callNamed('risky') });
    await pass(
      () => bob.all('answer_refused').length + bob.all('tool_started').length === 1 && bob.all('tool_result')[0],
    );
    const [closed, ...more] = bob.all('approval_closed');
    expect(more).toEqual([]);
    if (closed?.['answer'] === 'withdrawn') {
      expect(bob.all('answer_refused')).toMatchObject([{ ref: 'b1', code: 'expired' }]);
      expect(bob.frames.indexOf(closed)).toBeLessThan(bob.frames.findIndex(({ type }) => type === 'answer_refused'));
      expect(bob.all('tool_started')).toEqual([]);
    }
    expect(ann.all('approval_closed')).toEqual(bob.all('approval_closed'));
  });

  test('of two answers one is accepted, and the other is refused after the fact', async () => {
    const { bob, pass, harness } = await start('risky');
    await pass(() => bob.all('approval_requested').length === 1);
    bob.send({ type: 'APPROVE', ref: 'b1', target: harness.callNamed('risky') });
    bob.send({ type: 'DENY', ref: 'b2', target: harness.callNamed('risky') });
    await pass(() => bob.all('answer_refused').length === 1);
    expect(bob.all('answer_refused')).toMatchObject([{ ref: 'b2', code: 'expired' }]);
    const types = bob.frames.map(({ type }) => type);
    expect(types.indexOf('approval_closed')).toBeLessThan(types.indexOf('answer_refused'));
    expect(bob.all('approval_closed')).toMatchObject([{ answer: 'approved', ref: 'b1' }]);
  });

  test('may be answered through a bridge, for its addressee [owner.identity]', async () => {
    const { joinAs, pass, harness, ann } = await start('risky');
    const bridge = await joinAs('bridge');
    await pass(() => bridge.all('approval_requested').length === 1);
    ann.send({ type: 'APPROVE', ref: 'a1', target: harness.callNamed('risky'), as: 'bob' });
    expect(await ann.waitFor('error', { ref: 'a1' })).toMatchObject({ code: 'as_not_allowed', field: 'as' });
    bridge.send({ type: 'APPROVE', ref: 'x1', target: harness.callNamed('risky'), as: 'bob' });
    const [closed] = await pass(() => ann.all('approval_closed').length === 1 && ann.all('approval_closed'));
    expect(closed).toMatchObject({ answer: 'approved', by: 'bob', ref: 'x1' });
  });
});

describe('a question', () => {
  test('is answered in words, once [owner.ask]', async () => {
    const { ann, bob, pass, harness } = await start('curious');
    const [asked] = await pass(() => ann.all('question_asked').length === 1 && ann.all('question_asked'));
    expect(asked).toMatchObject({ to: 'ann', text: 'Which?', choices: ['a', 'b'] });
    ann.send({ type: 'APPROVE', ref: 'a0', target: harness.callNamed('curious') });
    expect(await pass(() => ann.all('answer_refused')[0])).toMatchObject({ ref: 'a0', code: 'expired' });
    ann.send({ type: 'ANSWER', ref: 'a1', target: harness.callNamed('curious'), text: 'b' });
    await pass(() => bob.all('turn_ended').length === 1);
    expect(bob.all('question_closed')).toMatchObject([{ answer: 'answered', text: 'b', by: 'ann', ref: 'a1' }]);
    expect(bob.all('tool_result')).toMatchObject([{ outcome: 'completed', output: expect.stringContaining('b') }]);
  });
});

test('an answer carries what the runtime needs, and the speaker of the connection [owner.identity]', async () => {
  const runtime = new FakeRuntime();
  const { url } = await startGateway({ runtime });
  const client = await connectRaw(url);
  await client.hello();
  client.send({ type: 'PING', ref: 'p1' });
  expect(await client.waitFor('pong')).toEqual({ type: 'pong', ref: 'p1' });
  await client.join('demo');
  client.send({ type: 'ANSWER', ref: 'a1', target: 'call_1', text: 'words' });
  expect(await client.waitFor('answer_refused')).toEqual({
    type: 'answer_refused',
    ref: 'a1',
    session: 'demo',
    target: 'call_1',
    code: 'expired',
    message: expect.any(String),
  });
  expect(runtime.calls.at(-1)).toMatchObject({
    command: 'answer',
    caller: { speaker: { id: 'local' } },
    request: { ref: 'a1', target: 'call_1', answer: 'answered', text: 'words' },
  });
});
