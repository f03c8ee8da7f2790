// Tabs of speakers with tokens, in the room that a test gateway serves.
import type { Page } from 'playwright-core';
import { type Belay, room, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { patientMs } from './page-actions.ts';
import { openTab, type TabOptions, type useBrowser } from './tab.ts';

/** The address of the page of a gateway, without credentials. */
export const pageOf = ({ url }: Pick<Belay, 'url'>): string => new URL('/', url.replace(/^ws/, 'http')).href;

/** Opens the room as a speaker, by a link that carries the token. */
export async function openRoom(
  browser: ReturnType<typeof useBrowser>,
  belay: Pick<Belay, 'url'>,
  speaker: TestSpeaker,
  options: TabOptions = {},
): Promise<Page> {
  const page = await openTab(browser, `${pageOf(belay)}#/session/${room}?token=${tokenOf(speaker)}`, options);
  await page.getByRole('log', { name: 'Conversation' }).waitFor({ timeout: patientMs });
  return page;
}
