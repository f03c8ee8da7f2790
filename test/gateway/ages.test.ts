// The times that a gateway says to a client: its own in the welcome, and in `joined` the age of each node that runs.
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { msSince } from '../../src/core/sources/monotonic-time.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { callsResponse, toolOf } from '../support/harness.ts';
import { connectRaw } from '../support/raw-client.ts';

test('a client that joins in the middle learns the time of the gateway and the age of what runs there [clock.ages]', async () => {
  const { clock } = systemSources;
  const provider = createScriptedProvider({ clock, respond: () => callsResponse(['hang']) });
  const hang = toolOf('hang', (_, { signal }) => new Promise((resolve) => (signal.onabort = () => resolve('stopped'))));
  const runtime = await createRuntime({ provider, tools: [hang], acknowledge: 'off', limits: { progressMs: 20 } });
  onTestFinished(() => runtime.close());
  const { url } = await startGateway({ runtime });
  const ann = await connectRaw(url);
  await ann.hello();
  await ann.join('s');
  const saidAt = clock.elapsed();
  ann.send({ type: 'SAY', ref: 'r1', session: 's', text: 'work' });
  await ann.waitFor('tool_progress', { session: 's' });

  const before = clock.now();
  const phone = await connectRaw(url);
  const { now, features } = await phone.hello();
  expect(features).toContain('ages');
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(clock.now());
  const { nodes } = await phone.join('s');
  const passedMs = msSince(clock, saidAt);
  for (const { ageMs } of nodes as readonly { readonly ageMs: number }[]) {
    expect(ageMs).toBeGreaterThan(0);
    expect(ageMs).toBeLessThanOrEqual(passedMs);
  }
  expect(nodes).toHaveLength(2);
});
