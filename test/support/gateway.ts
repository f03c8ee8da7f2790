// A gateway on a real socket in front of a runtime, for one test.
import { expect, onTestFinished } from 'vitest';
import { systemSources } from '../../src/core/sources/system.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts';
import { type Listening, type ListenOptions, listen } from '../../src/gateway/http/listen.ts';
import { UndeclaredProblem } from '../../src/gateway/http/route-problems.ts';

export interface TestGateway {
  readonly gateway: Gateway;
  readonly listening: Listening;
  readonly url: string;
  /** The reported bugs. */
  readonly reports: unknown[];
}

export async function startGateway(
  options: Pick<GatewayOptions, 'runtime'> & Partial<GatewayOptions>,
  at: Partial<ListenOptions> = {},
): Promise<TestGateway> {
  const reports: unknown[] = [];
  const gateway = createGateway({
    sources: systemSources,
    authenticator: createLocalAuthenticator(),
    ...options,
    report(error) {
      reports.push(error);
      options.report?.(error);
    },
    limits: { closeMs: 200, ...options.limits },
  });
  const listening = await listen(gateway, { port: 0, ...at });
  onTestFinished(async () => {
    await gateway.close();
    await listening.close();
    // whatever the test is about: the description of the interface lists every problem that a route replies with
    expect(reports.filter((report) => report instanceof UndeclaredProblem)).toEqual([]);
  });
  return { gateway, listening, url: listening.url, reports };
}
