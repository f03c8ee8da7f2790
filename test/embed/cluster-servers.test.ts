// Hosts of several machines as their operators have them: the sessions in PostgreSQL, the bus over NATS.
import { describe, expect, onTestFinished, test } from 'vitest';
import { createNatsBus } from '../../src/adapters/buses/nats-bus.ts';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createPostgresLog } from '../../src/adapters/stores/postgres/postgres.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { callerOf } from '../support/harness.ts';
import { hasNats, useNats } from '../support/nats.ts';
import { hasPostgres, usePostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

describe.runIf(hasPostgres && hasNats)('hosts on PostgreSQL and NATS', () => {
  const database = usePostgres();
  const nats = useNats();

  test('a session of one is joined, spoken in and stopped at the other; when its holder closes, it goes on there [cluster.session] [cluster.moves]', async () => {
    const options = await database.newDatabase();
    const start = async (host: string): Promise<EmbeddedRuntime> => {
      const log = await createPostgresLog(options);
      const bus = await createNatsBus({ key: 'the key of the cluster in these tests', servers: nats.address() });
      const provider = createScriptedProvider({
        clock: systemSources.clock,
        respond: (_, n) => ({ steps: n === 0 ? [{ text: 'I wait.' }, { hang: true }] : [{ text: 'Well.' }] }),
      });
      const runtime = await createRuntime({ acknowledge: 'off', log, bus, host, provider });
      onTestFinished(async () => {
        await runtime.close({ force: true });
        await bus.close();
        await log.close();
      });
      return runtime;
    };
    const [first, second] = [await start('first'), await start('second')];
    const ann = callerOf('ann');
    await first.open('s');
    const recorder = createRecorder();
    await second.join('s', ann, recorder.listener, 0);
    expect(await second.say('s', ann, { text: 'wait' })).toMatchObject({ type: 'turn_opened' });
    await until(() => recorder.texts.length > 0, { what: 'the first words' });
    expect(await second.cancel('s', ann, { target: 'mine' })).toMatchObject({ type: 'cancel_accepted' });
    await until(() => recorder.of('turn_ended').length === 1, { what: 'the end of the turn' });
    expect(recorder.of('turn_ended')).toMatchObject([{ outcome: 'cancelled' }]);
    await first.close();
    await second.say('s', ann, { text: 'go on' });
    await until(() => recorder.of('turn_opened').length === 2, { what: 'the second turn' });
    expect(recorder.joins).toHaveLength(1);
    expect(recorder.ended).toBe(null);
  });
});
