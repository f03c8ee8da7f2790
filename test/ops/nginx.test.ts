// docs/ops/nginx.conf before a real gateway: TLS, the upgrade of WebSockets, events one by one, addresses of clients, no metrics outside.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { defaultGatewayLimits } from '../../src/gateway/gateway-limits.ts';
import { startChild } from '../support/child.ts';
import { until } from '../support/until.ts';

const hasNginx = spawnSync('nginx', ['-v']).status === 0 && spawnSync('openssl', ['version']).status === 0;
if (!hasNginx && process.env['CI']) throw new Error('There is no nginx, and CI is set: .ci/nginx installs one.');
const root = join(import.meta.dirname, '..', '..');

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.end());
  });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'belay-nginx-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Starts nginx with the file of the page, on ports of its own and with a certificate of its own. Resolves with its port. */
async function startNginx(upstream: number): Promise<number> {
  const at = folder();
  const port = await freePort();
  const [cert, key] = [join(at, 'cert.pem'), join(at, 'key.pem')];
  const subject = ['-subj', '/CN=bot.example.org', '-days', '1'];
  spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject]);
  const site = readFileSync(join(root, 'docs/ops/nginx.conf'), 'utf8')
    .replace('127.0.0.1:7077', `127.0.0.1:${upstream}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/ssl/certs/bot.example.org.pem', cert)
    .replace('/etc/ssl/private/bot.example.org.key', key);
  mkdirSync(join(at, 'tmp'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(at, 'tmp', name)};`,
  );
  const http = `http { access_log off; ${temporary.join(' ')}\n${site}\n}`;
  const main = `daemon off; master_process off; pid ${join(at, 'pid')}; error_log ${join(at, 'error')} warn;\nevents {}\n${http}\n`;
  writeFileSync(join(at, 'nginx.conf'), main);
  const nginx = spawn('nginx', ['-p', at, '-c', join(at, 'nginx.conf')], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise((resolve) => nginx.once('exit', resolve));
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  await until(() => isOpen(port));
  return port;
}

const own = { host: '127.0.0.1', rejectUnauthorized: false, headers: { host: 'bot.example.org' } };

const get = (port: number, path: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request({ ...own, port, path }, (response) => {
      let body = '';
      response.on('data', (data) => {
        body += data;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.once('error', reject);
    asked.end();
  });

test('the files for proxies keep the metrics inside, buffer nothing, and pass on upgrades [ops.deploy.proxy]', () => {
  const nginx = readFileSync(join(root, 'docs/ops/nginx.conf'), 'utf8');
  for (const line of [
    'proxy_buffering off;',
    'location = /metrics {',
    'proxy_set_header Upgrade           $http_upgrade;',
  ])
    expect(nginx).toContain(line);
  const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(nginx)?.[1]);
  expect(seconds * 1_000).toBeGreaterThan(2 * defaultGatewayLimits.heartbeatMs);
  const caddy = readFileSync(join(root, 'docs/ops/Caddyfile'), 'utf8');
  for (const line of ['respond /metrics 404', 'flush_interval -1']) expect(caddy).toContain(line);
});

/** Skips the test below on a machine without an nginx: .ci/nginx installs one. */
test.skipIf(!hasNginx)('a client talks to a gateway through nginx, with TLS [ops.deploy.proxy]', async () => {
  const at = folder();
  writeFileSync(join(at, 'tokens.json'), JSON.stringify({ 'a-token-of-ann-0001': { speaker: 'ann' } }), {
    mode: 0o600,
  });
  const settings = {
    tokens: { file: join(at, 'tokens.json') },
    trustedProxies: ['127.0.0.1'],
    store: 'memory',
    demo: true,
  };
  writeFileSync(join(at, 'belay.json'), JSON.stringify(settings));
  const gateway = startChild('src/programs/serve.ts', {
    args: ['--port', '0', '--config', join(at, 'belay.json')],
    cwd: at,
  });
  const [, upstream = ''] = await gateway.untilPrinted(/listens at ws:\/\/[^:]+:(\d+)/, 30_000);
  const port = await startNginx(Number(upstream));

  expect(await get(port, '/healthz')).toEqual({ status: 200, body: '{"status":"open"}' });
  expect((await get(port, '/metrics')).status).toBe(404);

  const socket = new WebSocket(`wss://127.0.0.1:${port}/belay`, 'belay.v1', {
    rejectUnauthorized: false,
    headers: { ...own.headers, authorization: 'Bearer a-token-of-ann-0001' },
    origin: 'https://bot.example.org', // a page of the same host: by the Host that the proxy passes on
  });
  const frames: { type: string; outcome?: string }[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  send({ type: 'HELLO' });
  send({ type: 'JOIN', ref: 'j1', session: 'demo' });
  send({ type: 'SAY', ref: 's1', session: 'demo', text: 'hello' });
  await until(() => frames.some(({ type }) => type === 'turn_ended'), { ms: 10_000 });
  expect(frames.find(({ type }) => type === 'turn_ended')?.outcome).toBe('completed');
  expect(frames.filter(({ type }) => type === 'text_delta').length).toBeGreaterThan(1);
  socket.terminate();
});

test.skipIf(!hasNginx)('nginx passes on each event when it comes, and the address of the client', async () => {
  const { promise: firstRead, resolve: onFirstRead } = Promise.withResolvers<void>();
  let forwardedFor: string | undefined;
  const server = createServer(async (asked, response) => {
    forwardedFor = String(asked.headers['x-forwarded-for']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: one\n\n');
    await firstRead; // a proxy that buffers would never let the client read it
    response.end('data: two\n\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const port = await startNginx((server.address() as AddressInfo).port); // it listens on a port
  const body = await new Promise<string>((resolve, reject) => {
    const asked = request({ ...own, port, path: '/events' }, (response) => {
      let text = '';
      response.on('data', (data) => {
        text += data;
        if (text.includes('one')) onFirstRead();
      });
      response.on('end', () => resolve(text));
    });
    asked.once('error', reject);
    asked.end();
  });
  expect(body).toBe('data: one\n\ndata: two\n\n');
  expect(forwardedFor).toBe('127.0.0.1');
});
