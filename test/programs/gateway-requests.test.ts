// Requests of a command to a gateway, while the time of day is set.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GatewayRequests } from '../../src/programs/gateway-requests.ts';

test('a clock that is set an hour forward ends no command that waits for its reply', async () => {
  const now = Date.now;
  const server = createServer((_, response) => {
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    response.writeHead(200, { 'content-type': 'application/json' });
    setTimeout(() => response.end('{"status":"open"}'), 50); // later than a timer of a command whose time is up
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    vi.restoreAllMocks();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const gateway = new GatewayRequests({ url: `ws://127.0.0.1:${port}/belay`, token: undefined, waitMs: 600_000 });
  for (const _ of ['before the step', 'after it'])
    expect(await gateway.send('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'open' } });
});
