// Loads playwright-core, an optional peer of the package: only `browse` needs it, so who uses the tool installs it.
import { createRequire } from 'node:module';
import type { BrowserType } from 'playwright-core';
import { fieldsOf } from '../../../core/collections/fields.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';

export const playwrightMissing =
  'The tool browse needs the package playwright-core, which is not installed: npm install playwright-core';

/** Whether the package is installed. */
export function hasPlaywright(): boolean {
  try {
    createRequire(import.meta.url).resolve('playwright-core');
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the part of playwright-core that drives Chromium.
 * @param load Imports the package; given by tests.
 * @returns Rejects with a `ToolRefusal` that says what to install, if the package is missing.
 */
export async function loadPlaywright(
  load: () => Promise<{ readonly chromium: BrowserType }> = () => import('playwright-core'),
): Promise<BrowserType> {
  return (await load().catch(throwMissing)).chromium;
}

function throwMissing(error: unknown): never {
  if (fieldsOf(error)['code'] !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new ToolRefusal('program_missing', playwrightMissing);
}
