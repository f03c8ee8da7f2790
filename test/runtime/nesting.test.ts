// What a tool declares of its own bounds has to fit into those of the runtime that offers it.
import { expect, test } from 'vitest';
import { ToolDeclarationError } from '../../src/tools/declaration.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { createWorld, toolOf } from '../support/world.ts';

const commits = (shieldMaxMs: number): Tool =>
  toolOf('commits', async () => 'written', { cancel: 'shielded', shieldMaxMs });

test('a region that is longer than the longest shield is not offered: a shutdown could not wait for it [cancel.shield] [tool.contract]', async () => {
  const refused = await createWorld({ tools: [commits(60_000)] }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ToolDeclarationError);
  expect(refused).toMatchObject({
    tool: 'commits',
    field: 'shieldMaxMs',
    message: 'The tool `commits` has a `shieldMaxMs` of 60000, which must be at most limits.shieldMs (5000).',
  });
  const limits = { shieldMs: 60_000, shutdownMs: 70_000 };
  await expect(createWorld({ tools: [commits(60_000)], limits })).resolves.toBeDefined();
});
