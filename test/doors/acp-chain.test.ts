// A chain: a client, `belay acp`, an outside agent that is `belay acp` again, and its shell. One cancel ends all of it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { startAcp } from '../support/acp-client.ts';
import { newWorkspace, writeConfig } from '../support/belay.ts';
import { requestEnds, shellCall, untilAllEnded, untilRunning, useEndpoint } from '../support/journey.ts';
import { storedFacts } from '../support/stored-facts.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();
const belay = join(import.meta.dirname, '..', '..', 'src', 'programs', 'belay.ts');

test('one cancel ends a chain of two and their shell within the budgets; the receipts of both are there [doors.acp-chain]', async () => {
  const inner = newWorkspace();
  const outer = newWorkspace();
  const token = newToken();
  await endpoint.script([
    {
      when: { user: 'build it' },
      reply: { text: 'Building.', calls: [shellCall(`trap '' TERM; sleep ${token}`, '.')] },
    },
    { reply: { calls: [{ name: 'spawn_agent', arguments: { agent: 'coder', task: 'build it' } }] } },
  ]);
  const innerArgs = ['acp', '--config', writeConfig(endpoint, inner, { roots: [inner.path] })];
  const config = {
    roots: [outer.path],
    limits: { agentCancelMs: scaled(4_000) },
    agents: {
      coder: {
        description: 'Writes code.',
        acp: {
          command: process.execPath,
          args: [belay, ...innerArgs],
          cwd: inner.folder.a,
          cancelMs: scaled(3_000),
        },
      },
    },
  };
  const acp = await startAcp({ cwd: outer.path, args: ['--config', writeConfig(endpoint, outer, config)] });
  const id = await acp.open(outer.folder.a);
  const prompted = acp.prompt(id, 'hand it over');
  await untilRunning(token);
  await until(() => JSON.stringify(acp.calls()).includes('Building.'), { what: 'the report of the inner agent' });
  expect(living(inner.path).length).toBeGreaterThan(0);
  await acp.cancel(id);
  const { stopReason, _meta } = await prompted;
  expect(living(token)).toEqual([]);
  expect(living(inner.path)).toEqual([]);
  expect(stopReason).toBe('cancelled');
  const belayField = _meta?.['belay'] as {
    readonly receipt: { readonly nodes: readonly { readonly outcome: string }[] };
  };
  const outcomes = belayField.receipt.nodes.map(({ outcome }) => outcome);
  expect(new Set(outcomes)).toEqual(new Set(['cancelled']));
  await untilAllEnded({ endpoint });
  expect(requestEnds(await endpoint.requests())).toEqual(['200 finished', '200 finished']);
  const settled = storedFacts(inner.store).find(({ type }) => type === 'cancel_settled');
  expect(settled).toMatchObject({ cause: { source: 'client', door: 'acp' } }); // by the protocol, before any signal
});
