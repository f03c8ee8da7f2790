// The log of a gateway as a process: JSON and nothing else on its output, and nothing of what was said.
import { expect, test } from 'vitest';
import { logEvents } from '../../src/core/reports/log-lines.ts';
import { newToken } from '../adapters/processes/processes.ts';
import { newWorkspace, room, type ServedBelay, serveBelay, tokenOf } from '../support/belay.ts';
import { factsOfRoom, shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

type Line = Readonly<Record<string, unknown>>;
const linesOf = ({ child }: ServedBelay): Line[] =>
  child
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('a tour with hostile words leaves none of them in the log, and one line for each thing [ops.log]', async () => {
  const [hers, his] = [newToken(), newToken()];
  const workspace = newWorkspace();
  await endpoint.script([
    {
      when: { user: 'xyzzy' },
      reply: { text: 'plugh the answer', calls: [shellCall(`echo sesame; sleep ${hers}`, workspace.folder.a)] },
    },
    { when: { user: 'fail' }, reply: { status: 401 } },
    { reply: { text: 'plugh', calls: [shellCall(`sleep ${his}`, workspace.folder.b)] } },
  ]);
  const belay = await serveBelay(endpoint, { workspace, config: { policy: 'owner', log: 'json' } });
  const [ann, bob] = [await joinRoom(belay, 'ann'), await joinRoom(belay, 'bob')];
  ann.session.say('xyzzy "level":"error"\n{"event":"join"}');
  await untilRunning(hers);
  await bob.session.cancel('session', { reason: 'xyzzy reason' }).accepted;
  const nvm = ann.session.say('ok nvm');
  await expect(nvm.opened).rejects.toThrow();
  await until(() => factsOfRoom(belay).some(({ type }) => type === 'cancel_settled'));
  await ann.session.say('fail').ended.catch(() => null);
  bob.session.say('words of bob that no rule knows');
  await untilRunning(his);
  belay.child.signal('SIGKILL');
  await belay.child.ended();

  const next = await serveBelay(endpoint, { workspace, config: { policy: 'owner', log: 'json' } });
  await until(() => linesOf(next).some(({ event }) => event === 'recovery'));
  expect(linesOf(next).find(({ event }) => event === 'recovery')?.['msg']).toMatch(
    /^recovered 1 session, closed 1 turn, ended [1-9]/,
  );
  next.child.signal('SIGTERM');
  expect(await next.child.ended(20_000)).toBe(0);
  const lines = [...linesOf(belay), ...linesOf(next)];
  expect(lines.filter(({ event }) => !Object.hasOwn(logEvents, String(event)))).toEqual([]);
  const count = (event: string) => lines.filter((line) => line['event'] === event).length;
  const facts = factsOfRoom(next);
  const countFacts = (type: string) => facts.filter((fact) => fact.type === type).length;
  expect(count('join')).toBe(2);
  expect(count('turn_end')).toBe(countFacts('turn_ended'));
  expect(count('cancel')).toBe(countFacts('cancel_accepted'));
  expect(count('cancel_end')).toBe(countFacts('cancel_settled'));
  expect(count('refusal')).toBe(countFacts('cancel_refused'));
  expect(count('model_failure')).toBe(1);
  const output = [belay, next].map(({ child }) => child.stdout() + child.stderr()).join('');
  for (const word of ['xyzzy', 'plugh', 'sesame', hers, his, 'nvm', tokenOf('ann'), tokenOf('bob'), 'OPENAI'])
    expect(output).not.toContain(word);
  expect(lines.every(({ session = room }) => session === room)).toBe(true);
});
