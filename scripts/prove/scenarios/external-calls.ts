// Scenarios of calls that a bridge runs itself: they obey, are deaf, ask first, and lose their bridge.
import type { OpenedCallHandle } from '../../../src/client/call-in-flight.ts';
import type { OpenCallOptions } from '../../../src/client/command-options.ts';
import type { Scenario, ScenarioStage } from '../world/scenario.ts';

/** Opens a job for alice that obeys a stop after `unwindMs`; it never does where that is left out. */
async function openJob(
  { bob, pause }: ScenarioStage,
  { unwindMs, ...options }: OpenCallOptions & { readonly unwindMs?: number } = {},
): Promise<OpenedCallHandle> {
  const alice = bob.speaks('alice');
  await alice.enter();
  const obey = async () => {
    await pause(unwindMs ?? 0);
    await call.settle({ outcome: 'stopped', output: 'as far as it came' });
  };
  const onStop = () => unwindMs !== undefined && void obey().catch(() => {});
  const call = alice.openCall('job', { input: { of: 'alice' }, onStop, ...options });
  return call;
}

export const externalCallScenarios: readonly Scenario[] = [
  {
    name: 'a call of a bridge',
    hasBridge: true,
    model: {},
    play: async (stage) => {
      const call = await openJob(stage, { unwindMs: 10 });
      await call.started;
      call.report('half of it');
      await stage.pause(20);
      await call.settle({ outcome: 'completed', output: 'all of it' });
      await call.ended;
      return stage.alice.say('what became of it?').ended;
    },
  },
  {
    name: 'a call of a bridge that asks first',
    hasBridge: true,
    model: {},
    play: async (stage) => {
      const call = await openJob(stage, { unwindMs: 10, approval: true });
      const asked = await stage.next('approval_requested');
      if ('node' in asked) await stage.alice.approve(asked.node);
      await call.started;
      await stage.pause(20);
      await call.settle({ outcome: 'failed', message: 'no room' });
      return call.ended;
    },
  },
  {
    name: 'a call of a bridge that is deaf',
    hasBridge: true,
    session: { policy: 'owner' },
    model: {},
    play: async (stage) => {
      const call = await openJob(stage);
      await call.started;
      const stop = stage.alice.cancel('mine', { reason: 'enough' });
      await stop.settled;
      await call.settle({ outcome: 'completed', output: 'too late' });
      return call.ended;
    },
  },
  {
    name: 'a call of a bridge that is lost',
    hasBridge: true,
    limits: { disconnectGraceMs: 100 },
    model: {},
    play: async (stage) => {
      const call = await openJob(stage, { unwindMs: 10 });
      await call.started;
      stage.lose('bob');
      await stage.pause(20);
      await call.settle({ outcome: 'completed', output: 'all of it' });
      return call.ended;
    },
  },
];
