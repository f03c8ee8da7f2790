// Work that a CANCEL does not stop at once, over real sockets and processes: a shielded turn, and a provider that ignores its signal. And the ends of which
// observers are notified after a crash.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { ModelEnd, Provider } from '../../src/core/contracts/provider.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { living, newToken } from '../adapters/processes/processes.ts';
import { room, serveBelay, tokenOf } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { startGateway } from '../support/gateway.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

test('a turn that may not be interrupted runs to its end, and all of its text is shown and kept [cancel.shield.shown]', async () => {
  const token = newToken();
  const belay = await serveBelay(endpoint, { config: { interruptible: false, shieldMs: 0 } });
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'All of it is there.' } },
    {
      reply: { calls: [shellCall(`true ${token}; until test -e go; do sleep 0.02; done; echo whole`, belay.folder.a)] },
    },
  ]);
  const client = await connectRaw(belay.url);
  await client.hello(tokenOf('ann'));
  await client.join(room);
  client.send({ type: 'SAY', ref: 's1', text: 'words' });
  const { turn } = await client.waitFor('turn_opened');
  await untilRunning(token);
  const { node } = await client.waitFor('tool_started');
  client.send({ type: 'CANCEL', ref: 'c1', target: turn });
  expect(await client.waitFor('cancel_accepted')).toMatchObject({ stopping: [], pending: [turn, node] });
  expect(living(token)).not.toEqual([]);
  writeFileSync(join(belay.folder.a, 'go'), '');
  expect(await client.waitFor('tool_result')).toMatchObject({ outcome: 'completed' });
  expect(await client.waitFor('model_ended', { index: 1 })).toMatchObject({ text: 'All of it is there.' });
  expect(await client.waitFor('turn_ended')).toMatchObject({ outcome: 'completed' });
  const { nodes } = await client.waitFor('cancel_settled');
  expect(nodes).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
  const shown = client.all('text_delta').map(({ text }) => text);
  expect(shown.join('')).toBe('All of it is there.');
});

test('a provider that ignores its signal is named in `model_ended` and in the receipt; the next turn works [cancel.bounded]', async () => {
  const ignored = Promise.withResolvers<ModelEnd>();
  const usage = { kind: 'exact', input: 1, output: 1 } as const;
  const provider: Provider = {
    name: 'ignores its signal once',
    async stream({ messages }, { onText }) {
      const isFirst = messages.at(-1)?.content === 'words';
      onText(isFirst ? 'on and ' : 'fine');
      return isFirst ? ignored.promise : { kind: 'completed', finish: 'stop', calls: [], usage };
    },
  };
  const runtime = await createLocalRuntime({
    acknowledge: 'off',
    log: createMemoryLog(),
    provider,
    tools: [],
    warn: () => {},
  });
  const { url } = await startGateway({ runtime });
  const client = await connectRaw(url);
  await client.hello();
  await client.join(room);
  client.send({ type: 'SAY', ref: 's1', text: 'words' });
  await client.waitFor('text_delta');
  client.send({ type: 'CANCEL', target: 'mine' });
  expect(await client.waitFor('model_ended')).toMatchObject({ outcome: 'abandoned', text: 'on and ' });
  expect(await client.waitFor('cancel_settled')).toMatchObject({
    nodes: [{ kind: 'turn', outcome: 'cancelled', code: 'model_abandoned' }],
  });
  client.send({ type: 'SAY', ref: 's2', text: 'and now?' });
  expect(await client.waitFor('turn_ended', { outcome: 'completed' })).toBeTruthy();
  expect(client.all('abandoned_ended')).toEqual([]);
  ignored.resolve({ kind: 'stopped', calls: [], usage });
  expect(await client.waitFor('abandoned_ended')).toBeTruthy();
  await runtime.close();
});

test('after a kill -9 an observer with a cursor is notified of what it has missed, and of every end [ops.hooks.crash]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-observed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const token = newToken();
  const startHost = (cursor: number, ...mode: string[]) =>
    startChild('test/children/observed-host.ts', {
      args: [join(folder, 'store.sqlite'), String(cursor), ...mode],
      cwd: folder,
      env: { TOKEN: token },
    });
  const first = startHost(0, 'say');
  await first.untilPrinted('running', 20_000);
  first.signal('SIGKILL');
  await first.ended();
  const [turnStarted = 0] = [...first.stdout().matchAll(/^started turn (\d+)$/gm)].map(([, seq]) => Number(seq));
  const next = startHost(turnStarted); // the cursor of an observer that has recorded the start of the turn, not of its call
  await next.untilPrinted('recovered', 20_000);
  expect(await next.ended()).toBe(0);
  await until(() => living(token).length === 0, { ms: 10_000, what: 'the command to be dead' });
  const lines = next.stdout().split('\n');
  expect(lines.filter((line) => line.startsWith('started'))).toEqual([
    expect.stringMatching(/^started tool-call \d+$/),
  ]);
  expect(lines.filter((line) => line.startsWith('ended'))).toEqual([
    expect.stringMatching(/^ended tool-call failed \d+$/),
    expect.stringMatching(/^ended turn failed \d+$/),
  ]);
});
