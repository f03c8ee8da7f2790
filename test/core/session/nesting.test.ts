// The limits that a tool declares must fit into the limits of its runtime.
import { expect, test } from 'vitest';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { ToolDeclarationError } from '../../../src/core/tools/declaration-rules.ts';
import { startHarness, toolOf } from '../../support/harness.ts';

const commits = (shieldMaxMs: number): Tool =>
  toolOf('commits', async () => 'written', { cancel: 'shielded', shieldMaxMs });

test('a tool whose shielded region is longer than the longest shield is rejected: a shutdown could not wait for it [cancel.shield] [tool.contract]', async () => {
  const refused = await startHarness({ tools: [commits(60_000)] }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ToolDeclarationError);
  expect(refused).toMatchObject({
    tool: 'commits',
    field: 'shieldMaxMs',
    message: 'The tool `commits` has a `shieldMaxMs` of 60000, which must be at most limits.shieldMs (5000).',
  });
  const limits = { shieldMs: 60_000, shutdownMs: 70_000 };
  await expect(startHarness({ tools: [commits(60_000)], limits })).resolves.toBeDefined();
});

test('a tool may have a stop budget of its own, below the limit of a shutdown [cancel.bounded] [tool.contract]', async () => {
  const slow = (stopBudgetMs: number, stopMs: number) => [
    { ...toolOf('slow', async () => 'done'), stopBudgetMs, stopMs },
  ];
  await expect(startHarness({ tools: slow(3_000, 2_000) })).resolves.toBeDefined();
  await expect(startHarness({ tools: slow(3_000, 3_000) })).rejects.toThrow(
    'has a `stopMs` of 3000, which must be less than its stopBudgetMs (3000)',
  );
  await expect(startHarness({ tools: slow(10_000, 2_000) })).rejects.toThrow(
    'has a `stopBudgetMs` of 10000, which must be less than limits.shutdownMs (10000)',
  );
});
