// Tool `browse`: its results, its requests and its processes. Mostly skipped without a Chromium.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemTable } from '../../../../src/adapters/processes/process-family.ts';
import { findChromium } from '../../../../src/adapters/tools/browser/chromium.ts';
import { type BuiltinOptions, builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import type { ToolEnd } from '../../../../src/core/contracts/tool.ts';
import { clientCause, type RecordedCall, recordingContext } from '../../../../src/testing/recording-context.ts';
import { testToolContract } from '../../../contract/tool.ts';
import { markedProcesses } from '../../../support/marked-processes.ts';
import { until } from '../../../support/until.ts';
import { living, programs, zombies } from '../../processes/processes.ts';
import { serveSite } from '../browser/site.ts';
import { call, named, newFolders } from './folder.ts';

/** A temporary folder of this file's own, without the profiles of other browsers. */
const own = mkdtempSync(join(tmpdir(), 'browse-test-'));
process.env['TMPDIR'] = own;
afterAll(() => rmSync(own, { recursive: true, force: true }));
const profiles = () => readdirSync(own).filter((name) => name.startsWith('belay-browser-'));
const browsers = () => living(basename(own));
const hasChromium = findChromium() !== null;
if (!hasChromium) console.warn('browse: there is no Chromium here (BELAY_CHROMIUM names one): its tests are skipped');

const browser = (options: BuiltinOptions = {}) =>
  named(
    builtinTools({
      allowBrowser: true,
      browserSandbox: false,
      allowAddresses: ['127.0.0.1'],
      termGraceMs: 500,
      ...options,
    }),
    'browse',
  );

afterEach(() => {
  expect(browsers()).toEqual([]);
  expect(profiles()).toEqual([]);
  expect(zombies()).toEqual([]);
});

const pages: Readonly<Record<string, string>> = {
  '/': '<title>Front</title><h1>Hello</h1><a href="/more">More</a><form action="/found"><input name="q"><button>Go</button></form>',
  '/more': '<title>More</title><p id="deep">Deep inside</p><script>document.body.append("made by a script")</script>',
  '/found': '<title>Found</title><script>document.write(location.search)</script>',
  '/long': `<title>Long</title><div style="height: 20000px">${'word '.repeat(10_000)}</div>`,
};
const front = () =>
  serveSite(({ url = '' }, response) => {
    const path = url.split('?')[0] ?? '';
    if (path === '/never') return void response.setHeader('content-type', 'text/html').write('<p>so far');
    if (path === '/gone') return void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>not here');
    response.setHeader('content-type', 'text/html').end(pages[path] ?? '');
  });

/** A step that waits endlessly: no element matches. */
const waiting = { do: 'click', selector: '#nowhere' };

describe.runIf(hasChromium)('with a Chromium', () => {
  testToolContract('browse', async () => {
    const { url } = await front();
    return {
      tool: browser(),
      good: { url },
      bad: [
        { input: {}, names: 'url' },
        { input: { url, steps: [{ do: 'dance' }] }, names: 'steps[0]' },
        { input: { url, steps: [{ do: 'screenshot', path: 'important.ts' }] }, names: 'steps[0].path' },
        { input: { url, steps: Array.from({ length: 21 }, () => ({ do: 'read' })) }, names: 'at most 20' },
      ],
      endless: { url: `${url}/never` },
    };
  });

  test('it reads, clicks, types, and reports the URL', async () => {
    const { url } = await front();
    const steps = [
      { do: 'read', selector: 'h1' },
      { do: 'click', selector: 'text=More' },
      { do: 'read' },
      { do: 'navigate', url: `${url}/` },
      { do: 'type', selector: 'input', text: 'cats' },
      { do: 'click', selector: 'button' },
      { do: 'read' },
    ];
    expect(await call(browser(), { url, steps })).toEqual({
      kind: 'completed',
      output: [
        `${url}/ "Front"`,
        'Hello',
        `clicked text=More: ${url}/more "More"`,
        'Deep inside\n\nmade by a script',
        `${url}/ "Front"`,
        'typed into input',
        `clicked button: ${url}/found?q=cats "Found"`,
        '?q=cats',
      ].join('\n\n'),
    });
  });

  test('a step that fails keeps the output of those before, and an error of the server is reported', async () => {
    const { url } = await front();
    const bad = await call(browser(), {
      url,
      steps: [
        { do: 'read', selector: 'h1' },
        { do: 'navigate', url: 'file:///etc/passwd' },
      ],
    });
    expect(bad).toMatchObject({
      kind: 'failed',
      code: 'tool_failed',
      output: expect.stringMatching(/Hello\n\nOnly http and https/),
    });
    const gone = await call(browser(), { url: `${url}/gone` });
    expect(gone).toMatchObject({ kind: 'completed', output: `${url}/gone "" HTTP 404\n\nnot here` });
    const down = await call(browser(), { url: 'https://127.0.0.1:4/' });
    expect(down).toMatchObject({
      kind: 'failed',
      code: 'tool_failed',
      output: expect.stringMatching(/ERR_(TUNNEL|UNSAFE_PORT)/),
    });
  });

  test('a long page is cut, and a screenshot is a new file in the allowed folders, never in the place of another [history.bounded]', async () => {
    const { url } = await front();
    const { root } = await newFolders();
    const shots = (path: string, more: object = {}) => ({
      url: `${url}/long`,
      steps: [{ do: 'read' }, { do: 'screenshot', path, ...more }],
    });
    const end = await call(browser(), shots('shots/page.png', { fullPage: true }), { roots: [root] });
    expect(end).toMatchObject({ kind: 'completed', output: expect.stringContaining('screenshot of 1280×10000') });
    expect(end.output.length).toBeLessThan(17_000);
    const image = await readFile(join(root, 'shots/page.png'));
    expect(image.subarray(1, 4).toString()).toBe('PNG');
    expect(end.parts).toEqual([{ type: 'image', data: image, mediaType: 'image/png', name: 'page.png' }]);
    expect(await call(browser(), shots('../out.png'), { roots: [root] })).toMatchObject({ code: 'path_outside_roots' });
    const again = await call(browser(), shots('shots/page.png'), { roots: [root] });
    expect(again).toMatchObject({
      kind: 'failed',
      code: 'tool_failed',
      output: expect.stringMatching(/shots\/page\.png exists already/),
    });
    expect(await readFile(join(root, 'shots/page.png'))).toEqual(image);
    expect(await readdir(join(root, 'shots'))).toEqual(['page.png']);
    const small = browser({ limits: { screenshotBytes: 1_000 } });
    expect(await call(small, shots('big.png'), { roots: [root] })).toMatchObject({ code: 'too_large' });
  });

  test('a screenshot without a path is only shown [model.parts]', async () => {
    const { url } = await front();
    const { root } = await newFolders();
    const end = await call(browser(), { url: `${url}/long`, steps: [{ do: 'screenshot' }] }, { roots: [root] });
    expect(end.output).toContain('screenshot of 1280×800');
    expect(end.parts).toMatchObject([{ type: 'image', mediaType: 'image/png', name: 'screenshot.png' }]);
    expect(await readdir(root)).not.toContain('screenshot.png');
  });

  test('an address that is not allowed is refused: as an address, by name, after a redirect', async () => {
    const inside = await serveSite((_, response) => response.end('secret'), '127.0.0.2');
    const outside = await serveSite((_, response) =>
      response.writeHead(302, { location: `${inside.url}/there` }).end(),
    );
    const named = browser({ resolve: (_, answer) => answer(null, [{ address: '127.0.0.2', family: 4 }]) });
    const refusal = { kind: 'failed', code: 'address_refused', output: expect.stringContaining('127.0.0.2') };
    expect(await call(browser(), { url: inside.url })).toMatchObject(refusal);
    expect(await call(named, { url: `http://localhost:${inside.port}/` })).toMatchObject(refusal);
    expect(await call(browser(), { url: outside.url })).toMatchObject(refusal);
    expect(inside.connections.count).toBe(0);
    expect(outside.requests).toEqual(['/']);
  });

  test('a page reaches no private address: by picture, frame, script, WebSocket, worker, beacon or STUN', async () => {
    const inside = await serveSite((_, response) => response.end('secret'), '127.0.0.2');
    const datagrams = createSocket('udp4');
    onTestFinished(() => void datagrams.close());
    let datagramCount = 0;
    datagrams.on('message', () => datagramCount++);
    datagrams.bind(0, '127.0.0.2');
    await once(datagrams, 'listening');
    const { port } = datagrams.address() as AddressInfo;
    const at = `127.0.0.2:${inside.port}`;
    const attack = `<title>Attack</title><img src="http://${at}/img"><iframe src="http://${at}/frame"></iframe>
      <link rel="preconnect" href="http://${at}"><link rel="dns-prefetch" href="http://${at}">
      <script src="http://${at}/script"></script><p id="end">working</p><script>
      const tried = [
        fetch('http://${at}/fetch').catch(() => {}),
        new Promise((done) => { new WebSocket('ws://${at}/ws').onclose = done; }),
        new Promise((done) => {
          const worker = new Worker(URL.createObjectURL(new Blob(['fetch("http://${at}/worker").catch(() => {}).then(() => postMessage(1))'])));
          worker.onmessage = done;
        }),
        new Promise((done) => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.2:${port}' }] });
          peer.createDataChannel('x');
          peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done();
          peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        }),
      ];
      navigator.sendBeacon('http://${at}/beacon', 'x');
      Promise.all(tried).then(() => { document.getElementById('end').textContent = 'all tried'; });
      </script>`;
    const outside = await serveSite((_, response) => response.setHeader('content-type', 'text/html').end(attack));
    const end = await call(browser(), {
      url: outside.url,
      steps: [{ do: 'read', selector: 'text=all tried' }],
    });
    expect(end).toMatchObject({
      kind: 'completed',
      output: expect.stringMatching(/all tried\n\n\[refused for this page: .*127\.0\.0\.2/s),
    });
    expect(inside.connections.count).toBe(0);
    expect(datagramCount).toBe(0);
  });

  test('a CANCEL closes the page and ends the browser, helpers outside its group too [ladder.call.running] [tool.process] [cancel.clean]', async () => {
    const site = await front();
    const recorded = recordingContext({});
    const args = { url: `${site.url}/`, steps: [waiting] };
    const run = browser().run(args, recorded.context) as Promise<ToolEnd>;
    await until(() => site.requests.length > 0, { ms: 20_000, what: 'the page to be asked for' });
    expect(markedProcesses([recorded.context.call]).length).toBeGreaterThan(0);
    expect(recorded.processes).toHaveLength(1);
    recorded.stopCall();
    expect(await run).toMatchObject({ kind: 'stopped' });
    expect(markedProcesses([recorded.context.call])).toEqual([]);
    await until(async () => (await site.open()) === 0, { what: 'the connections to be closed' });
  });

  test('two calls have two browsers, and stopping one leaves the other alone [cancel.tool]', async () => {
    const site = await front();
    const recorded = recordingContext({});
    const run = browser().run({ url: `${site.url}/`, steps: [waiting] }, recorded.context) as Promise<ToolEnd>;
    await until(() => site.requests.length > 0, { ms: 20_000, what: 'the first' });
    const other = call(browser(), { url: `${site.url}/more` });
    await until(() => site.requests.includes('/more'), { ms: 20_000, what: 'the second' });
    recorded.stopCall();
    expect(await run).toMatchObject({ kind: 'stopped' });
    expect(await other).toMatchObject({ kind: 'completed', output: expect.stringContaining('Deep inside') });
  });
});

test('a browser that ignores TERM is killed after the grace [cancel.bounded]', async () => {
  /** It sleeps, so it ignores TERM by now. */
  const ignoresTerm = ({ processes: [first] }: RecordedCall) =>
    first !== undefined && systemTable.children(first.group).length > 0;
  const tool = browser({ allowBrowser: { program: join(programs, 'silent-browser.sh') } });
  const recorded = recordingContext({});
  const run = tool.run({ url: 'http://127.0.0.1:1/', steps: [] }, recorded.context) as Promise<ToolEnd>;
  await until(() => ignoresTerm(recorded), { what: 'its start' });
  recorded.stopCall();
  expect(await run).toEqual({ kind: 'stopped', output: '', forced: true });
  const second = recordingContext({});
  const again = browser({ allowBrowser: { program: join(programs, 'silent-browser.sh') }, termGraceMs: 60_000 });
  const forced = again.run({ url: 'http://127.0.0.1:1/', steps: [] }, second.context) as Promise<ToolEnd>;
  await until(() => ignoresTerm(second), { what: 'its start' });
  second.stopCall();
  second.kill.abort(clientCause);
  expect(await forced).toMatchObject({ kind: 'stopped', forced: true });
});

test('a browser that ends by itself, or is not installed, is a failed call with its reason', async () => {
  const broken = browser({ allowBrowser: { program: join(programs, 'broken-browser.sh') } });
  expect(await call(broken, { url: 'http://127.0.0.1:1/' })).toMatchObject({
    kind: 'failed',
    code: 'tool_failed',
    message: expect.stringContaining('cannot open display'),
  });
  const missing = browser({ allowBrowser: { program: '/no/such/chromium' } });
  expect(await call(missing, { url: 'http://127.0.0.1:1/' })).toMatchObject({
    code: 'program_missing',
    effect: 'none',
  });
  const path = process.env['BELAY_CHROMIUM'];
  process.env['BELAY_CHROMIUM'] = '/no/such/chromium';
  onTestFinished(() => {
    if (path === undefined) delete process.env['BELAY_CHROMIUM'];
    else process.env['BELAY_CHROMIUM'] = path;
  });
  expect(await call(browser(), { url: 'http://127.0.0.1:1/' })).toMatchObject({ code: 'program_missing' });
});

test('it exists only where it is allowed, with a timeout of 180 s, and a newer call supersedes an earlier one [tool.contract] [tool.timeout] [tool.supersede]', () => {
  expect(builtinTools().map(({ name }) => name)).not.toContain('browse');
  const { timeoutMs, supersedes } = browser();
  expect(timeoutMs).toBe(180_000);
  const context = { session: 's', roots: [] };
  expect(supersedes?.({ url: 'a' }, context)).toBe(supersedes?.({ url: 'b' }, context));
});
