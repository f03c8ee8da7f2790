// Published servers: `everything`, which goes on with cancelled calls, and `filesystem`.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startChild } from '../../support/child.ts';
import { until } from '../../support/until.ts';
import { living } from '../processes/processes.ts';
import { connected, published } from './mcp.ts';

const everything = published('server-everything', 'stdio');

async function overHttp(): Promise<{ readonly url: string }> {
  const child = startChild('test/children/mcp-everything-http.ts');
  const [, url = ''] = await child.untilPrinted(/(http:\S+)\n/);
  return { url };
}

describe.each([
  ['stdio', async () => everything],
  ['streamable HTTP', overHttp],
])('everything over %s', (_, start) => {
  test('its tools are called, and their results read [tool.mcp]', async () => {
    const { mcp, call, warnings } = await connected({ every: await start() });
    expect(mcp.states()).toEqual([{ name: 'every', phase: 'ready', tools: mcp.tools().length, problem: null }]);
    expect(await call('every__echo', { message: 'hello' }).end).toEqual({ kind: 'completed', output: 'Echo: hello' });
    expect(await call('every__get-sum', { a: 2, b: 3 }).end).toMatchObject({ output: 'The sum of 2 and 3 is 5.' });
    expect(await call('every__get-tiny-image').end).toMatchObject({
      kind: 'completed',
      parts: expect.arrayContaining([
        expect.objectContaining({ type: 'image', mediaType: 'image/png', data: expect.any(Uint8Array) }),
      ]),
    });
    expect(warnings).toEqual([]);
  });

  test('its progress is shown, and a call that is cancelled ends although the server goes on [tool.mcp] [cancel.bounded]', async () => {
    const { call } = await connected({ every: await start() });
    const long = call('every__trigger-long-running-operation', { duration: 30, steps: 600 });
    await until(() => long.outputs.length >= 2, { what: 'progress' });
    expect(long.outputs.slice(0, 2)).toEqual(['1/600\n', '2/600\n']);
    long.cancel();
    expect(await long.end).toMatchObject({ kind: 'stopped', output: '' });
    const shown = long.outputs.length;
    expect(await call('every__echo', { message: 'again' }).end).toMatchObject({ output: 'Echo: again' });
    expect(long.outputs).toHaveLength(shown);
  });

  test('trusted, it is not restarted, and its later messages about the call are dropped [tool.mcp]', async () => {
    const { call } = await connected({ every: { ...(await start()), trusted: true } });
    const long = call('every__trigger-long-running-operation', { duration: 0.4, steps: 20 });
    await until(() => long.outputs.length >= 2, { what: 'progress' });
    long.cancel();
    expect(await long.end).toMatchObject({ kind: 'stopped' });
    const shown = long.outputs.length;
    const other = call('every__trigger-long-running-operation', { duration: 0.6, steps: 3 });
    expect(await other.end).toMatchObject({ kind: 'completed' });
    expect(long.outputs).toHaveLength(shown);
  });
});

test('what it only reads has the effect `none`, by its own word [history.effect]', async () => {
  const { tool } = await connected({ every: everything });
  expect(tool('every__echo').effect).toBe('none');
  expect(tool('every__gzip-file-as-resource').effect).toBe('some');
});

describe('filesystem', () => {
  async function folder() {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'belay-mcp-')));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    writeFileSync(join(path, 'note.txt'), 'written before');
    return { path, ...(await connected({ files: published('server-filesystem', path) })) };
  }

  test('reads and writes in its folder, and refuses what lies outside [tool.mcp]', async () => {
    const { path, call } = await folder();
    const read = (name: string) => call('files__read_text_file', { path: join(path, name) }).end;
    expect(await read('note.txt')).toEqual({ kind: 'completed', output: 'written before' });
    const written = await call('files__write_file', { path: join(path, 'new.txt'), content: 'new' }).end;
    expect(written).toMatchObject({ kind: 'completed' });
    expect(await read('new.txt')).toMatchObject({ output: 'new' });
    expect(await read('../outside')).toMatchObject({
      kind: 'failed',
      code: 'tool_failed',
      output: expect.stringMatching(/denied/i),
    });
  });

  test('its arguments are checked by itself, and its words reach the model [tool.mcp]', async () => {
    const { call, tool } = await folder();
    expect(await call('files__search_files', { path: '/x' }).end).toMatchObject({
      kind: 'failed',
      code: 'tool_failed',
      output: expect.stringMatching(/pattern/),
    });
    expect(tool('files__read_text_file').input).toMatchObject({ properties: { path: { type: 'string' } } });
  });

  test('its process is gone when it is closed [cancel.clean]', async () => {
    const { path, mcp } = await folder();
    expect(living(path)).toHaveLength(1);
    await mcp.close();
    expect(living(path)).toEqual([]);
  });
});
