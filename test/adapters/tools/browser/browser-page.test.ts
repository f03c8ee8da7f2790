// Cancels a call inside the browser, before its process is gone. Skipped without a Chromium.
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { createAddressPolicy } from '../../../../src/adapters/tools/address-policy.ts';
import { withPage } from '../../../../src/adapters/tools/browser/browser-page.ts';
import { findChromium } from '../../../../src/adapters/tools/browser/chromium.ts';
import { systemResolve } from '../../../../src/adapters/tools/checked-lookup.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';
import { markedProcesses } from '../../../support/marked-processes.ts';
import { until } from '../../../support/until.ts';

const program = findChromium() ?? '';
const options = {
  program,
  addresses: createAddressPolicy(),
  resolve: systemResolve,
  termGraceMs: 500,
  mayOmitSandbox: true,
};

test.runIf(program !== '')(
  'a cancel closes context and page in the same tick, and ends work that waits for the page [ladder.call.running] [cancel.clean]',
  async () => {
    const recorded = recordingContext({});
    const seen: { readonly page: Page; readonly closes: number; readonly failure: unknown }[] = [];
    const { value } = await withPage(options, recorded.context, async ({ page }) => {
      const close = vi.spyOn(page.context(), 'close');
      const waiting = page.waitForEvent('popup', { timeout: 0 }); // only a close ends it
      recorded.stopCall();
      const closes = close.mock.calls.length;
      seen.push({ page, closes, failure: await waiting.catch((error: unknown) => error) });
    });
    expect(value).toBeUndefined();
    expect(markedProcesses([recorded.context.call])).toEqual([]);
    const { page, closes, failure } = await until(() => seen[0], { what: 'the end of the work' });
    expect(closes, 'before anything else can have closed it').toBe(1);
    expect(String(failure)).toContain('closed');
    expect(page.isClosed()).toBe(true);
    expect(page.context().pages()).toEqual([]);
  },
);
