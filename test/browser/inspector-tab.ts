// Tabs with the inspector of a gateway, and what is seen in them.
import type { Locator, Page } from 'playwright-core';
import { type Belay, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { shellCall } from '../support/journey.ts';
import { until } from '../support/until.ts';
import { pageMs, patientMs } from './page-actions.ts';
import { pageOf } from './room-tabs.ts';
import { openTab, type TabOptions, type useBrowser } from './tab.ts';

interface InspectorOptions extends TabOptions {
  readonly speaker?: TestSpeaker;
}

/** Opens a place of the inspector, like `room` or `all/events`, as the moderator. */
export async function openInspector(
  browser: ReturnType<typeof useBrowser>,
  belay: Pick<Belay, 'url'>,
  place: string,
  { speaker = 'moderator', ...options }: InspectorOptions = {},
): Promise<Page> {
  const joint = place.includes('?') ? '&' : '?';
  const page = await openTab(browser, `${pageOf(belay)}#/inspector/${place}${joint}token=${tokenOf(speaker)}`, options);
  await page.getByRole('toolbar', { name: 'Inspector' }).waitFor({ timeout: patientMs });
  return page;
}

/** The rows of the tree whose names match. */
export const actorsOn = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('tree', { name: 'Actors' }).getByRole('treeitem', { name });

const namesOfRows = `JSON.stringify([...document.querySelectorAll('[role=treeitem]')].map((row) => row.querySelector('.visually-hidden').textContent))`;

/** Resolves when so many rows of the tree match. Rejects with the rows that there are. */
export async function untilActors(page: Page, name: RegExp, count = 1): Promise<void> {
  let names: readonly string[] = [];
  const read = async () => {
    // in one go: the tree changes all the time
    names = JSON.parse(String(await page.evaluate(namesOfRows))) as string[];
    return names.filter((each) => name.test(each)).length === count;
  };
  await until(read, { ms: pageMs, what: 'the tree' }).catch((error: Error) => {
    throw new Error(`${error.message}: not ${count} like ${name} of\n${names.join('\n')}`, { cause: error });
  });
}

/** Resolves with the words of the toolbar about the moment that is shown. */
export const momentOn = async (page: Page): Promise<string> => (await page.locator('output').textContent()) ?? '';

/** The rules of a turn with three commands and a sub-agent, all of which run until they are stopped. */
export const threeToolsAndAnAgent = ({ folder }: Pick<Belay, 'folder'>) => [
  { when: { user: 'look around' }, reply: { text: 'I read', end: 'hang' as const } },
  {
    when: { user: 'work', round: 0 },
    reply: {
      text: 'On it.',
      calls: [
        ...[folder.a, folder.b, folder.c].map((cwd) => shellCall('sleep 60', cwd)),
        { name: 'spawn_agent', arguments: { task: 'look around' } },
      ],
    },
  },
  { reply: { text: 'Fine.' } },
];
