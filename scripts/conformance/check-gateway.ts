// Checks a gateway, one requirement after the other, each with connections and a session of its own.
import { accessChecks } from './access-checks.ts';
import { connectionChecks, type GatewayCheck } from './connection-checks.ts';
import { forkChecks } from './fork-checks.ts';
import { GatewayUnderTest, type TestedGatewayOptions } from './gateway-under-test.ts';
import { limitChecks } from './limit-checks.ts';
import { restartChecks } from './restart-checks.ts';
import { roomChecks } from './room-checks.ts';
import { sessionChecks } from './session-checks.ts';
import { stopChecks } from './stop-checks.ts';
import { assertThat, type CheckVerdict, type Requirement, verdictOf } from './verdict.ts';
import { wordsChecks } from './words-checks.ts';

/** Every frame of the other checks; it comes last. */
const formCheck: GatewayCheck = {
  id: 'frames.form',
  must: 'send frames of the types and with the fields that this page has, each of its type',
  async run({ invalid }) {
    assertThat(invalid.size === 0, [...invalid].slice(0, 5).join('; '));
  },
};

export const gatewayChecks: readonly GatewayCheck[] = [
  ...connectionChecks,
  ...sessionChecks,
  ...stopChecks,
  ...accessChecks,
  ...wordsChecks,
  ...forkChecks,
  ...roomChecks,
  ...limitChecks,
  ...restartChecks,
  formCheck,
];

/**
 * Runs the checks, and calls `report` after each. Resolves with the number of failed ones. `only`: the ids of those to run; left out: all.
 */
export async function checkGateway(
  options: TestedGatewayOptions,
  report: (requirement: Requirement, verdict: CheckVerdict) => void,
  only?: readonly string[],
): Promise<number> {
  const gateway = new GatewayUnderTest(options);
  let failed = 0;
  for (const check of gatewayChecks) {
    if (only && !only.includes(check.id)) continue;
    const verdict = await check.run(gateway).then((): CheckVerdict => ({ kind: 'ok' }), verdictOf);
    gateway.release();
    if (verdict.kind === 'failed') failed++;
    report(check, verdict);
  }
  return failed;
}
