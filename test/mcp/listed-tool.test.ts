// The tool made from a listed one: its name, its schema, its declaration, its contract.
import { describe, expect, test } from 'vitest';
import { createArgumentsCheck } from '../../src/mcp/arguments-check.ts';
import { createListedTool } from '../../src/mcp/listed-tool.ts';
import { defaultMcpLimits } from '../../src/mcp/mcp-limits.ts';
import { outputOf, progressLine } from '../../src/mcp/result-text.ts';
import { toolName } from '../../src/mcp/tool-name.ts';
import { terminateLeftovers } from '../../src/process/terminate-leftovers.ts';
import { systemSources } from '../../src/sources/system.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { toolContract } from '../contract/tool.ts';
import { until } from '../support/until.ts';
import { connected, hostile, termGraceMs } from './mcp.ts';

toolContract('a tool of an MCP server', async () => ({
  tool: (await connected({ h: hostile().spec })).tool('h__echo'),
  good: { text: 'hello' },
  bad: [
    { input: {}, names: 'text' },
    { input: { text: 'more than ten' }, names: '10' },
  ],
}));

toolContract('a tool of an MCP server that ignores its cancellation', async () => ({
  tool: (await connected({ h: hostile('deaf').spec })).tool('h__wait'),
  good: { ms: 5 },
  bad: [],
  endless: {},
  endsWithinMs: 3_000,
}));

describe('the name', () => {
  test('is the server and the tool', () => {
    expect(toolName('files', 'read_file')).toBe('files__read_file');
  });

  test('keeps the pattern of a name, and two tools apart', () => {
    const names = ['a.b', 'a/b', `x${'y'.repeat(80)}`, `x${'y'.repeat(81)}`, 'größe'].map((tool) =>
      toolName('s', tool),
    );
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(toolName('s', 'a.b')).toBe(toolName('s', 'a.b'));
  });

  test.each([
    ['a', 'b__c', 'a__b', 'c'],
    ['a', '_b', 'a_', 'b'],
    ['a', 'b__c.d', 'a__b', 'c.d'],
  ])('tells the tools of two servers apart: %s and %s, %s and %s', (...[server, tool, other, another]) => {
    const names = [toolName(server, tool), toolName(other, another)];
    expect(new Set(names).size).toBe(2);
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  });
});

const never = { listTools: async () => [], call: () => new Promise<never>(() => {}), close: async () => {} };
const servedBy = { serverName: 's', server: never, stopMs: 1_200, limits: defaultMcpLimits };
const listed = (more: object = {}) => ({ name: 't', inputSchema: { type: 'object' as const }, ...more });

describe('the declaration', () => {
  test('is whole, whatever the server leaves out [tool.contract]', () => {
    const tool = createListedTool(listed(), servedBy);
    expect(createRegistry([tool]).declarations()).toEqual([
      { name: 's__t', description: 't of s', parameters: { type: 'object' } },
    ]);
    expect(tool).toMatchObject({ access: 'parallel', cancel: 'abortable', effect: 'some', timeoutMs: 'default' });
    expect(createListedTool(listed(), { ...servedBy, timeoutMs: 0 }).timeoutMs).toBe(0);
  });

  test('is rejected where it is a task, too long, or refers to another document', () => {
    expect(() => createListedTool(listed({ execution: { taskSupport: 'required' } }), servedBy)).toThrow(
      /requires MCP tasks/,
    );
    const long = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(70_000) } } };
    expect(() => createListedTool(listed({ inputSchema: long }), servedBy)).toThrow(/the limit is 65536/);
    const elsewhere = { type: 'object', properties: { a: { $ref: 'https://elsewhere/schema' } } };
    expect(() => createListedTool(listed({ inputSchema: elsewhere }), servedBy)).toThrow(/elsewhere/);
  });
});

