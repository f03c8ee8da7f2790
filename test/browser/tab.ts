// A tab of a real Chromium for a test: it fails the test if the page reports an error, breaks its policy, or asks another host for anything.
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { findChromium } from '../../src/adapters/tools/browser/chromium.ts';
import { scaled } from '../support/time-scale.ts';
import { patientMs } from './page-actions.ts';

const program = findChromium();
const isRoot = process.getuid?.() === 0;

/** In CI the tests fail without a Chromium: elsewhere they are left out, and say so. */
if (!program && process.env['CI']) throw new Error('There is no Chromium, and CI is set: .ci/chromium installs one.');
if (!program) console.warn('There is no Chromium here (BELAY_CHROMIUM names one): the tests of the page are skipped.');

/** Above the sum of what a test waits for: what fails is a wait, which says what did not come. */
const testMs = scaled(100_000);

/** A suite that needs a browser. */
export const describeInBrowser = (name: string, suite: () => void): void =>
  void describe.runIf(program !== null)(name, { timeout: testMs }, suite);

/** Features of Chromium that are off. This list takes the place of Playwright's own: its names follow after the first two. */
const featuresOff = [
  // each window prepares two pages of suggestions for its address bar, which nobody sees: 0.9 s of CPU
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Starts a browser for the tests of a file. `more`: further arguments of it. */
export function useBrowser(more: readonly string[] = []): { readonly browser: Browser } {
  let browser: Browser | null = null;
  beforeAll(async () => {
    if (!program) return;
    const args = [`--disable-features=${featuresOff.join(',')}`, ...(isRoot ? ['--no-sandbox'] : []), ...more];
    browser = await chromium.launch({ executablePath: program, args });
  }, testMs);
  afterAll(() => browser?.close());
  return {
    get browser() {
      if (!browser) throw new Error('There is no browser outside of a test.');
      return browser;
    },
  };
}

export interface TabOptions extends BrowserContextOptions {
  /** Messages of the console that the test means to cause. */
  readonly expected?: RegExp;
  /** A script that runs before those of the page. */
  readonly before?: string;
}

/** Opens an address in a tab of its own: other cookies, other storage. */
export async function openTab(
  { browser }: { readonly browser: Browser },
  address: string,
  { expected, before, ...options }: TabOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 860 }, ...options });
  context.setDefaultTimeout(patientMs);
  if (before !== undefined) await context.addInitScript(before);
  const page = await context.newPage();
  const problems: string[] = [];
  const foreign: string[] = [];
  const { host } = new URL(address);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.host !== host) foreign.push(request.url());
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== host) foreign.push(socket.url());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected?.test(message.text())) problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });
  await page.goto(address);
  return page;
}
