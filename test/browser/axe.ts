// Looks for violations of accessibility on a page, and for what is wider than its screen. The tab needs `bypassCSP`: axe is a script that is not the page's.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Adds axe to a page. */
export async function addAxe(page: Page): Promise<void> {
  await page.addScriptTag({ content: axeSource });
}

/** Returns what axe finds on the page as it is, each with the element. */
export async function violationsOn(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult; // its result
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Returns how much wider the page is than its screen, in pixels. */
export const overflowOf = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
