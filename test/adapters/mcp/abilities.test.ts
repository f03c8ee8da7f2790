// Abilities of a server beside its tools: instructions, hints, changes of its list, roots, tasks, and the older transport.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../../support/child.ts';
import { until } from '../../support/until.ts';
import { connected, faulty, published } from './mcp.ts';

test('what a server says about its tools reaches the model with its name, up to a limit [tool.mcp]', async () => {
  const { mcp } = await connected({ f: faulty().spec });
  const [said] = mcp.instructions();
  expect(said?.text).toBe('The MCP server f says about its tools:\nTake a screenshot first.');
  expect(said?.tools).toContain('f__screenshot');
  const short = await connected({ f: faulty().spec }, { maxInstructionsChars: 6 });
  expect(short.mcp.instructions()[0]?.text).toMatch(/:\nTake a…$/);
});

test('a tool that says it may destroy something needs a yes, unless that is configured otherwise [tool.mcp]', async () => {
  const { tool } = await connected({ f: faulty().spec, free: { ...faulty().spec, destructive: 'allow' } });
  const context = { session: 's', speaker: 'ann' };
  expect(tool('f__drop_table').approval?.({ name: 'users' }, context)).toEqual({
    text: 'Run f__drop_table with {"name":"users"}? Its server says that it may destroy something.',
    remark: 'Its server says that it may destroy something.',
  });
  expect(tool('f__screenshot').approval).toBeUndefined();
  expect(tool('free__drop_table').approval).toBeUndefined();
});

test('tools that a server adds later are listed as soon as it says so [tool.mcp]', async () => {
  const { mcp, call } = await connected({ f: faulty().spec });
  const before = mcp.tools();
  expect(mcp.tools(), 'the same array until it changes').toBe(before);
  await call('f__add_tool').end;
  await until(() => mcp.tools().some(({ name }) => name === 'f__added'), { what: 'the new tool' });
  expect(await call('f__added').end).toEqual({ kind: 'completed', output: 'added' });
});

test('a server receives the folders of tools, or those of its own, and no empty list of roots [tool.mcp]', async () => {
  const own = { ...faulty().spec, roots: ['/srv/own'] };
  const { call } = await connected({ f: faulty().spec, own }, {}, { roots: ['/home/ann/a project'] });
  expect((await call('f__roots').end).output).toBe('file:///home/ann/a%20project (a project)');
  expect((await call('own__roots').end).output).toBe('file:///srv/own (own)');
  const without = await connected({ f: faulty().spec });
  expect((await without.call('f__roots').end).output).toMatch(/-32601/);
});

test('the filesystem server works in the folders that it receives [tool.mcp]', async () => {
  const told = realpathSync(mkdtempSync(join(tmpdir(), 'belay-mcp-')));
  onTestFinished(() => rmSync(told, { recursive: true, force: true }));
  writeFileSync(join(told, 'note.txt'), 'told');
  const { call } = await connected({ files: published('server-filesystem') }, {}, { roots: [told] });
  const read = () => call('files__read_text_file', { path: join(told, 'note.txt') }).end;
  await until(async () => (await read()).output === 'told', { what: 'the folder to be allowed' });
});

test('a tool that can only be run as a task is run as one; a CANCEL cancels the task [tool.mcp] [cancel.bounded]', async () => {
  const { call, warnings } = await connected({ every: published('server-everything', 'stdio') });
  expect(warnings).toEqual([]);
  const research = call('every__simulate-research-query', { topic: 'rivers' });
  const stopped = call('every__simulate-research-query', { topic: 'lakes' });
  const order: string[] = [];
  void research.end.then(() => order.push('research'));
  expect(await call('every__echo', { message: 'both have started' }).end).toMatchObject({ kind: 'completed' });
  stopped.cancel();
  expect(await stopped.end).toEqual({ kind: 'stopped', output: '' });
  expect(order, 'the response about the task ended it').toEqual([]);
  expect(await research.end).toMatchObject({ kind: 'completed', output: expect.stringMatching(/Report: rivers/) });
});

test('a server of the older transport is used where that is configured, and the hint says so where it is not [tool.mcp]', async () => {
  const old = startChild('test/children/mcp-old-server.ts');
  const [, url = ''] = await old.untilPrinted(/(http:\S+)\n/);
  const { mcp, call } = await connected({ old: { url, transport: 'sse' }, wrong: { url } });
  expect(mcp.states()[1]?.problem).toBe(
    'wrong responded with HTTP 404 (if it speaks the older HTTP with server-sent events, configure "transport": "sse")',
  );
  expect(await call('old__echo').end).toEqual({ kind: 'completed', output: 'here' });
  const waiting = call('old__wait');
  await old.untilPrinted(/wait started/);
  waiting.cancel();
  expect(await waiting.end).toMatchObject({ kind: 'stopped' });
  await old.untilPrinted(/wait cancelled/);
  expect(await call('old__echo').end).toMatchObject({ output: 'here' });
  await mcp.close();
  await old.untilPrinted(/stream closed/);
});
