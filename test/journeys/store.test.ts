// A store file that is missing or a disk that is full during a turn: only written facts are sent, and clients are closed by name.
import { spawn } from 'node:child_process';
import { renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, openBelay, room, serveBelay, tokenOf, writeConfig } from '../support/belay.ts';
import {
  expectSound,
  factsOfRoom,
  requestEnds,
  shellCall,
  untilHanging,
  untilRunning,
  useEndpoint,
} from '../support/journey.ts';
import { connectRaw } from '../support/raw-client.ts';
import { factsOf, joinRoom, type RoomClient, watchRoom } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

/** Expects that each received fact is in the store, with the same fields. */
function expectBacked(received: readonly ServerFrame[], facts: readonly RecordedFact[]): void {
  expect(factsOf(received)).not.toEqual([]);
  for (const frame of factsOf(received)) {
    const { seq, session: _, ...fact } = frame as typeof frame & { readonly session: string };
    expect(facts[seq - 1], `${seq}`).toMatchObject(fact);
  }
}

const closings = ({ of }: RoomClient) => [...of('turn_ended'), ...of('cancel_settled'), ...of('tool_result')];

test.each([
  { lasts: 'until a write is given up', limits: { storeDeadlineMs: scaled(1_500), leaseMs: 60_000 }, warnings: [] },
  {
    lasts: 'for longer than the lease of the host',
    limits: { leaseMs: scaled(500) },
    warnings: ['This host has lost its lease (store_failed). Sessions that were stopped: 1.'],
  },
])(
  'the file is missing $lasts while a shell runs and text streams: everything is stopped, no end is sent, clients are closed by name, and the session recovers when the file is back [store.durable] [cancel.accepted] [cancel.reach]',
  async ({ limits, warnings }) => {
    const token = newToken();
    const belay = await openBelay(endpoint, { limits });
    await endpoint.script([
      { when: { user: 'by bob' }, reply: { text: 'To bob I say', end: 'hang' } },
      { when: { user: 'words' }, reply: { calls: [shellCall(`sleep ${token}`)] } },
    ]);
    const [ann, bob] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob')];
    const turn = ann.session.say('words');
    await untilRunning(token);
    await ann.waitFor('tool_started');
    const other = bob.session.say('by bob');
    await untilHanging(belay, 2);
    await bob.waitFor('text_delta');

    renameSync(belay.store, `${belay.store}.aside`);
    const cancel = turn.cancel();
    expect(await cancel.accepted, 'the stop has started, and is not written').toMatchObject({ durable: false });
    for (const { client } of [ann, bob]) {
      expect(await client.closed).toMatchObject({ code: 4451, reason: 'store_failed' });
    }
    await expect(cancel.settled).rejects.toThrow();
    await expect(turn.ended).rejects.toThrow();
    await expect(other.ended).rejects.toThrow();
    expect([...closings(ann), ...closings(bob)], 'no end is sent').toEqual([]);
    await until(() => living(token).length === 0, { what: 'the shell to be dead' });
    await until(async () => requestEnds(await endpoint.requests())[1] === '200 closed_by_client');

    const raw = await connectRaw(belay.url);
    await raw.hello(tokenOf('ann'));
    raw.send({ type: 'JOIN', ref: 'j', session: room });
    expect(await raw.waitFor('error', { ref: 'j' })).toMatchObject({ code: 'unavailable' });

    renameSync(`${belay.store}.aside`, belay.store);
    const witness = await watchRoom(belay);
    const back = await joinRoom(belay, 'ann', { after: ann.session.seq });
    expect(await back.waitFor('turn_ended', (frame) => frame.turn === turn.id)).toBeTruthy();
    expectBacked(ann.frames, factsOfRoom(belay));
    expectBacked(bob.frames, factsOfRoom(belay));
    await expectSound(belay, {
      witness,
      before: ['200 finished', '200 closed_by_client'],
      warnings,
    });
  },
);

test('on a full disk every sent fact is written, no unwritten fact was sent, and the next start goes on [store.durable]', async () => {
  const workspace = newWorkspace();
  await endpoint.script([{ reply: { text: 'word '.repeat(4_000), pace: { chunkChars: 4_000 } } }]);
  const config = writeConfig(endpoint, workspace, { limits: { storeDeadlineMs: scaled(1_500) } });
  // the system lets no file grow past this size, as on a full disk
  const script = ['ulimit -S -f 1800; exec "$@"', 'sh', process.execPath, 'src/programs/serve.ts', '--config', config];
  const gateway = spawn('sh', ['-c', ...script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: new URL('../..', import.meta.url).pathname,
  });
  onTestFinished(() => void gateway.kill('SIGKILL'));
  let url = '';
  createInterface({ input: gateway.stdout }).on('line', (line) => {
    url ||= /listens at (\S+)/.exec(line)?.[1] ?? '';
  });
  await until(() => url || null, { ms: 20_000, what: 'the gateway to listen' });
  const belay = { endpoint, url, store: workspace.store, folder: workspace.folder };
  const ann = await joinRoom(belay, 'ann', { after: 0 });
  const endedTurns: string[] = [];
  for (let count = 0; count < 100; count++) {
    const turn = ann.session.say(`words ${count}`);
    const ended = await turn.ended.catch(() => null);
    if (!ended) break;
    endedTurns.push(ended.turn);
  }
  expect(await ann.client.closed).toMatchObject({ reason: 'store_failed' });
  expect(endedTurns.length).toBeGreaterThan(2);
  const requests = requestEnds(await endpoint.requests());
  gateway.kill('SIGKILL');
  await until(() => gateway.signalCode !== null);

  const next = await serveBelay(endpoint, { workspace });
  const facts = factsOfRoom(next);
  expectBacked(ann.frames, facts);
  const completed = facts.filter((fact) => fact.type === 'turn_ended' && fact.outcome === 'completed');
  expect(completed.map((fact) => fact.type === 'turn_ended' && fact.turn)).toEqual(endedTurns);
  await expectSound(next, { witness: await watchRoom(next), before: requests });
});
