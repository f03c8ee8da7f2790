// Limits of rates of the Realtime API, with a virtual clock, at the strict server.
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../../src/core/sources/virtual.ts';
import type { ResponsePlan } from '../../../support/realtime/server-script.ts';
import { until } from '../../../support/until.ts';
import { LinkedModel, type RunningCall, userMessage } from './linked-model.ts';

const plan: ResponsePlan = { text: 'One two.', ms: 400 };
const limited = (seconds: number): ResponsePlan => ({
  ...plan,
  rateLimits: [
    { name: 'requests', remaining: 12, reset_seconds: 600 },
    { name: 'tokens', remaining: 0, reset_seconds: seconds },
  ],
});
const refused: ResponsePlan = { fails: { type: 'requests', code: 'rate_limit_exceeded', message: 'Slow down.' } };
const hello = [userMessage('hello')];

/** A model whose time is virtual, and which gives these answers, and the plan after them. `asked`: when each was asked for. */
async function startLimited(...plans: readonly ResponsePlan[]) {
  const clock = createVirtualClock();
  const left = [...plans];
  const asked: number[] = [];
  const respond = () => {
    asked.push(clock.now());
    return left.shift() ?? plan;
  };
  return { it: await LinkedModel.start({ respond }, { clock, random: () => 1 }), clock, asked };
}

test('with nothing left the next response waits until the limit is reset [voice.realtime]', async () => {
  const { it, clock, asked } = await startLimited(limited(20));
  await using _ = it;
  expect(await it.call('t1', hello).end).toMatchObject({ kind: 'completed' });
  await clock.advance(5_000);
  const next = it.call('t2', hello);
  const acknowledgement = it.call('ack', hello, { acknowledges: 'cancel_1' });
  await clock.advance(14_999);
  await clock.advance(1);
  for (const { end } of [next, acknowledgement]) expect(await end).toMatchObject({ kind: 'completed' });
  expect(await it.call('t3', hello).end).toMatchObject({ kind: 'completed' });
  expect([asked, it.server.refusals, it.room.msOf('t2')]).toEqual([[0, 20_000, 20_000, 20_000], [], 400]);
});

test('a stop during the wait sends nothing, and the next one waits for the rest of it [voice.realtime]', async () => {
  const { it, clock, asked } = await startLimited(limited(20));
  await using _ = it;
  await it.call('t1', hello).end;
  const stopped = it.call('t2', hello);
  await clock.advance(12_000);
  stopped.abort();
  expect(await stopped.end).toMatchObject({ kind: 'stopped', usage: { kind: 'exact', input: 0, output: 0 } });
  const next = it.call('t3', hello);
  await clock.advance(7_999);
  await clock.advance(1);
  expect(await next.end).toMatchObject({ kind: 'completed' });
  await clock.advance(60_000);
  expect([asked, it.room.msOf('t2')]).toEqual([[0, 20_000], 0]);
  expect(it.server.session.received.filter(({ type }) => type === 'response.create')).toHaveLength(2);
});

test('a longer wait than half a minute is left to the provider, which refuses by name, once', async () => {
  const { it, clock, asked } = await startLimited(limited(3_600), refused);
  await using _ = it;
  await it.call('t1', hello).end;
  const end = await it.call('t2', hello).end;
  expect(end).toMatchObject({ kind: 'failed', code: 'model_rate_limited', message: 'Slow down.' });
  await clock.advance(3_600_000);
  expect(await it.call('t3', hello).end).toMatchObject({ kind: 'completed' });
  expect(asked).toEqual([0, 0, 3_600_000]);
});

test('a response that is refused is asked for again, when the limit is reset or after a moment', async () => {
  const { rateLimits = [] } = limited(7);
  const { it, clock, asked } = await startLimited({ ...refused, rateLimits }, plan, refused, refused, refused);
  await using _ = it;
  const endOf = async ({ end }: RunningCall) => {
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    await until(async () => {
      if (!isOver) await clock.advance(100);
      return isOver;
    });
    return await end;
  };
  expect(await endOf(it.call('t1', hello))).toMatchObject({ kind: 'completed' });
  expect(await endOf(it.call('t2', hello))).toMatchObject({ kind: 'failed', code: 'model_rate_limited' });
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = asked;
  expect(second - first).toBeGreaterThanOrEqual(7_000);
  expect(fourth - third).toBeGreaterThanOrEqual(500);
  expect(fifth - fourth).toBeGreaterThanOrEqual(1_000);
  expect([asked.length, it.server.refusals]).toEqual([5, []]);
});
