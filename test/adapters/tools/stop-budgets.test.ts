// The grace of a tool that starts processes must fit into the stop budget of its runtime.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtinTools } from '../../../src/adapters/tools/builtin/builtin-tools.ts';
import { isolatedTool } from '../../../src/adapters/tools/isolate/isolated-tool.ts';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { ToolDeclarationError } from '../../../src/core/tools/declaration-rules.ts';
import { startHarness } from '../../support/harness.ts';

const isolated = (termGraceMs: number): Tool =>
  isolatedTool({
    name: 'isolated',
    description: 'Does what its module does.',
    input: { type: 'object' },
    access: 'parallel',
    effect: 'none',
    isolate: { module: join(import.meta.dirname, '..', '..', 'children', 'isolated.ts'), termGraceMs },
  });

test.each<[string, () => readonly Tool[]]>([
  ['isolated', () => [isolated(1_500)]],
  ['shell', () => builtinTools({ allowShell: true, termGraceMs: 1_500 })],
  ['run_code', () => builtinTools({ allowCode: true, termGraceMs: 1_500 })],
  ['browse', () => builtinTools({ allowBrowser: { program: '/no/such/browser' }, termGraceMs: 1_500 })],
])(
  '%s with a grace longer than the stop budget is rejected: each of its calls would be abandoned [cancel.bounded] [tool.contract]',
  async (name, tools) => {
    const refused = await startHarness({ tools: tools() }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ToolDeclarationError);
    expect(refused).toMatchObject({
      tool: name,
      field: 'stopMs',
      message: `The tool \`${name}\` has a \`stopMs\` of 1500, which must be less than limits.toolCancelMs (1500).`,
    });
    await expect(startHarness({ tools: tools(), limits: { toolCancelMs: 1_501 } })).resolves.toBeDefined();
  },
);
