// What a model does with a page, step by step, and what it reads of each.
import { z } from 'zod';
import { boundText } from '../../text/bound-text.ts';
import { pathInput } from '../path-input.ts';
import { Refusal } from '../refusal.ts';
import type { OpenPage } from './browser-page.ts';

const selector = z.string().min(1).max(1_000).describe('CSS, or text=… for what it says.');
export const urlInput = z.string().min(1).max(8_192).describe('An http or https URL.');

export const stepInput = z.discriminatedUnion('do', [
  z.object({ do: z.literal('navigate'), url: urlInput }),
  z.object({ do: z.literal('click'), selector }),
  z.object({ do: z.literal('type'), selector, text: z.string().max(10_000) }),
  z.object({ do: z.literal('read'), selector: selector.optional() }),
  z.object({
    do: z.literal('screenshot'),
    path: pathInput.endsWith('.png').describe('A new file that ends in .png: nothing is overwritten.'),
    fullPage: z.boolean().default(false).describe('True: all of the page, however long.'),
  }),
]);
export type Step = z.output<typeof stepInput>;

/** Puts a new file into the allowed folders. */
export type Save = (path: string, content: Uint8Array) => Promise<void>;

/** Of one `read`: several of them fit into a result. */
const maxReadChars = 16_000;
/** A page of this many pixels in height is shot in full; what is below is left out. */
const maxShotHeight = 10_000;

/** Throws a `Refusal` for what a browser may not be sent to. */
function judgedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) throw new Refusal('tool_failed', `${text} is no URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Refusal('tool_failed', `Only http and https are opened, not ${url.protocol}//.`);
  }
  return url.href;
}

async function takeStep(step: Step, { page }: OpenPage, save: Save): Promise<string> {
  switch (step.do) {
    case 'navigate': {
      const response = await page.goto(judgedUrl(step.url), { waitUntil: 'load' });
      return `${page.url()} "${await page.title()}"${response && response.status() >= 400 ? ` HTTP ${response.status()}` : ''}`;
    }
    case 'click':
      await page.locator(step.selector).first().click();
      await page.waitForLoadState('load');
      return `clicked ${step.selector}: ${page.url()} "${await page.title()}"`;
    case 'type':
      await page.locator(step.selector).first().fill(step.text);
      return `typed into ${step.selector}`;
    case 'read': {
      const text = await page
        .locator(step.selector ?? 'body')
        .first()
        .innerText();
      return boundText(text, maxReadChars).output;
    }
    case 'screenshot': {
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
      const whole = step.fullPage ? await page.evaluate('document.documentElement.scrollHeight') : height;
      const clip = { x: 0, y: 0, width, height: Math.min(Number(whole), maxShotHeight) };
      const image = await page.screenshot({ type: 'png', fullPage: step.fullPage, clip });
      await save(step.path, image);
      return `screenshot of ${clip.width}×${clip.height} in ${step.path}`;
    }
  }
}

export interface Taken {
  readonly output: string;
  /** What stopped it half way; null: nothing. */
  readonly error: unknown;
}

/** Takes the steps up to the first that fails. Never rejects. */
export async function takeSteps(steps: readonly Step[], stage: OpenPage, save: Save): Promise<Taken> {
  const { refusals } = stage;
  const told: string[] = [];
  let error: unknown = null;
  for (const step of steps) {
    const before = refusals.length;
    try {
      told.push(await takeStep(step, stage, save));
    } catch (thrown) {
      // a navigation that was refused fails with a word of the network's
      const refusal = refusals[before];
      error = thrown instanceof Refusal || refusal === undefined ? thrown : new Refusal('address_refused', refusal);
      break;
    }
  }
  const kept = [...new Set(refusals)];
  if (kept.length > 0 && error === null) told.push(`[kept from this page: ${kept.slice(0, 5).join(' ')}]`);
  return { output: told.join('\n\n'), error };
}
