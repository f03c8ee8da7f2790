// The package that `browse` needs is optional: without it, the refusal says what to install.
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasPlaywright, loadPlaywright } from '../../../../src/adapters/tools/browser/playwright.ts';

test('it is found here', async () => {
  expect(hasPlaywright()).toBe(true);
  expect(await loadPlaywright()).toBe(chromium);
});

test('without the package the call is refused, with its name and the command that installs it', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadPlaywright(() => Promise.reject(missing))).rejects.toMatchObject({
    name: 'ToolRefusal',
    code: 'program_missing',
    message: expect.stringContaining('npm install playwright-core'),
  });
});

test('a package that is there and does not load says why', async () => {
  await expect(loadPlaywright(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
