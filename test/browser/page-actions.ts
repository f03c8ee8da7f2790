// Actions of a person on the page, and what is seen of it: by roles and names, as a screen reader has them.
import type { Locator, Page } from 'playwright-core';
import { scaled } from '../support/time-scale.ts';

/** How long a page may take, on a quiet machine, for one thing that is seen of it: for `until`, which scales it. */
export const pageMs = 20_000;
/** The same on this machine: for waits of Playwright. */
export const patientMs = scaled(pageMs);

/** Types words and sends them. */
export async function sayOn(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'What you say' });
  await field.fill(text);
  await field.press('Enter');
}

/** The card of a call, by the beginning of its title. */
export const cardOf = (page: Page, title: string | RegExp): Locator => page.getByRole('region', { name: title });

/** Waits until an element shows the text. */
export async function untilShows(element: Locator, text: string | RegExp, ms = patientMs): Promise<void> {
  await element.filter({ hasText: text }).first().waitFor({ timeout: ms });
}
