// A real gateway on a real file: kill -9 at named points of a stop and of a recovery, a disk that is full for a while or read-only, steps of the clock.
import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logLaws } from '../../scripts/prove/laws/log-laws.ts';
import { LogView } from '../../scripts/prove/laws/log-view.ts';
import { afterEndLaw, nothingStartsLaw } from '../../scripts/prove/laws/stop-laws.ts';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { newWorkspace, type ServedBelay, serveBelay, type Workspace, writeConfig } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { expectSound, factsOfRoom, shellCall, untilHanging, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom, type RoomClient, watchRoom } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const program = 'test/children/point-gateway.ts';

/** Says words whose answer hangs, and stops them. */
async function stopAnswer({ session }: RoomClient, belay: ServedBelay, count: number): Promise<void> {
  const turn = session.say('hang');
  await untilHanging(belay, count);
  expect(await turn.cancel().settled).toMatchObject({ nodes: [{ outcome: 'cancelled' }] });
}

/** Starts a gateway in which one CANCEL was answered and a shell runs that ignores SIGTERM. */
async function startWork(workspace: Workspace, options: Parameters<typeof serveBelay>[1] = {}) {
  const token = newToken();
  await endpoint.script([
    { when: { user: 'hang' }, reply: { text: 'One', end: 'hang' } },
    { when: { user: 'words' }, reply: { calls: [shellCall(`sh ${join(programs, 'ignores-term.sh')} ${token}`)] } },
  ]);
  const belay = await serveBelay(endpoint, { workspace, ...options });
  const ann = await joinRoom(belay, 'ann');
  await stopAnswer(ann, belay, 1);
  const turn = ann.session.say('words');
  await untilRunning(token);
  await ann.waitFor('tool_output');
  return { belay, ann, turn, token };
}

/** Expects that a gateway after a fault answers a CANCEL and the next request, that nothing is left, and that its log breaks no law. */
async function expectRecovered(belay: ServedBelay, token: string): Promise<void> {
  expect(living(token), 'processes').toEqual([]);
  const witness = await watchRoom(belay);
  await stopAnswer(await joinRoom(belay, 'ann'), belay, 3);
  await expectSound(belay, { witness, before: ['200 closed_by_client', '200 finished', '200 closed_by_client'] });
  const view = new LogView(factsOfRoom(belay), ['moderator']);
  const broken = Object.entries({ ...logLaws, afterEndLaw, nothingStartsLaw }).flatMap(([name, law]) =>
    law(view).map((what) => `${name}: ${what}`),
  );
  expect(broken).toEqual([]);
}

const receiptsOf = (belay: ServedBelay, ref: string) =>
  factsOfRoom(belay).flatMap((fact) =>
    (fact.type === 'cancel_accepted' || fact.type === 'cancel_settled') && fact.ref === ref ? [fact.type] : [],
  );

const endsOf = (belay: ServedBelay, id: string | null) =>
  factsOfRoom(belay).flatMap((fact) => (fact.type === 'turn_ended' && fact.turn === id ? [fact.outcome] : []));

/** Starts work in a gateway that dies at a point of its stop, and stops it. */
async function dieAt(when: string, type: string) {
  const workspace = newWorkspace();
  const work = await startWork(workspace, { program: [program, 'kill', when, type, 'armed'] });
  const { child } = work.belay;
  child.signal('SIGUSR1');
  await child.untilPrinted('armed');
  const cancel = work.ann.session.cancel('mine');
  cancel.settled.catch(() => {});
  expect(await child.ended()).toBe('SIGKILL');
  await work.ann.client.closed;
  return { ...work, workspace, cancel, last: factsOfRoom(work.belay).at(-1)?.type };
}

describe('kill -9 of a gateway that stops a turn with a shell', () => {
  test('before its acceptance is committed: the stop is not written, and the crash is the cause [store.durable] [tool.process]', async () => {
    const { workspace, turn, token, cancel } = await dieAt('before', 'cancel_accepted');
    const next = await serveBelay(endpoint, { workspace });
    expect(receiptsOf(next, cancel.ref)).toEqual([]);
    expect(endsOf(next, turn.id)).toEqual(['failed']);
    await expectRecovered(next, token);
  });

  test.each([
    ['after', 'cancel_accepted', 'cancel_accepted'],
    ['before', 'tool_result', 'cancel_accepted'],
    ['after', 'cancel_settled', 'cancel_settled'],
  ])(
    '%s the commit of %s, with %s as the last fact: the CANCEL is the cause, and has one receipt [store.durable] [cancel.settled] [cancel.idempotent]',
    async (when, type, lastType) => {
      const { workspace, turn, token, cancel, last } = await dieAt(when, type);
      expect(last).toBe(lastType);
      const next = await serveBelay(endpoint, { workspace });
      expect(receiptsOf(next, cancel.ref)).toEqual(['cancel_accepted', 'cancel_settled']);
      expect(endsOf(next, turn.id)).toEqual(['cancelled']);
      const { raw, ...again } = await watchRoom(next, { speaker: 'ann' });
      raw.send({ type: 'CANCEL', ref: cancel.ref, target: 'mine' });
      expect(await again.waitFor('cancel_settled', ({ repeated }) => repeated === true)).toMatchObject({
        ref: cancel.ref,
      });
      await expectRecovered(next, token);
    },
  );
});

