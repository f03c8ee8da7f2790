// Definition of a tool by its author.
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../../src/core/contracts/tool.ts';
import { ToolDeclarationError } from '../../../src/core/tools/declaration-rules.ts';
import { defineTool } from '../../../src/core/tools/define-tool.ts';
import { createRegistry } from '../../../src/core/tools/registry.ts';
import { recordingContext } from '../../../src/testing/recording-context.ts';
import { startHarness } from '../../support/harness.ts';

const parts = {
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number().max(100), b: z.number().default(1) }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: async ({ a, b }: { a: number; b: number }) => String(a + b),
} as const;

function refusal(make: () => unknown): ToolDeclarationError {
  try {
    make();
  } catch (error) {
    if (error instanceof ToolDeclarationError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

test('one schema gives the check, the type and the declaration to the model [tool.contract]', async () => {
  const add = defineTool({
    ...parts,
    run: async (input) => {
      expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
      return String(input.a + input.b);
    },
  });
  expect(add.parse({ a: 2 })).toEqual({ ok: true, input: { a: 2, b: 1 } });
  expect(await add.run({ a: 2, b: 1 }, recordingContext().context)).toBe('3');
  expect(add.timeoutMs).toBe('default');
  expect(createRegistry([add]).declarations()).toEqual([
    {
      name: 'add',
      description: 'Adds two numbers.',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number', maximum: 100 }, b: { type: 'number', default: 1 } },
        required: ['a'],
      },
    },
  ]);
});

test('a JSON Schema is checked as well as declared [tool.contract]', () => {
  const input = {
    type: 'object',
    properties: {
      lines: { type: 'array', items: { type: 'object', properties: { text: { type: 'string', maxLength: 3 } } } },
    },
    required: ['lines'],
  };
  const tool = defineTool({ ...parts, input, run: async () => '' });
  expect(tool.input).toBe(input);
  expect(tool.parse({ lines: [{ text: 'abc' }] })).toMatchObject({ ok: true });
  const wrong = tool.parse({ lines: [{ text: 'abc' }, { text: 'abcd' }] });
  expect(wrong).toEqual({ ok: false, message: 'lines[1].text: must have at most 3 characters' });
});

test('a message names each wrong field, the first five of many', () => {
  const tool = defineTool({ ...parts, input: z.object({ n: z.array(z.number()) }), run: async () => '' });
  const parsed = tool.parse({ n: 'seven!!'.split('') });
  expect(parsed).toMatchObject({ ok: false, message: expect.stringMatching(/^n\[0\]: .*; n\[4\]: .*; and 2 more$/) });
});

test.each(['name', 'description', 'input', 'access', 'cancel', 'effect', 'run'])(
  'a tool without `%s` is rejected, and the error names it [tool.contract]',
  (field) => {
    const error = refusal(() => defineTool({ ...parts, [field]: undefined } as never));
    expect(error).toMatchObject({ name: 'ToolDeclarationError', field });
    expect(error.message).toContain(field);
    const whole = defineTool(parts) as Tool;
    expect(refusal(() => createRegistry([{ ...whole, [field]: undefined } as never]))).toMatchObject({ field });
  },
);

test.each([
  ['name', 'with a space'],
  ['name', 'x'.repeat(65)],
  ['name', ''],
  ['timeoutMs', -1],
  ['timeoutMs', 1.5],
  ['timeoutMs', 2 ** 31],
  ['cancel', 'maybe'],
  ['shieldMaxMs', 100], // it is not shielded
  ['stopMs', -1],
  ['supersedes', 'its own'],
  ['approval', true],
  ['cleanup', {}],
  ['superseeds', () => 'misspelled'],
  ['isolate', { kind: 'thread' }], // see isolatedTool
  ['input', z.string()],
  ['input', { type: 'string' }],
  ['input', { type: 'object', if: {} }],
])('a tool with the %s %j is rejected [tool.contract]', (field, value) => {
  expect(refusal(() => defineTool({ ...parts, [field]: value } as never))).toMatchObject({ field });
});

test.each([
  ['access', 'exclusive', 'which only `defineTool` knows'],
  ['parse', undefined, '`defineTool` makes one'],
  ['timeoutMs', Number.NaN, 'in whole milliseconds'],
])('a tool made without `defineTool`, with the %s %j, is rejected [tool.contract]', async (field, value, message) => {
  const whole = defineTool(parts);
  const error = refusal(() => createRegistry([{ ...whole, [field]: value } as never]));
  expect(error).toMatchObject({ tool: 'add', field, message: expect.stringContaining(message) });
  await expect(startHarness({ tools: [{ ...whole, [field]: value } as never] })).rejects.toThrow(error.message);
});

test('a shielded tool declares for how long, and its other parts are kept [tool.contract]', () => {
  const more = {
    cancel: 'shielded',
    shieldMaxMs: 500,
    supersedes: ({ a }: { a: number }) => `a ${a}`,
    approval: () => null,
    cleanup: async () => {},
  } as const;
  expect(defineTool({ ...parts, ...more })).toMatchObject(more);
  expect(refusal(() => defineTool({ ...parts, cancel: 'shielded' }))).toMatchObject({ field: 'shieldMaxMs' });
});

test('`exclusive` is one key for the tool in a session [tool.parallel]', () => {
  const tool = defineTool({ ...parts, access: 'exclusive' });
  if (tool.access === 'parallel') throw new Error('it is parallel');
  const context = { session: 's', roots: [] };
  expect(tool.access({ a: 1, b: 1 }, context)).toEqual(tool.access({ a: 2, b: 2 }, context));
  expect(tool.access({ a: 1, b: 1 }, context)).toMatchObject({ scope: 'session' });
});

test('a registry returns tools by name, declares the requested ones, and rejects a second tool of one name [tool.contract]', () => {
  const add = defineTool(parts);
  const sub = defineTool({ ...parts, name: 'sub' });
  const registry = createRegistry([add, sub]);
  expect(registry.get('sub')).toBe(sub);
  expect(registry.get('toString')).toBeUndefined();
  expect(registry.declarations(['sub', 'unheard-of']).map(({ name }) => name)).toEqual(['sub']);
  expect(refusal(() => createRegistry([add, sub, add])).message).toContain('registered already');
});
