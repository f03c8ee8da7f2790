// Lists in which hosts are missing: what HTTP and the commands say of them.
import { expect, test } from 'vitest';
import type { SessionDirectory } from '../../src/core/session/api.ts';
import { ann, type HttpDoor, httpOf } from '../gateway/http/open.ts';
import { startChild } from '../support/child.ts';

/** Starts a gateway whose lists miss the host b: its runtime lists what it has, and says that b did not reply. */
async function missingDoor(): Promise<HttpDoor> {
  const door = await httpOf();
  const { runtime } = door;
  const own = runtime.directory.bind(runtime);
  const missing = ['b'];
  runtime.directory = async (): Promise<SessionDirectory> => {
    const directory = await own();
    const { awakeHere } = directory;
    return {
      awakeHere,
      list: async (...asked) => ({ ...(await directory.list(...asked)), missing }),
      activeTurns: async (caller) => ({ ...(await directory.activeTurns(caller)), missing }),
      questions: async (caller) => ({ ...(await directory.questions(caller)), missing }),
      sessionOf: (...asked) => directory.sessionOf(...asked),
      ancestorsOf: (...asked) => directory.ancestorsOf(...asked),
      hosts: (...asked) => directory.hosts(...asked),
      check: (...asked) => directory.check(...asked),
      readFacts: (...asked) => directory.readFacts(...asked),
    };
  };
  await door.ask('/api/sessions/room/say', { body: { text: 'hello' } });
  return door;
}

const words = '1 host did not reply in time, and what runs there is not shown: b.';

test('the replies of HTTP name the hosts that did not reply; where one host has all, there are none [list.missing]', async () => {
  const whole = await httpOf();
  const door = await missingDoor();
  for (const path of ['/api/sessions', '/api/turns/active', '/api/questions']) {
    expect((await whole.ask(path)).body.missing).toEqual([]);
    expect((await door.ask(path)).body.missing).toEqual(['b']);
  }
});

test('`belay sessions` says it in words, and `belay stop --all` reports the host as not reached [list.missing]', async () => {
  const { url } = await missingDoor();
  const run = async (...args: string[]) => {
    const child = startChild('src/programs/belay.ts', { args: [...args, '--url', url, '--token', ann] });
    return { code: await child.ended(20_000), out: child.stdout() };
  };
  expect(await run('sessions')).toMatchObject({ code: 0, out: expect.stringContaining(words) });
  expect(JSON.parse((await run('sessions', '--json')).out)).toMatchObject({ missing: ['b'] });
  const stopped = await run('stop', '--all');
  expect(stopped.out).toContain('NOT REACHED  b: The host did not reply in time, and what runs there was not stopped.');
  expect(stopped.code).toBe(1);
});
