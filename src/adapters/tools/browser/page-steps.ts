// Takes the steps of a model on a page, and collects their output.
import { basename } from 'node:path';
import { z } from 'zod';
import type { LoadedMedia } from '../../../../machines/content.ts';
import { boundText } from '../../../core/text/bound-text.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import { pathInput } from '../path-input.ts';
import type { OpenPage } from './browser-page.ts';

const selector = z.string().min(1).max(1_000).describe('CSS, or text=… for its text.');
export const urlInput = z.string().min(1).max(8_192).describe('An http or https URL.');

export const stepInput = z.discriminatedUnion('do', [
  z.object({ do: z.literal('navigate'), url: urlInput }),
  z.object({ do: z.literal('click'), selector }),
  z.object({ do: z.literal('type'), selector, text: z.string().max(10_000) }),
  z.object({ do: z.literal('read'), selector: selector.optional() }),
  z.object({
    do: z.literal('screenshot'),
    path: pathInput
      .endsWith('.png')
      .optional()
      .describe('A new file that ends in .png: nothing is overwritten. Left out: it is only shown.'),
    fullPage: z.boolean().default(false).describe('True: all of the page, however long.'),
  }),
]);
export type PageStep = z.output<typeof stepInput>;

/** Writes a new file in the allowed folders, if there is a path. Rejects with a `ToolRefusal` if the image is too large. */
export type SaveFile = (path: string | undefined, content: Uint8Array) => Promise<void>;

const maxListedRefusals = 5;
/** Characters of one `read`: several of them fit into a result. */
const maxReadChars = 16_000;
/** The height of a screenshot in pixels; what is below is left out. */
const maxShotHeight = 10_000;

/** Throws a `ToolRefusal` for what is no http or https URL. */
function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) throw new ToolRefusal('tool_failed', `${text} is no URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolRefusal('tool_failed', `Only http and https URLs are opened, not ${url.protocol}//.`);
  }
  return url.href;
}

/** What a step yields: a text, and an image where it took one. */
interface StepResult {
  readonly text: string;
  readonly image?: LoadedMedia;
}

async function takeStep(step: PageStep, { page }: OpenPage, saveFile: SaveFile): Promise<StepResult> {
  switch (step.do) {
    case 'navigate': {
      const response = await page.goto(checkedUrl(step.url), { waitUntil: 'load' });
      const failure = response && response.status() >= 400 ? ` HTTP ${response.status()}` : '';
      return { text: `${page.url()} "${await page.title()}"${failure}` };
    }
    case 'click':
      await page.locator(step.selector).first().click();
      await page.waitForLoadState('load');
      return { text: `clicked ${step.selector}: ${page.url()} "${await page.title()}"` };
    case 'type':
      await page.locator(step.selector).first().fill(step.text);
      return { text: `typed into ${step.selector}` };
    case 'read': {
      const text = await page
        .locator(step.selector ?? 'body')
        .first()
        .innerText();
      return { text: boundText(text, maxReadChars).output };
    }
    case 'screenshot': {
      const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
      const whole = step.fullPage ? await page.evaluate('document.documentElement.scrollHeight') : height;
      const clip = { x: 0, y: 0, width, height: Math.min(Number(whole), maxShotHeight) };
      const data = await page.screenshot({ type: 'png', fullPage: step.fullPage, clip });
      await saveFile(step.path, data);
      const { path = 'screenshot.png' } = step;
      const place = step.path === undefined ? '' : ` in ${path}`;
      return {
        text: `screenshot of ${clip.width}×${clip.height}${place}`,
        image: { type: 'image', data, mediaType: 'image/png', name: basename(path) },
      };
    }
  }
}

export interface StepsResult {
  readonly output: string;
  /** The screenshots, in their order. */
  readonly images: readonly LoadedMedia[];
  /** The error of the step that failed; null: none has. */
  readonly error: unknown;
}

/** Takes the steps up to the first that fails. Never rejects. */
export async function takeSteps(steps: readonly PageStep[], open: OpenPage, saveFile: SaveFile): Promise<StepsResult> {
  const { refusals } = open;
  const outputs: string[] = [];
  const images: LoadedMedia[] = [];
  let error: unknown = null;
  for (const step of steps) {
    const before = refusals.length;
    try {
      const { text, image } = await takeStep(step, open, saveFile);
      outputs.push(text);
      if (image) images.push(image);
    } catch (thrown) {
      // a navigation that was refused fails with an error of the network
      const refusal = refusals[before];
      error =
        thrown instanceof ToolRefusal || refusal === undefined ? thrown : new ToolRefusal('address_refused', refusal);
      break;
    }
  }
  const refused = [...new Set(refusals)];
  if (refused.length > 0 && error === null)
    outputs.push(`[refused for this page: ${refused.slice(0, maxListedRefusals).join(' ')}]`);
  return { output: outputs.join('\n\n'), images, error };
}
