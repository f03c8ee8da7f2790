// Words for a turn that runs, from a client: their fate as a promise, the turn that answers them, and the view of them.
import { expect, onTestFinished, test } from 'vitest';
import type { WhileRunning } from '../../machines/vocabulary.ts';
import { SessionView } from '../../src/client/view/session-view.ts';
import { connectChecked } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { callsResponse, startHarness, textResponse } from '../support/harness.ts';
import { until } from '../support/until.ts';

/** A client of a session whose model makes a call for words that say "work", and answers others by repeating them. */
async function start(whileRunning?: WhileRunning) {
  const harness = await startHarness({
    session: () => ({ whileRunning }),
    respond: ({ messages }) => {
      const last = messages.at(-1);
      const words = last?.role === 'user' ? last.content : 'done';
      if (words === 'at length') return { steps: [{ waitMs: 500 }, { text: words }] };
      return words.includes('work') ? callsResponse(['wait', { ms: 60_000 }]) : textResponse(`about ${words}`);
    },
  });
  const { url } = await startGateway({ runtime: harness.runtime });
  const client = await connectChecked({ url });
  onTestFinished(() => client.close());
  const session = client.session('s', { after: 0 });
  const view = new SessionView(session);
  await session.joined;
  const pass = <T>(condition: () => T | false | null | undefined) =>
    until(async () => {
      await harness.clock.advance(10);
      return condition();
    });
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const note = () => {
      isSettled = true;
    };
    promise.then(note, note);
    await pass(() => isSettled);
    return promise;
  };
  const turnView = (id: string | null) => view.getSnapshot().turns.find(({ node }) => node.id === id);
  return { harness, session, view, pass, settle, turnView };
}

test('a steer is consumed by the turn that runs, and then is that turn [recover.queue]', async () => {
  const { harness, session, pass, settle, turnView } = await start();
  const turn = session.say('work');
  await pass(() => harness.entered.length === 1);
  const steer = session.steer('b as well');
  await pass(() => turnView(turn.id)?.inputs.length === 1);
  expect(turnView(turn.id)?.inputs).toMatchObject([
    { text: 'b as well', owner: 'local', fate: 'waiting', index: null },
  ]);
  session.cancel(harness.entered[0] ?? '');
  expect(await settle(steer.fate)).toBe('consumed');
  expect(await steer.opened).toBe(turn.id);
  expect(await settle(steer.reply())).toBe('about b as well');
  expect(turnView(turn.id)?.inputs).toMatchObject([{ fate: 'consumed', index: 1 }]);
});

test('where no turn runs a steer opens one, and one that is not read in time does so later [recover.queue]', async () => {
  const { session, pass, settle, turnView } = await start();
  const first = session.steer('hello');
  expect(await settle(first.fate)).toBe('queued');
  await settle(first.ended);
  const talking = session.say('at length');
  await pass(() => talking.id !== null);
  const late = session.steer('too late');
  expect(await settle(late.fate)).toBe('queued');
  expect(await settle(late.reply())).toBe('about too late');
  expect(turnView(talking.id)?.inputs).toMatchObject([{ id: late.id, fate: 'queued' }]);
  expect(late.id).not.toBe(talking.id);
});

test('a steer that is stopped while it waits says so, and its receipt names it [recover.queue] [cancel.latch.deferred]', async () => {
  const { harness, session, view, pass, settle, turnView } = await start();
  const turn = session.say('work');
  await pass(() => harness.entered.length === 1);
  const steer = session.steer('b as well');
  const other = session.steer('and c');
  await pass(() => turnView(turn.id)?.inputs.length === 2);
  const [input] = turnView(turn.id)?.inputs ?? [];
  const alone = steer.cancel();
  expect(await settle(steer.fate)).toBe('cancelled');
  await expect(steer.opened).rejects.toMatchObject({ name: 'CommandRefused', code: 'cancelled_before_start' });
  expect((await settle(alone.settled))?.nodes).toMatchObject([
    { node: input?.id, kind: 'input', effect: 'not_started' },
  ]);
  turn.cancel();
  expect(await settle(other.fate)).toBe('cancelled');
  await settle(turn.ended);
  expect(turnView(turn.id)?.inputs.map(({ fate }) => fate)).toEqual(['cancelled', 'cancelled']);
  expect(view.getSnapshot().receipts.at(-1)?.queue).toMatchObject([{ fate: 'cancelled' }]);
});

test('under the policy `steer` a SAY has a fate, too; a steer of a call is refused [recover.queue]', async () => {
  const { harness, session, pass, settle } = await start('steer');
  const turn = session.say('work');
  await pass(() => harness.entered.length === 1);
  const said = session.say('b as well');
  const refused = session.steer('faster', { target: harness.entered[0] });
  await expect(settle(refused.fate)).rejects.toMatchObject({ code: 'not_steerable' });
  session.cancel(harness.entered[0] ?? '');
  expect(await settle(said.fate)).toBe('consumed');
  expect(await turn.fate).toBe('queued');
});

test('who joins while words wait sees them at their turn [ws.resume]', async () => {
  const { harness, session, pass } = await start();
  const turn = session.say('work');
  await pass(() => harness.entered.length === 1);
  session.steer('b as well');
  await pass(async () => (await harness.session.nodes()).some(({ kind }) => kind === 'input'));
  const { url } = await startGateway({ runtime: harness.runtime });
  const client = await connectChecked({ url });
  onTestFinished(() => client.close());
  const late = client.session('s');
  const view = new SessionView(late);
  await late.joined;
  const held = view.getSnapshot().turns.find(({ node }) => node.id === turn.id);
  expect(held?.inputs).toMatchObject([{ text: null, owner: 'local', fate: 'waiting' }]);
  expect(held?.calls).toHaveLength(1);
});