test('kill -9 of two gateways in their recovery, before and after it is committed: the third one has one recovery of it, and one receipt [store.durable] [cancel.settled]', async () => {
  const { workspace, turn, token, cancel } = await dieAt('after', 'cancel_accepted');
  for (const when of ['before', 'after']) {
    const args = ['kill', when, 'session_recovered', 'at once', '--config', writeConfig(endpoint, workspace)];
    expect(await startChild(program, { args, cwd: workspace.path }).ended(30_000)).toBe('SIGKILL');
  }
  const next = await serveBelay(endpoint, { workspace });
  expect(factsOfRoom(next).filter(({ type }) => type === 'session_recovered')).toHaveLength(1);
  expect(receiptsOf(next, cancel.ref)).toEqual(['cancel_accepted', 'cancel_settled']);
  expect(endsOf(next, turn.id)).toEqual(['cancelled']);
  await expectRecovered(next, token);
});

const hour = 3_600_000;

test('the time of day is set back by an hour in the middle of a stop, and on again before the next start: the stop has its budget, and no time is below zero [clock.steps] [cancel.bounded]', async () => {
  const workspace = newWorkspace();
  const { belay, ann, token } = await startWork(workspace, {
    program: [program, `step ${-hour}`, 'before', 'cancel_accepted', 'armed'],
  });
  belay.child.signal('SIGUSR1');
  await belay.child.untilPrinted('armed');
  const { nodes = [] } = (await ann.session.cancel('mine').settled) ?? {};
  expect(nodes.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
  expect(nodes.filter(({ ms }) => ms < 0 || ms > hour / 2)).toEqual([]);
  belay.child.signal('SIGKILL');
  await belay.child.ended();
  await expectRecovered(await serveBelay(endpoint, { workspace }), token);
});

/** Lets no file of a process grow past this size. */
const limitFiles = (pid: number | undefined, limit: string) =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${limit}`]);

test('on a disk that is full for a while a CANCEL stops all at once and is not durable; when there is room again, the same gateway goes on [store.durable] [cancel.accepted]', async () => {
  const config = { limits: { storeDeadlineMs: scaled(1_500) } };
  const { belay, ann, turn, token } = await startWork(newWorkspace(), { config });
  limitFiles(belay.child.process.pid, '1:unlimited');
  const cancel = turn.cancel();
  cancel.settled.catch(() => {});
  expect(await cancel.accepted).toMatchObject({ durable: false });
  expect(await ann.client.closed).toMatchObject({ reason: 'store_failed' });
  await until(() => living(token).length === 0, { ms: 10_000, what: 'the shell to be dead' });
  limitFiles(belay.child.process.pid, 'unlimited');
  await until(() => joinRoom(belay, 'ann').catch(() => null), { ms: 10_000, what: 'the session to open' });
  expect(endsOf(belay, turn.id)).toHaveLength(1);
  await expectRecovered(belay, token);
});

const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

test.skipIf(!canMount)(
  'on a read-only disk a gateway does not start, and says why; what it left is recovered when it may be written [store.durable]',
  async () => {
    const workspace = newWorkspace();
    const { belay, turn, token } = await startWork(workspace);
    belay.child.signal('SIGKILL');
    await belay.child.ended();
    const folder = dirname(workspace.store);
    const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    const served = [process.execPath, 'src/programs/serve.ts', '--config', writeConfig(endpoint, workspace)];
    const { status, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, folder, ...served], {
      encoding: 'utf8',
      timeout: scaled(30_000),
    });
    expect(status, stderr).toBe(1);
    expect(stderr).toMatch(/The store \S+ cannot be used: .*read-only/);
    const next = await serveBelay(endpoint, { workspace });
    expect(endsOf(next, turn.id)).toEqual(['failed']);
    await expectRecovered(next, token);
  },
);
