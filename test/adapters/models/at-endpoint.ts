// Support of the openai provider's tests: the provider at an endpoint, clocks, a server that the test plays.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ChatProviderOptions, createChatProvider } from '../../../src/adapters/models/chat/chat-provider.ts';
import type { Provider } from '../../../src/core/contracts/provider.ts';
import type { Clock } from '../../../src/core/sources/sources.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createVirtualClock, seededRandom, type VirtualClock } from '../../../src/core/sources/virtual.ts';
import type { LoggedRequest, Reply, TestEndpoint } from '../../support/endpoint.ts';
import { until } from '../../support/until.ts';

export function providerAt(baseUrl: string, options: Partial<ChatProviderOptions> = {}): Provider {
  return createChatProvider({
    baseUrl,
    apiKey: 'test-key',
    model: 'scripted',
    clock: systemSources.clock,
    random: seededRandom(1),
    ...options,
  });
}

/** Scripts `replies`, one for each request and the last one for all that follow; `seen` returns the requests since. */
export async function answering(
  endpoint: TestEndpoint,
  ...replies: readonly Reply[]
): Promise<{ seen(): Promise<readonly LoggedRequest[]> }> {
  const before = (await endpoint.requests()).length;
  await endpoint.script(replies.map((reply, i) => ({ reply, ...(i < replies.length - 1 ? { times: 1 } : {}) })));
  return { seen: async () => (await endpoint.requests()).slice(before) };
}

/** Resolves when the last response hangs, and what was sent before has arrived: the second query comes after it. */
export async function hanging(endpoint: TestEndpoint): Promise<void> {
  await until(async () => (await endpoint.requests()).at(-1)?.hanging, { what: 'the response to hang' });
  await endpoint.requests();
}

/** A clock that runs a hundred times as fast, for waits that no test needs in full. */
export const hasty: Clock = {
  ...systemSources.clock,
  now: () => systemSources.clock.now() * 100,
  after: (ms, fn) => systemSources.clock.after(ms / 100, fn),
};

/** A virtual clock, and the delays of its timers. */
export function recordingClock(): { clock: VirtualClock; watched: Clock; waits: number[] } {
  const clock = createVirtualClock();
  const waits: number[] = [];
  const watched: Clock = {
    ...clock,
    after(ms, fn) {
      waits.push(ms);
      return clock.after(ms, fn);
    },
  };
  return { clock, watched, waits };
}

/** A server whose responses the test writes. */
export async function bareServer(): Promise<{ url: string; responses: ServerResponse[] }> {
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => void responses.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, responses };
}
