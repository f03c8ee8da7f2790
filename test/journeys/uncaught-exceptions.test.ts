// Exceptions that nobody catches, in a program of Belay: the last resort is a shutdown, and leaves no tool behind.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { living, newToken, programs } from '../adapters/processes/processes.ts';
import { newWorkspace, serveBelay, tokenOf, writeConfig } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { factsOfRoom, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const withBug = 'test/children/with-bug.ts';

test.each(['throw', 'reject'] as const)(
  'a gateway in which something is not caught (%s): every turn and tool is stopped by a shutdown, clients receive it, exit code 1 [ops.shutdown.exception]',
  async (how) => {
    const [polite, daemon] = [newToken(), newToken()];
    const workspace = newWorkspace();
    const belay = await serveBelay(endpoint, { workspace, config: { log: 'json' }, program: [withBug, 'serve', how] });
    const calls = [
      shellCall(`sh ${join(programs, 'polite.sh')} ${polite}`),
      // a daemon in a session of its own: an exit alone does not find it
      shellCall(`setsid sh -c 'sleep ${daemon} & sleep 0.05'; sleep ${daemon}`, workspace.folder.b),
    ];
    await endpoint.script([{ reply: { calls } }]);
    const ann = await joinRoom(belay, 'ann');
    const turn = ann.session.say('words');
    await Promise.all([untilRunning(polite), until(() => living(daemon).length >= 2, { what: 'the daemon' })]);
    belay.child.signal('SIGUSR1');
    expect(await belay.child.ended()).toBe(1);
    expect([...living(polite), ...living(daemon)]).toEqual([]);
    expect(await ann.client.closed).toMatchObject({ code: 4450, reason: 'shutdown' });
    expect(ann.of('cancel_accepted')).toMatchObject([{ source: 'shutdown', target: 'session' }]);
    const facts = factsOfRoom(belay);
    expect(facts.findLast(({ type }) => type === 'turn_ended')).toMatchObject({ turn: turn.id, outcome: 'cancelled' });
    expect(facts.at(-1)).toMatchObject({ type: 'cancel_settled', cause: { source: 'shutdown' } });
    const lines = belay.child.stdout().trim().split('\n');
    const problems = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'warning');
    expect(problems, 'in the log').toMatchObject([{ problem: 'an unexpected exception', error: 'Error' }]);
  },
);

test('a second exception, while a shutdown waits for a tool, changes nothing [ops.shutdown.exception]', async () => {
  const token = newToken();
  const program = [withBug, 'serve', 'throw'] as const;
  const belay = await serveBelay(endpoint, { config: { limits: { termGraceMs: 1_000 } }, program: [...program] });
  await endpoint.script([{ reply: { calls: [shellCall(`sh ${join(programs, 'ignores-term.sh')} ${token}`)] } }]);
  const ann = await joinRoom(belay, 'ann');
  ann.session.say('words').ended.catch(() => {});
  await ann.waitFor('tool_output');
  belay.child.signal('SIGUSR1');
  await belay.child.untilPrinted('Shutting down');
  belay.child.signal('SIGUSR1');
  await until(() => belay.child.stderr().split('an unexpected exception').length === 3, { what: 'both exceptions' });
  expect(await belay.child.ended()).toBe(1);
  expect(living(token)).toEqual([]);
  expect(factsOfRoom(belay).at(-1)).toMatchObject({ type: 'cancel_settled', cause: { source: 'shutdown' } });
});

test('`belay run` stops its task, and exits with 1 [ops.shutdown.exception]', async () => {
  const token = newToken();
  const workspace = newWorkspace();
  await endpoint.script([
    { reply: { calls: [shellCall(`setsid sh -c 'sleep ${token} & sleep 0.05'; sleep ${token}`)] } },
  ]);
  const args = ['run', 'throw', '--config', writeConfig(endpoint, workspace), '--store', 'memory', 'words'];
  const child = startChild(withBug, { args, cwd: workspace.path });
  await until(() => living(token).length >= 2, { ms: 10_000, what: 'the daemon' });
  child.signal('SIGUSR1');
  expect(await child.ended()).toBe(1);
  expect(living(token)).toEqual([]);
  expect(child.stderr()).toContain('Error: a bug');
});

test.each(['run', 'chat'] as const)(
  '`belay %s` at a gateway stops there what it has said [ops.shutdown.exception]',
  async (name) => {
    const token = newToken();
    const belay = await serveBelay(endpoint);
    await endpoint.script([{ reply: { calls: [shellCall(`sh ${join(programs, 'polite.sh')} ${token}`)] } }]);
    const where = name === 'run' ? ['--url', belay.url, 'words'] : [belay.url];
    const args = [name, 'reject', ...where, '--session', 'room', '--token', tokenOf('ann')];
    const child = startChild(withBug, { args });
    if (name === 'chat') child.type('words');
    await untilRunning(token);
    child.signal('SIGUSR1');
    expect(await child.ended()).toBeGreaterThan(0);
    await until(() => living(token).length === 0, { what: 'the end of the command' });
    const stopped = () => factsOfRoom(belay).find(({ type }) => type === 'cancel_settled');
    expect(await until(stopped, { what: 'the receipt' })).toMatchObject({ cause: { source: 'client', by: 'ann' } });
  },
);
