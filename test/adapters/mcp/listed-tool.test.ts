// The tool made from a listed one: its name, its schema, its declaration, its contract.
import { describe, expect, test } from 'vitest';
import { createListedTool } from '../../../src/adapters/mcp/listed-tool.ts';
import { defaultMcpLimits } from '../../../src/adapters/mcp/mcp-limits.ts';
import { outputOf, progressLine, resultContent } from '../../../src/adapters/mcp/result-text.ts';
import { toolName } from '../../../src/adapters/mcp/tool-name.ts';
import { terminateLeftovers } from '../../../src/adapters/processes/terminate-leftovers.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { createRegistry } from '../../../src/core/tools/registry.ts';
import { testToolContract } from '../../contract/tool.ts';
import { until } from '../../support/until.ts';
import { connected, hostile, termGraceMs } from './mcp.ts';

testToolContract('a tool of an MCP server', async () => ({
  tool: (await connected({ h: hostile().spec })).tool('h__echo'),
  good: { text: 'hello' },
  bad: [{ input: 'hello', names: 'object' }],
}));

testToolContract('a tool of an MCP server that ignores its cancellation', async () => ({
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
  ])('tells the tools of two servers apart: %s and %s, %s and %s', (server, tool, other, another) => {
    const names = [toolName(server, tool), toolName(other, another)];
    expect(new Set(names).size).toBe(2);
    expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  });
});

const never = {
  list: async () => ({
    tools: [],
    instructions: '',
    hasHeaderArguments: false,
    reads: { resources: false, prompts: false },
  }),
  call: () => new Promise<never>(() => {}),
  close: async () => {},
};
const servedBy = { serverName: 's', server: never, stopMs: 1_200, limits: defaultMcpLimits, hasHeaderArguments: false };
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

  test('is rejected where its schema is too long', () => {
    const long = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(70_000) } } };
    expect(() => createListedTool(listed({ inputSchema: long }), servedBy)).toThrow(/the limit is 65536/);
  });
});

test.each([[[]], ['text'], [null]])('arguments are an object, and not %j', (value) => {
  expect(createListedTool(listed(), servedBy).parse(value)).toMatchObject({ ok: false });
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
    structuredContent: { is: 'shown' },
  });
  expect(output.split('\n')).toEqual([
    'words',
    '[audio, audio/wav, 3 bytes: not shown]',
    '[resource file:///a: a]',
    '[resource file:///b]',
    'inside',
    '[resource file:///c, binary, 3 bytes: not shown]',
    '{"is":"shown"}',
  ]);
  expect(progressLine({ progress: 2, total: 5, message: 'half way' })).toBe('2/5: half way\n');
});

test('images, sounds and files of a result are its parts; words stand for what is no such thing [model.parts]', () => {
  const content = [
    { type: 'text', text: 'words' },
    { type: 'image', mimeType: 'image/png', data: 'AQID' },
    { type: 'audio', mimeType: 'text/plain', data: 'AQID' },
    { type: 'resource', resource: { uri: 'file:///a/b.pdf', mimeType: 'application/pdf', blob: 'BAUG' } },
    { type: 'image', mimeType: 'image/png', data: '' },
  ] as const;
  const data = Buffer.from([1, 2, 3]);
  expect(resultContent({ content: [...content], structuredContent: { is: 'shown' } })).toEqual({
    output: '',
    parts: [
      { type: 'text', text: 'words' },
      { type: 'image', mediaType: 'image/png', data },
      { type: 'text', text: '[audio, text/plain, 3 bytes: not shown]' },
      { type: 'file', mediaType: 'application/pdf', data: Buffer.from([4, 5, 6]), name: 'b.pdf' },
      { type: 'text', text: '[image, image/png, 0 bytes: not shown]' },
      { type: 'text', text: '{"is":"shown"}' },
    ],
  });
  expect(resultContent({ content: [content[0]] })).toEqual({ output: 'words' });
  const many = Array.from({ length: 70 }, () => content[1]);
  expect(resultContent({ content: many }).parts).toBeUndefined();
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
