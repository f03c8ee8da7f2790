// The keys, tokens and secrets of a gateway whose endpoint and MCP server repeat them: no log, frame, receipt, transcript or inspector shows one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { playServer } from '../adapters/mcp/http-server.ts';
import { newWorkspace } from '../support/belay.ts';
import { startChild } from '../support/child.ts';
import { connectRaw } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const apiKey = 'sk-the-key-of-the-model';
const mcpToken = 'the-token-of-the-server';
const annToken = 'the-token-of-ann-0001';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** An endpoint that calls the tool of the server first, then refuses with the key in its error, then hangs. */
async function startEndpoint(): Promise<string> {
  let requests = 0;
  const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
  const server = createServer((request, response) => {
    requests++;
    request.resume();
    if (requests === 1) {
      const call = { index: 0, id: 'p1', type: 'function', function: { name: 's__show', arguments: '{}' } };
      stream(response).end(`${chunk({ tool_calls: [call] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
    } else if (requests === 2) {
      const message = `Incorrect API key provided: ${request.headers.authorization}.`;
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
    } else stream(response).write(chunk({ content: 'I go on' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('no log, frame, receipt, transcript or inspector shows a secret [access.secrets]', async () => {
  const { path, store } = newWorkspace();
  const show = await playServer({ tools: { show: ({ answer }, { headers }) => answer(JSON.stringify(headers)) } });
  const settings = {
    port: 0,
    store,
    stately: 0,
    tokens: { file: join(path, 'tokens.json') },
    model: { baseUrl: await startEndpoint(), name: 'careless' },
    mcpServers: { s: { url: show.url, headers: { authorization: `Bearer ${mcpToken}` } } },
  };
  writeFileSync(join(path, 'tokens.json'), JSON.stringify({ [annToken]: { speaker: 'ann' } }), { mode: 0o600 });
  writeFileSync(join(path, 'belay.json'), JSON.stringify(settings), { mode: 0o600 });
  const env = { OPENAI_API_KEY: apiKey };
  const serve = startChild('src/programs/serve.ts', { args: ['--config', 'belay.json'], cwd: path, env });
  const [, url = ''] = await serve.untilPrinted(/listens at (\S+)/, 30_000);
  const [printedPage, page = ''] = await serve.untilPrinted(/inspector +(\S+)/);
  const inspector = await connectRaw(page.replace('http:', 'ws:').replace('#', '?'), { protocols: [] });

  const ann = await connectRaw(url);
  await ann.hello(annToken);
  await ann.join('room', 0);
  ann.send({ type: 'SAY', ref: 's1', text: 'show it' });
  await ann.waitFor('turn_ended', { outcome: 'failed' });
  ann.send({ type: 'SAY', ref: 's2', text: 'go on' });
  await ann.waitFor('text_delta');
  ann.send({ type: 'CANCEL', ref: 'c1', target: 'mine', reason: 'enough' });
  await ann.waitFor('cancel_settled');
  await until(() => JSON.stringify(inspector.frames).includes('CANCEL'), { what: 'the cancel in the inspector' });
  serve.signal('SIGTERM');
  expect(await serve.ended(20_000)).toBe(0);

  const [shown] = ann.all('tool_result');
  expect(shown?.['output'], 'the server has repeated its headers').toContain('[secret]');
  const stored = filesBelow(join(path, 'store')).map((file) =>
    readFileSync(join(file.parentPath, file.name), 'latin1'),
  );
  expect(stored.join(), 'the transcript is there').toContain('show it');
  const records = {
    frames: JSON.stringify(ann.frames),
    inspector: JSON.stringify(inspector.frames),
    output: serve.stdout().replace(printedPage ?? '', ''),
    errors: serve.stderr(),
    store: stored.join('\n'),
  };
  const inspectorKey = new URLSearchParams(new URL(page).hash.slice(1)).get('key') ?? '';
  expect(inspectorKey).not.toBe('');
  for (const [where, text] of Object.entries(records)) {
    for (const secret of [apiKey, mcpToken, annToken, inspectorKey])
      expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
  }
});
