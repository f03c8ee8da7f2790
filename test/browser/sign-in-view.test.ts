// The sign-in in every look, and the policy of the page: it runs no script but its own.
import { expect, test } from 'vitest';
import { openBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { addAxe, overflowOf, violationsOn } from './axe.ts';
import { looks } from './looks.ts';
import { patientMs } from './page-actions.ts';
import { pageOf } from './room-tabs.ts';
import { describeInBrowser, openTab, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

/** Runs in the page: tries to run a script that is none of its own. */
const runInline = `(() => {
  const script = document.createElement('script');
  try {
    script.textContent = 'window.ranInline = true';
    document.body.append(script);
  } catch {} // the policy refuses even the text
  return 'ranInline' in window;
})()`;

describeInBrowser('the sign-in', () => {
  const browser = useBrowser();

  test.each(looks)('$name: the sign-in has no violation', async ({ colorScheme, viewport }) => {
    const belay = await openBelay(endpoint);
    const page = await openTab(browser, pageOf(belay), { colorScheme, viewport, bypassCSP: true });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: patientMs });
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  test('no script but those of the page runs', async () => {
    const belay = await openBelay(endpoint);
    const page = await openTab(browser, pageOf(belay), { expected: /Content Security Policy|TrustedScript/ });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: patientMs });
    const policy = (await page.request.get(pageOf(belay))).headers()['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    const ran = await page.evaluate(runInline);
    expect(ran).toBe(false);
  });
});
