// The timeout of a tool, set for the next calls of a session: who may set it, within which limits, by which doors, and that it survives the gateway.
import { describe, expect, test } from 'vitest';
import { CommandRefused, NotSupported } from '../../src/client/errors.ts';
import type { ClientSession } from '../../src/client/joined-session.ts';
import { SessionView } from '../../src/client/view/session-view.ts';
import { newWorkspace, serveBelay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const room = 'timeouts';

async function join(url: string, speaker: TestSpeaker) {
  const client = await connectChecked({ url, token: tokenOf(speaker), reconnect: false });
  const session: ClientSession = client.session(room, { after: 0 });
  const view = new SessionView(session);
  await session.joined;
  return { client, session, view, timeouts: () => view.getSnapshot().toolTimeouts };
}

const refusalOf = (setting: Promise<unknown>) =>
  setting.then(
    () => 'set',
    (error) => (error instanceof CommandRefused ? error.code : error),
  );

describe('the timeout of a tool', () => {
  test('is set by the owner of a session or a moderator for its next calls, and stays [tool.timeouts] [tool.timeout]', async () => {
    const workspace = newWorkspace();
    const config = { limits: { toolTimeoutMaxMs: 60_000 } };
    const belay = await serveBelay(endpoint, { workspace, config });
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Done.' } },
      { when: { user: 'sleep' }, reply: { calls: [shellCall('sleep 60')] } },
    ]);
    const ann = await join(belay.url, 'ann');
    const bob = await join(belay.url, 'bob');
    expect(await ann.session.setToolTimeout('shell', 1_000)).toMatchObject({ tool: 'shell', ms: 1_000, by: 'ann' });
    await until(() => bob.timeouts()['shell'] === 1_000, { what: 'the fact at the other member' });
    expect(ann.timeouts()).toEqual({ shell: 1_000 });
    const ended: string[] = [];
    ann.session.on('tool_timeout', ({ ms }) => ended.push(`after ${ms} ms`));
    expect(await ann.session.say('sleep').ended).toMatchObject({ outcome: 'completed' });
    expect(ended).toEqual(['after 1000 ms']);

    expect(await ann.session.setToolTimeout('shell', 1_000)).toMatchObject({ repeated: true });
    expect(await refusalOf(bob.session.setToolTimeout('shell', 2_000))).toBe('access_denied');
    expect(await refusalOf(ann.session.setToolTimeout('no_tool', 2_000))).toBe('no_such_tool');
    for (const ms of [-1, 0, 999, 60_001, 2 ** 31]) {
      expect(await refusalOf(ann.session.setToolTimeout('shell', ms))).toBe('timeout_out_of_range');
      await expect(ann.session.setToolTimeout('shell', ms)).rejects.toMatchObject({
        field: 'ms',
        limit: 60_000,
        message: `ms must be a whole number from 1000 to 60000 (limits.toolTimeoutMaxMs), or null, not ${ms}.`,
      });
    }
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 1_000.5])
      await expect(ann.session.setToolTimeout('shell', ms)).rejects.toThrow(RangeError);
    const moderator = await join(belay.url, 'moderator');
    expect(await moderator.session.setToolTimeout('read_file', 60_000)).toMatchObject({ by: 'moderator' });
    await moderator.session.setToolTimeout('fetch_url', 5_000);
    expect(await ann.session.setToolTimeout('fetch_url', null)).toMatchObject({ ms: null });
    await until(() => Object.keys(bob.timeouts()).length === 2);

    belay.child.process.kill('SIGTERM');
    await until(() => belay.child.process.exitCode !== null, { what: 'the end of the gateway' });
    const next = await serveBelay(endpoint, { workspace, config });
    const raw = await connectRaw(next.url);
    await raw.hello(tokenOf('ann'));
    expect(await raw.join(room)).toMatchObject({ toolTimeouts: { shell: 1_000, read_file: 60_000 } });
  });

  test('is longer than that of `shell` and `run_code` where it was set so, for calls that ask for none [tool.timeouts]', async () => {
    const config = { allow: ['run_code', 'shell'], builtin: { commandMs: 400 }, limits: { toolTimeoutMaxMs: 60_000 } };
    const belay = await serveBelay(endpoint, { config });
    const code = { name: 'run_code', arguments: { language: 'node', code: 'setTimeout(() => {}, 900)' } };
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Done.' } },
      { when: { user: 'sleep' }, reply: { calls: [shellCall('sleep 0.9'), code] } },
    ]);
    const ann = await join(belay.url, 'ann');
    const timedOut: unknown[] = [];
    ann.session.on('tool_timeout', ({ ms }) => timedOut.push(ms));
    await ann.session.say('sleep').ended;
    expect(timedOut).toEqual([400, 400]);
    await ann.session.setToolTimeout('shell', 60_000);
    await ann.session.setToolTimeout('run_code', 60_000);
    const results: string[] = [];
    ann.session.on('tool_result', ({ outcome }) => results.push(outcome));
    await ann.session.say('sleep').ended;
    expect(results).toEqual(['completed', 'completed']);
  });

  test('is set over HTTP, with the same answers [tool.timeouts] [tool.timeouts.key]', async () => {
    const belay = await serveBelay(endpoint);
    const ann = await join(belay.url, 'ann');
    const address = `${belay.url.replace('ws', 'http').replace('/belay', '')}/api/sessions/${room}/timeouts`;
    const post = async (speaker: TestSpeaker, body: object, key?: string) => {
      const headers = {
        authorization: `Bearer ${tokenOf(speaker)}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const reply = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: reply.status, body: (await reply.json()) as object };
    };
    const set = { tool: 'shell', ms: 2_000 };
    expect(await post('ann', set)).toEqual({ status: 200, body: { session: room, ...set } });
    await until(() => ann.timeouts()['shell'] === 2_000);
    expect(await post('bob', set)).toMatchObject({ status: 403, body: { code: 'access_denied' } });
    expect(await post('ann', { tool: 'no_tool', ms: null })).toMatchObject({ body: { code: 'no_such_tool' } });
    expect(await post('ann', { tool: 'shell', ms: 10 })).toMatchObject({
      status: 400,
      body: {
        code: 'timeout_out_of_range',
        field: 'ms',
        limit: 3_600_000,
        detail: expect.stringContaining('from 1000 to 3600000 (limits.toolTimeoutMaxMs)'),
      },
    });
    const facts: unknown[] = [];
    ann.session.on('tool_timeout_set', ({ ms }) => facts.push(ms));
    const keyed = { tool: 'shell', ms: 5_000 };
    const first = await post('ann', keyed, 'k1');
    expect(first).toEqual({ status: 200, body: { session: room, ...keyed } });
    expect(await post('ann', { tool: 'shell', ms: 6_000 }, 'k2')).toMatchObject({ status: 200 });
    expect(await post('ann', keyed, 'k1')).toEqual(first);
    expect(await post('ann', set, 'k1')).toMatchObject({
      status: 409,
      body: { code: 'ref_reused', field: 'idempotency-key' },
    });
    await until(() => facts.length === 2);
    expect(facts).toEqual([5_000, 6_000]);
    expect(ann.timeouts()).toEqual({ shell: 6_000 });
    expect(await post('ann', { tool: 'shell', ms: null })).toMatchObject({ status: 200 });
    await until(() => Object.keys(ann.timeouts()).length === 0);
  });

  test('is not sent to a gateway that does not announce it [tool.timeouts]', async () => {
    const belay = await serveBelay(endpoint);
    const raw = await connectRaw(belay.url);
    const { features } = await raw.hello(tokenOf('ann'));
    expect(features).toContain('tool_timeouts');
    const { client, session } = await join(belay.url, 'ann');
    Object.defineProperty(client, 'features', { get: () => [] });
    await expect(session.setToolTimeout('shell', 2_000)).rejects.toThrow(NotSupported);
  });
});
