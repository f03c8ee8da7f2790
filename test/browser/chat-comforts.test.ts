// Comforts of a chat: copying, tables and tasks that read well, pictures of the session, and words that are edited and said again.
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBelay, room } from '../support/belay.ts';
import { shellCall, useEndpoint } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { addAxe, violationsOn } from './axe.ts';
import { cardOf, pageMs, patientMs, sayOn, untilShows } from './page-actions.ts';
import { redPng } from './red-png.ts';
import { openRoom } from './room-tabs.ts';
import { describeInBrowser, useBrowser } from './tab.ts';

const endpoint = useEndpoint();
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'], bypassCSP: true };

const columns = Array.from({ length: 14 }, (_, at) => `column ${at}`);
const reply = [
  `| ${columns.join(' | ')} |`,
  `|${columns.map(() => '---').join('|')}|`,
  `| ${columns.map((name) => `a cell of ${name}`).join(' | ')} |`,
  '',
  '- [x] water the plants',
  '- [ ] feed the cat',
  '- no task',
  '',
  '```js',
  'const one = 1;',
  'const two = "<b>";',
  '```',
].join('\n');

const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()');
const conversation = (page: Page) => page.getByRole('log', { name: 'Conversation' });

describeInBrowser('a chat', () => {
  const browser = useBrowser();

  test.each(['light', 'dark'] as const)(
    'copies code, an answer and a result by keys; a wide table scrolls by keys, and tasks say what is done; in %s colors without a violation [page.comforts]',
    async (colorScheme) => {
      const belay = await openBelay(endpoint);
      await endpoint.script([
        { when: { toolResult: true }, reply: { text: reply } },
        { reply: { calls: [shellCall("printf 'first\\nlast\\n'", belay.folder.a)] } },
      ]);
      const page = await openRoom(browser, belay, 'ann', { ...clipboard, colorScheme });
      await sayOn(page, 'show');
      await untilShows(page.locator('.markdown'), 'const two');
      const press = async (what: string) => {
        const button = page.getByRole('button', { name: new RegExp(`(Copy|Copied) the ${what}$`) });
        await button.focus();
        await page.keyboard.press('Enter');
        await untilShows(button, 'Copied');
      };
      await press('code');
      expect(await copied(page)).toBe('const one = 1;\nconst two = "<b>";');
      await press('answer');
      expect(await copied(page)).toBe(reply);
      await cardOf(page, /^shell/)
        .getByRole('button', { expanded: false })
        .first()
        .click();
      await press('result');
      expect(await copied(page)).toContain('first\nlast');

      const table = page.getByRole('region', { name: 'Table' });
      await table.focus();
      const scrolled = () => table.evaluate((box) => (box as unknown as { scrollLeft: number }).scrollLeft); // an element
      await page.keyboard.press('ArrowRight');
      await until(async () => (await scrolled()) > 0, { ms: pageMs, what: 'the table to scroll' });
      const heights = await table.evaluate((box) =>
        [
          ...(box as unknown as { querySelectorAll(of: string): { clientHeight: number }[] }).querySelectorAll('th'),
        ].map(({ clientHeight }) => clientHeight),
      );
      expect(Math.max(...heights)).toBeLessThan(40); // one line: no column is crushed
      const tasks = page.locator('.markdown').getByRole('checkbox');
      expect(await tasks.count()).toBe(2);
      expect(await page.getByRole('checkbox', { name: 'Done', exact: true }).isChecked()).toBe(true);
      expect(await page.getByRole('checkbox', { name: 'Not done' }).isChecked()).toBe(false);
      await addAxe(page);
      expect(await violationsOn(page)).toEqual([]);
    },
  );

  test('shows a picture of the session that a model names; an address of another place stays a link [page.comforts]', async () => {
    const belay = await openBelay(endpoint);
    const picture = redPng();
    const hash = createHash('sha256').update(picture).digest('hex');
    const text = `![a square](${hash}) ![again](blob:${hash}) ![elsewhere](https://example.org/a.png)`;
    await endpoint.script([{ reply: { text } }]);
    const page = await openRoom(browser, belay, 'ann');
    await page.locator('input[type=file]').setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: picture });
    await sayOn(page, 'look at this');
    const markdown = page.locator('.markdown');
    for (const name of ['a square', 'again']) {
      const image = markdown.getByRole('img', { name });
      await image.waitFor({ timeout: patientMs });
      const width = () => image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth); // an <img>
      await until(async () => (await width()) === 8, { ms: pageMs, what: 'the picture to be loaded' });
    }
    expect(await markdown.getByRole('link', { name: 'image: elsewhere' }).count()).toBe(1);
    expect(await markdown.getByRole('img').count()).toBe(2);
  });

  test('words are edited and said again in a fork that has what there was before them, with their pictures; the session stays as it is [page.comforts] [fork.doors]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'plan c' }, reply: { text: 'Then plan C.' } },
      { when: { user: 'plan b' }, reply: { text: 'Then plan B.' } },
      { when: { user: 'plan z' }, reply: { text: 'Then plan Z.' } },
      { reply: { text: 'Plan A it is.' } },
    ]);
    const page = await openRoom(browser, belay, 'ann', { bypassCSP: true });
    const log = conversation(page);
    await sayOn(page, 'plan a');
    await untilShows(log, 'Plan A it is.');
    const picture = { name: 'red.png', mimeType: 'image/png', buffer: redPng() };
    await page.locator('input[type=file]').setInputFiles(picture);
    await sayOn(page, 'plan b');
    await untilShows(log, 'Then plan B.');

    const edit = page.getByRole('article').nth(1).getByRole('button', { name: 'Edit what you said' });
    await edit.focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'Your words' });
    await addAxe(page);
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Escape'); // changes nothing
    await field.waitFor({ state: 'detached', timeout: patientMs });
    await edit.focus();
    await page.keyboard.press('Enter');
    await field.fill('plan c');
    await page.keyboard.press('Enter');
    await untilShows(log, 'Then plan C.');
    const shown = await log.innerText();
    expect(shown).toContain('Forked from');
    expect(shown).toContain('Plan A it is.');
    expect(shown).not.toContain('plan b');
    await page.getByRole('article').nth(1).getByRole('img', { name: 'red.png' }).waitFor({ timeout: patientMs });
    const asked = JSON.stringify((await endpoint.requests()).at(-1));
    expect(asked).toContain('plan a');
    expect(asked).not.toContain('plan b');

    // the first words: nothing was there before them
    await page.getByRole('article').first().getByRole('button', { name: 'Edit what you said' }).click();
    await field.fill('plan z');
    await page.getByRole('button', { name: 'Say again' }).click();
    await untilShows(log, 'Then plan Z.');
    expect(await log.innerText()).not.toContain('plan a');
    expect(JSON.stringify((await endpoint.requests()).at(-1))).not.toContain('plan a');

    await page.evaluate(`location.hash = '#/session/${room}'`);
    await untilShows(log, 'Then plan B.');
    expect(await log.innerText()).not.toContain('plan c');
  });
});
