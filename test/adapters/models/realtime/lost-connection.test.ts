// Connections to the Realtime API that are lost, at the strict server: in each phase of a response, with what has come of it.
import { describe, expect, test } from 'vitest';
import type { ServerScript } from '../../../support/realtime/server-script.ts';
import { until } from '../../../support/until.ts';
import { assistant, LinkedModel, userMessage } from './linked-model.ts';

const words = 'One two three four.';
const plan = { text: words, ms: 800 };
const hello = [userMessage('hello')];

/** Loses the connection before an event of the first response is sent. Nothing of that response is sent after it. */
function losing(type: string): Required<Pick<ServerScript, 'gate'>> & { lose(drop: () => void): void } {
  let drop: (() => void) | null = null;
  return {
    lose: (how) => {
      drop = how;
    },
    gate: (event, when) => {
      if (drop === null || event['type'] !== type || when !== 'before') return;
      drop();
      drop = null;
      return new Promise(() => {});
    },
  };
}

describe('a connection that is lost [voice.realtime]', () => {
  test.each([
    ['before the response is created', 'response.created'],
    ['before anything of the response has come', 'response.output_item.added'],
  ])('%s costs nothing: the response is asked for again', async (_, type) => {
    const lost = losing(type);
    await using it = await LinkedModel.start({ respond: () => plan, gate: lost.gate });
    lost.lose(() => it.server.session.drop());
    const call = it.call('t1', hello);
    expect(await call.end).toMatchObject({ kind: 'completed', finish: 'stop' });
    expect([call.text, it.room.msOf('t1'), it.server.sessions.length]).toEqual([words, 800, 2]);
    expect(it.server.requests[1]?.context).toMatchObject([{ text: 'hello' }]);
  });

  test.each([
    ['drops', (it: LinkedModel) => it.server.session.drop()],
    ['is closed by the provider', (it: LinkedModel) => it.server.session.expire()],
  ])('and %s in the middle of a response ends the model call by name, and the next one has the log', async (_, end) => {
    let deltas = 0;
    await using it = await LinkedModel.start({
      respond: () => plan,
      gate: (event, when) => {
        if (event['type'] !== 'response.output_audio.delta' || when !== 'before' || ++deltas < 4) return;
        if (deltas === 4) end(it);
        return new Promise(() => {});
      },
    });
    const call = it.call('t1', hello);
    expect(await call.end).toMatchObject({ kind: 'failed', code: 'model_cut_off' });
    expect([it.room.msOf('t1'), it.server.sessions.length]).toEqual([300, 1]); // what was heard is not said again
    it.server.script = { respond: () => plan };
    const log = [...hello, assistant(`${call.text}… [cut off here]`), userMessage('go on')];
    expect(await it.call('t2', log).end).toMatchObject({ kind: 'completed' });
    expect(it.server.requests[1]?.context).toMatchObject([
      { text: 'hello' },
      { role: 'assistant', text: `${call.text}… [cut off here]`, audioMs: null },
      { text: 'go on' },
    ]);
    expect([it.server.refusals, it.room.msOf('t2')]).toEqual([[], 800]);
  });

  test('while nothing runs is not noticed by the next turn', async () => {
    await using it = await LinkedModel.start({ respond: () => plan });
    await it.call('t1', hello).end;
    it.server.session.drop();
    await until(() => it.server.open.length === 0);
    const log = [...hello, assistant(words), userMessage('go on')];
    expect(await it.call('t2', log).end).toMatchObject({ kind: 'completed' });
    expect(it.server.requests[1]?.context).toMatchObject([{ text: 'hello' }, { text: words }, { text: 'go on' }]);
  });

  test('after a stop ends it: nothing is asked for again', async () => {
    await using it = await LinkedModel.start({ respond: () => ({ ...plan, neverDone: true }) }, { answerMs: 60_000 });
    const call = it.call('t1', hello);
    await until(() => it.room.msOf('t1') === 800);
    call.abort();
    it.server.session.drop();
    expect(await call.end).toMatchObject({ kind: 'stopped' });
    it.server.script = { respond: () => plan };
    expect(await it.call('t2', hello).end).toMatchObject({ kind: 'completed' });
    expect(it.server.requests).toHaveLength(2);
  });
});

test('a link that was closed connects no more, also for a response that was not asked for yet', async () => {
  const lost = losing('response.created');
  await using it = await LinkedModel.start({ respond: () => plan, gate: lost.gate });
  lost.lose(() => it.link.close());
  for (const turn of ['t1', 't2'])
    expect(await it.call(turn, hello).end).toMatchObject({ kind: 'failed', code: 'model_cut_off' });
  await until(() => it.server.open.length === 0);
  expect([it.server.upgrades, it.room.sounds]).toEqual([1, []]);
});
