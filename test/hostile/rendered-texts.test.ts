// A text of a model costs the page and the terminal in proportion to its length, and closes neither.
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';

interface Result {
  readonly text: string;
  readonly renderer: string;
  /** Calls of functions of the sources, or the error. */
  readonly once: number | string;
  readonly twice: number | string;
}

/** Calls that do not depend on the length. */
const fixed = 20;

test('no text makes a renderer throw, and twice the text is at most 2.1 times the calls [page.chat] [access.names]', async () => {
  const env = { NODE_ENV: 'production' }; // as the page is built: React notes where each element was made otherwise
  const child = startChild('test/children/counted-renderers.ts', { env });
  expect(await child.ended(300_000), child.stderr()).toBe(0);
  const results: readonly Result[] = JSON.parse(child.stdout());
  expect(results.length).toBe(102);
  const bad = results.filter(
    ({ once, twice }) =>
      typeof once === 'string' || typeof twice === 'string' || once === 0 || twice - fixed > 2.1 * once,
  );
  expect(bad).toEqual([]);
}, 600_000);
