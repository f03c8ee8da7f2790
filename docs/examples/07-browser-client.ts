// Browser client: a page without a build step that connects to a gateway, says something, stops it, and reconnects when its connection breaks.
//
// With a Chromium on this machine the page runs in it; without one its module runs here, and the example prints that.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { attach, createRuntime, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../../src/adapters/tools/browser/chromium.ts';

const pieces = Array.from({ length: 40 }, (_, i) => `word${i} `);
const whole = pieces.join('').trim();
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: ({ messages }) =>
    messages.at(-1)?.content === 'go on for ever'
      ? { steps: [{ text: 'On and on' }, { hang: true }] }
      : { steps: pieces.flatMap((text) => [{ waitMs: 15 }, { text }]) },
});
const runtime = await createRuntime({ provider });

// a server that gives out the page, and the client as it is: the checkout's modules with their types taken out. Of the installed package it would
// be its files themselves, or one bundle of them (docs/how-to/client.md).
const files = new URL('07-browser-client/', import.meta.url);
const root = new URL('../../', import.meta.url);
const server = createServer(({ url = '' }, response) => {
  const give = (type: string, text: string) => void response.setHeader('content-type', type).end(text);
  const isModule =
    /^\/(machines\/vocabulary|src\/(client|wire|core\/(collections|receipt|words))\/(view\/)?[a-z-]+)\.ts$/.test(url);
  if (url === '/') give('text/html', readFileSync(new URL('index.html', files), 'utf8'));
  else if (url === '/chat.js') give('text/javascript', readFileSync(new URL('chat.js', files), 'utf8'));
  else if (isModule) give('text/javascript', stripTypeScriptTypes(readFileSync(new URL(`.${url}`, root), 'utf8')));
  else response.writeHead(404).end();
});
const { key } = attach(server, runtime); // what a client has to show: the page has it in its address
const sockets = new Set<Duplex>();
server.on('upgrade', (_, socket) => sockets.add(socket));
const cutTheLine = () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
};
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

/** What a person at the page sees and does. */
interface Screen {
  say(text: string): Promise<void>;
  stop(): Promise<void>;
  sees(what: 'state' | 'text' | 'end' | 'receipt', value: RegExp): Promise<string>;
  close(): Promise<void>;
}

async function inBrowser(executablePath: string): Promise<Screen> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // Chromium's sandbox does not run as root
  const browser = await chromium.launch({ executablePath, args });
  const page: Page = await browser.newPage();
  page.on('pageerror', (error) => assert.fail(error));
  await page.goto(`http://127.0.0.1:${port}/#key=${key}`); // what follows the # is sent to nobody
  return {
    async say(text) {
      await page.fill('#words', text);
      await page.click('text=Say');
    },
    stop: () => page.click('#stop'),
    async sees(what, value) {
      const place = page.locator(`#${what}`).filter({ hasText: value });
      return (await place.textContent({ timeout: 10_000 })) ?? '';
    },
    close: () => browser.close(),
  };
}

async function inNode(): Promise<Screen> {
  const { createChat } = await import('./07-browser-client/chat.js');
  const shown: Record<string, string> = {};
  const chat = createChat({
    url: `ws://127.0.0.1:${port}/belay`,
    session: 'page',
    show: (what: string, value: string) => {
      shown[what] = value;
    },
  });
  const sees: Screen['sees'] = async (what, value) => {
    for (let tries = 0; tries < 1_000 && !value.test(shown[what] ?? ''); tries++) await pause(10);
    assert.match(shown[what] ?? '', value);
    return shown[what] ?? '';
  };
  return {
    async say(text) {
      shown['end'] = '';
      void chat.say(text);
    },
    async stop() {
      const receipt = await chat.stop();
      shown['receipt'] = receipt?.nodes.map(({ kind, outcome }) => `${kind} ${outcome}`).join(', ') ?? '';
    },
    sees,
    close: () => chat.close(),
  };
}

const installed = findChromium();
console.log(installed ? `in ${installed}` : 'no Chromium here: the module of the page runs in Node');
const screen = installed ? await inBrowser(installed) : await inNode();

await screen.sees('state', /open/);
await screen.say('talk');
await screen.sees('text', /word5 /);
cutTheLine(); // in the middle of the reply
await screen.sees('text', /word20 /);
cutTheLine();
await screen.sees('end', /completed/);
assert.equal((await screen.sees('text', /word39/)).trim(), whole);
console.log('the line was cut twice; nothing is missing, nothing is there twice');

await screen.say('go on for ever');
await screen.sees('text', /On and on/);
await screen.stop();
await screen.sees('end', /cancelled/);
assert.equal(await screen.sees('receipt', /turn/), 'turn cancelled');
console.log('stopped, with a receipt');

await screen.close();
server.close();
await runtime.close();
