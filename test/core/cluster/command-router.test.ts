// The road of a command to the holder of its session: what its error says, and for how long the holder is looked for.
import { expect, test } from 'vitest';
import { CommandRouter } from '../../../src/core/cluster/command-router.ts';
import type { HolderReply } from '../../../src/core/cluster/forwarded-commands.ts';
import { HeldSessions } from '../../../src/core/cluster/held-sessions.ts';
import type { Bus, BusAnswer } from '../../../src/core/contracts/bus.ts';
import { HeldElsewhere } from '../../../src/core/contracts/log.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';

type Answer = HolderReply | 'none' | 'silent';

/** Asks a holder that gives these answers, the last one for ever. `silent` and `working` take their time. */
function ask(answers: readonly Answer[]) {
  const clock = createVirtualClock();
  let asked = 0;
  const bus: Bus = {
    state: 'up',
    ask: async (): Promise<BusAnswer> => {
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? 'none';
      if (answer === 'none') return { type: answer };
      const ms = answer === 'silent' ? 1_000 : answer.type === 'working' ? 500 : 0;
      if (ms > 0) await new Promise<void>((resolve) => clock.after(ms, resolve));
      return answer === 'silent' ? { type: answer } : { type: 'answer', text: JSON.stringify(answer) };
    },
    answer: () => () => {},
    publish: () => {},
    subscribe: () => () => {},
    onState: () => () => {},
    close: async () => {},
  };
  const drain = { isOn: false, takersOf: () => [], keep() {} };
  const router = new CommandRouter({ bus, clock, drain, held: new HeldSessions(bus, clock), ids: (prefix) => prefix });
  const result = router.run<unknown>({
    session: 's',
    local: () => Promise.reject(new HeldElsewhere('s')),
    question: () => ({ name: 'settled', given: ['s', 'c1'] }),
    result: (value) => value,
  });
  const settled = result.catch((error: unknown) => error);
  return { settled, advance: () => clock.advance(60_000) };
}

test('a holder that may have done it, and is gone, is one that did not reply [cluster.loss]', async () => {
  const lost = ask(['silent', 'none']);
  await lost.advance();
  expect(await lost.settled).toMatchObject({ name: 'HolderSilent', code: 'unavailable' });
});

test('a session that was never reached is held elsewhere [cluster.loss]', async () => {
  const away = ask(['none']);
  await away.advance();
  expect(await away.settled).toMatchObject({ name: 'HeldElsewhere' });
  const moved = ask(['silent', { type: 'moved' }, 'none']);
  await moved.advance();
  expect(await moved.settled).toMatchObject({ name: 'HeldElsewhere' }); // it said that nothing has happened
});

test('a holder that has worked for long is asked again when one of its replies is lost [cluster.loss]', async () => {
  const working: Answer[] = Array.from({ length: 20 }, () => ({ type: 'working' }));
  const slow = ask([...working, 'silent', { type: 'done', value: 'settled' }]);
  await slow.advance();
  expect(await slow.settled).toBe('settled');
});
