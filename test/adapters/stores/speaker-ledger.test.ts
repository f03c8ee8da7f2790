// The ledger of speakers reads what the store holds of today.
import { expect, onTestFinished, test } from 'vitest';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { SpeakerLedger } from '../../../src/core/session/speaker-ledger.ts';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { modelEndOf, noon } from '../../support/spent-today.ts';
import { newStorePath } from '../../support/store-path.ts';
import { until } from '../../support/until.ts';

test('what a speaker has spent today counts after a restart, what was spent yesterday does not', async () => {
  const log = createSqliteLog({ path: newStorePath() });
  onTestFinished(() => log.close());
  const epoch = await log.claim('s', 0, 'host');
  const earlier = Array.from({ length: 2_100 }, (_, i) => modelEndOf('ben', noon - 90_000_000 + i));
  await log.append('s', epoch, 0, [
    ...earlier,
    modelEndOf('ann', noon - 80_000_000),
    modelEndOf('ann', noon - 1_000),
    modelEndOf('ann', noon - 500),
  ]);
  const clock = createVirtualClock(noon);
  const ledger = new SpeakerLedger(log, clock);
  ledger.add('ann', { kind: 'exact', input: 5, output: 0 });
  await ledger.load();
  await until(() => ledger.spentBy('ann').tokens > 5, { what: 'the facts of today' });
  expect(ledger.spentBy('ann').tokens).toBe(2_005);
  expect(ledger.spentBy('ben').tokens).toBe(0);
});