describe('arguments', () => {
  test('are checked by the whole of JSON Schema, and passed on as they are', () => {
    const parse = createArgumentsCheck({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.org/one',
      type: 'object',
      properties: {
        kind: { const: { deep: true } },
        unit: { enum: ['km', 'mi'], default: 'km' },
        from: { $ref: '#/$defs/place' },
      },
      required: ['missing'],
      if: { required: ['from'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['to'] },
      $defs: { place: { type: 'string', minLength: 2 } },
    });
    expect(parse({ missing: 1, kind: { deep: true } })).toEqual({
      ok: true,
      input: { missing: 1, kind: { deep: true } },
    });
    const wrong: readonly (readonly [object, string])[] = [
      [{}, "'missing'"],
      [{ missing: 1, kind: {} }, 'kind'],
      [{ missing: 1, unit: 'm' }, 'unit'],
      [{ missing: 1, from: 'x', to: 'y' }, 'fewer than 2'],
      [{ missing: 1, from: 'xy' }, "'to'"],
    ];
    for (const [input, names] of wrong)
      expect(parse(input)).toMatchObject({ ok: false, message: expect.stringContaining(names) });
  });

  test('are not checked by third-party regular expressions, which may never end [cancel.bounded]', () => {
    const parse = createArgumentsCheck({
      type: 'object',
      properties: {
        pattern: { type: 'string', pattern: '^(a+)+$' },
        list: { type: 'array', items: { anyOf: [{ type: 'string', pattern: '^(a+)+$' }, { type: 'null' }] } },
      },
      patternProperties: { '^(a+)+$': { type: 'number' } },
      required: ['pattern'],
    });
    const evil = `${'a'.repeat(60)}!`;
    expect(parse({ pattern: evil, list: [evil], [evil]: 'text' })).toMatchObject({ ok: true });
    expect(parse({}), 'a property of that name is no pattern').toMatchObject({ ok: false });
  });

  const evil = `${'a'.repeat(60)}!`;
  const text = 'x'.repeat(100);
  test.each<readonly [string, object, object]>([
    ['is recursive in place', { allOf: [{ $ref: '#' }] }, {}],
    [
      'is recursive by way of two that refer to each other',
      {
        $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { not: { $ref: '#/%24defs/a' } } },
        allOf: [{ $ref: '#/$defs/a' }],
      },
      {},
    ],
    [
      'doubles with each level of the arguments',
      { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] },
      JSON.parse(`${'{"a":'.repeat(200)}{}${'}'.repeat(200)}`),
    ],
    [
      'has a regular expression where a value stands',
      { default: { pattern: '^(a+)+$' }, properties: { text: { $ref: '#/default' } } },
      { text: evil },
    ],
    [
      'has many parts for each of many values',
      { properties: { list: { items: { anyOf: Array.from({ length: 1_000 }, () => ({ type: 'string' })) } } } },
      { list: Array.from({ length: 100_000 }, () => 1) },
    ],
    [
      'measures a long text very often',
      { properties: { text: { allOf: Array.from({ length: 1_000 }, () => ({ minLength: 1 })) } } },
      { text: text.repeat(100_000) },
    ],
    [
      'compares all with all',
      { properties: { list: { uniqueItems: true } } },
      { list: Array.from({ length: 40_000 }, () => ({})) },
    ],
    ['asks to be checked later', { $async: true, required: ['missing'] }, { missing: 1 }],
  ])('are checked in no time by a schema that %s [tool.mcp] [cancel.bounded]', (_, schema, input) => {
    const parse = createArgumentsCheck({ type: 'object', ...schema });
    const start = performance.now();
    expect(parse(input)).toEqual({ ok: true, input });
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test('are checked at once: `$async` is no keyword of JSON Schema', () => {
    expect(createArgumentsCheck({ $async: true, type: 'object', required: ['missing'] })({})).toMatchObject({
      ok: false,
    });
  });

  test.each([
    ['doubles with each reference', 30, 2, {}],
    ['refers to much very often', 1, 1_000, { enum: Array.from({ length: 1_000 }, (_, i) => i) }],
  ])('are not checked by a schema that %s: it is rejected [tool.mcp] [cancel.bounded]', (_, depth, count, last) => {
    const refer = (i: number) => ({ allOf: Array.from({ length: count }, () => ({ $ref: `#/$defs/d${i}` })) });
    const $defs = Object.fromEntries(
      Array.from({ length: depth }, (_, i) => [`d${i}`, i === depth - 1 ? last : refer(i + 1)]),
    );
    expect(() => createArgumentsCheck({ type: 'object', $defs, ...refer(0) })).toThrow(
      /more than 10000 parts, its references unfolded/,
    );
  });

  test('are checked by a recursive schema as deep as it is written; deeper, the server checks by itself', () => {
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { items: { $ref: '#/$defs/node' } } },
    };
    const parse = createArgumentsCheck({
      type: 'object',
      $defs: { node },
      properties: { tree: { $ref: '#/$defs/node' } },
    });
    expect(parse({ tree: { name: 1 } })).toMatchObject({ ok: false });
    const deeper = { tree: { name: 'root', children: [{ name: 1 }] } };
    expect(parse(deeper)).toEqual({ ok: true, input: deeper });
  });

  const x = { type: 'string', pattern: '^x' };
  test.each<readonly [string, object, unknown]>([
    ['not', { not: x }, 'y'],
    ['not, by reference', { not: { $ref: '#/$defs/x' } }, 'y'],
    ['oneOf', { oneOf: [x, { type: 'string', pattern: '^y' }] }, 'y'],
    ['oneOf beside anyOf', { oneOf: [x, { type: 'string' }], anyOf: [true] }, 'y'],
    ['if', { if: x, else: false }, 'x'],
    ['if not', { if: x, [`${'th'}en`]: false }, 'y'],
    ['additionalProperties', { patternProperties: { '^x': {} }, additionalProperties: false }, { x: 1 }],
    ['items', { prefixItems: [{}], items: false }, [1]],
    ['contains', { contains: { const: 1 }, minContains: 0 }, []],
    [
      'not of a tree',
      { not: { properties: { a: { $ref: '#/$defs/x' }, b: { $ref: '#' } }, required: ['b'] } },
      { b: 1 },
    ],
  ])('are not refused for what the server is left to check: %s [tool.mcp]', (_, schema, value) => {
    const parse = createArgumentsCheck({ type: 'object', $defs: { x }, properties: { value: schema } });
    expect(parse({ value })).toMatchObject({ ok: true });
  });

  test.each([[[]], ['text'], [null]])('are an object, and not %j', (value) => {
    expect(createArgumentsCheck({ type: 'object' })(value)).toMatchObject({ ok: false });
  });
});

test('a result becomes text, whatever it contains', () => {
  const output = outputOf({
    content: [
      { type: 'text', text: 'words' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
    ],
    structuredContent: { not: 'shown' },
  });
  expect(output.split('\n')).toEqual([
    'words',
    '[audio, audio/wav, 3 bytes: not shown]',
    '[resource file:///a: a]',
    '[resource file:///b]',
    'inside',
    '[resource file:///c, binary, 3 bytes: not shown]',
  ]);
  expect(progressLine({ progress: 2, total: 5, message: 'half way' })).toBe('2/5: half way\n');
});

test('a call records the process that it depends on, so that the next start can terminate it [store.durable]', async () => {
  const server = hostile('deaf');
  const { call } = await connected({ h: server.spec });
  const waiting = call('h__wait');
  await until(() => server.received().some(({ params }) => params?.['name'] === 'wait'));
  const leftovers = waiting.processes.map((process) => ({ node: waiting.context.call, ...process }));
  const ended = await terminateLeftovers(leftovers, { clock: systemSources.clock, termGraceMs });
  expect(ended.map(({ node }) => node)).toEqual([waiting.context.call]);
  expect(server.pids()).toEqual([]);
});
