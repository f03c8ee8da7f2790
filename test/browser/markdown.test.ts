// Markdown of a model on the page: it is shown, and nothing in it runs, loads or leads elsewhere unasked.
import { expect, test } from 'vitest';
import { openBelay } from '../support/belay.ts';
import { useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { pageMs, sayOn, untilShows } from './page-actions.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();

const hostile = [
  '# Shown',
  '',
  '<script>window.ran = true</script>',
  '',
  '<img src="https://example.org/a.png" onerror="window.ran = true">',
  '',
  '![a picture](https://example.org/b.png) and [a link](https://example.org/c)',
  '',
  '[run](javascript:window.ran=true) [data](data:text/html,x) **bold &amp; &lt;b&gt;**',
].join('\n');

describeInBrowser('Markdown of a model', () => {
  const browser = useBrowser();

  test('no HTML becomes an element, no image is loaded, no link runs a script', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: hostile } }]);
    const page = await openRoom(browser, belay, 'ann'); // fails the test if another host is asked
    await sayOn(page, 'show');
    const reply = page.locator('.markdown');
    await untilShows(reply, 'bold & <b>');
    expect(await reply.getByRole('heading', { name: 'Shown' }).count()).toBe(1);
    expect(await reply.textContent()).toContain('<script>window.ran = true</script>');
    expect(await reply.locator('img, script').count()).toBe(0);
    const links = await reply.getByRole('link').all();
    const shown = await Promise.all(
      links.map(async (link) => [await link.textContent(), await link.getAttribute('rel')]),
    );
    expect(shown).toEqual([
      ['image: a picture', 'noopener noreferrer'],
      ['a link', 'noopener noreferrer'],
    ]);
    expect(await page.evaluate("'ran' in window")).toBe(false);
  });

  test('a key that is pressed while a long text is drawn is handled before the rest of the text [page.chat]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ reply: { text: `${'a *word*\n\n'.repeat(6_000)}The end.` } }]);
    const page = await openRoom(browser, belay, 'ann');
    await page.evaluate(`addEventListener('keydown', ({ key }) => {
      if (key === 'x') globalThis.atKey = document.querySelector('.markdown').textContent;
    })`);
    await sayOn(page, 'all of it');
    await untilShows(page.locator('.markdown'), 'a word');
    await page.keyboard.press('x');
    expect(await page.evaluate('globalThis.atKey')).toContain('a word');
    expect(await page.evaluate('globalThis.atKey')).not.toContain('The end.');
    await untilShows(page.locator('.markdown'), 'The end.');
    await until(async () => (await page.getByRole('button', { name: 'To the end' }).count()) === 0, {
      ms: pageMs,
      what: 'the view at its end',
    });
  });
});
