// Pictures of the wave of a CANCEL: a tab of the inspector watches, in another one the turn is stopped.
import type { Page } from 'playwright-core';
import type { Screenshot } from './chat-pictures.ts';
import { roomAddress, type Stage } from './stage.ts';

const tourWords = 'research this and run the build';

/** Opens the inspector of all sessions beside a page, signed in by the address of the page. */
async function watch(stage: Stage, address: string): Promise<Page> {
  const { origin, hash } = new URL(address);
  const inspector = await stage.open(`${origin}/#/inspector/all?${hash.slice(1)}`);
  await inspector.getByRole('link', { name: 'Cancels' }).click();
  return inspector;
}

/** Follows the link of the receipt in the tab of the inspector. */
async function showWave(page: Page, inspector: Page): Promise<Page> {
  const link = page.getByRole('link', { name: 'Show how it went down' }).first();
  await link.waitFor();
  const place = (await link.getAttribute('href')) ?? '';
  await inspector.evaluate(`location.assign(${JSON.stringify(place)})`);
  await inspector.getByRole('article', { name: /stopped the turn/ }).waitFor();
  await inspector.locator('.wave-mark[data-mark=got]').first().waitFor();
  return inspector;
}

const wave: Screenshot = {
  name: 'wave',
  async take(stage) {
    const address = await stage.startTour();
    const inspector = await watch(stage, address);
    const page = await stage.open(address);
    await page.getByRole('button', { name: tourWords }).click();
    await page
      .getByText(/step 3 of 60/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    return showWave(page, inspector);
  },
};

const waveInTrouble: Screenshot = {
  name: 'wave-trouble',
  async take(stage) {
    const shell = (command: string, cwd?: string) => ({ name: 'shell', arguments: { command, ...(cwd && { cwd }) } });
    const calls = [
      shell('trap "" TERM; echo "I ignore the signal TERM"; for i in $(seq 60); do sleep 1; done'),
      shell('sleep 60', '/tmp'),
    ];
    const gateway = await stage.startRoom([{ reply: { text: 'I start two commands.', calls } }], {
      limits: { termGraceMs: 700, toolCancelMs: 1_500 },
      roots: [stage.work, '/tmp'],
    });
    const page = await stage.open(roomAddress(gateway, 'ann'));
    await page.getByRole('textbox', { name: 'What you say' }).fill('run them');
    await page.keyboard.press('Enter');
    await page.getByText('I ignore the signal').first().waitFor();
    await page.getByRole('article').getByRole('button', { name: 'Stop your turn' }).click();
    const link = page.getByRole('link', { name: 'Show how it went down' }).first();
    await page
      .getByText(/You stopped this: .* in/)
      .first()
      .waitFor();
    await link.click();
    await page.getByRole('article', { name: /stopped the turn/ }).waitFor();
    return page;
  },
};

export const wavePictures: readonly Screenshot[] = [wave, waveInTrouble];
