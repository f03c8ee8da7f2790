// The machine of a voice session's speech is an actor of its session.
import { expect, test } from 'vitest';
import { callsOnce } from '../support/harness.ts';
import { collectRecords, startObservedHarness } from './observed.ts';

test('it hangs below the machine of its session, also for whoever comes late, and goes with it', async () => {
  const harness = await startObservedHarness({ respond: callsOnce(['wait']), session: () => ({ kind: 'voice' }) });
  await harness.say('words');
  const collected = collectRecords(harness.inspector);
  const [session] = collected.actors();
  const speech = collected.actors().find(({ name }) => name === 'speech');
  expect(speech).toMatchObject({ name: 'speech', chart: 'speech', parent: session?.actor, root: session?.actor });
  await harness.clock.advance(50);
  await harness.cancel({ target: 'session' });
  await harness.clock.advance(1_000);
  const closed = harness.runtime.close();
  await harness.clock.advance(1_000);
  await closed;
  expect(harness.inspector.observers).toBe(0);
  expect(collected.events('CANCEL').some(({ actor }) => actor === speech?.actor)).toBe(true);
});
