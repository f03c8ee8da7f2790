// Plants a bug: changes the text of one source while Node loads it. Called before the source is imported; the file stays as it is.
import { registerHooks } from 'node:module';
import { mendedBugs } from './mended-bugs.ts';
import { type PlantedBug, plants } from './plants.ts';

/** All bugs that can be planted. */
export const allBugs: readonly PlantedBug[] = [...plants, ...mendedBugs];

/** Throws if no bug has the name, or its place is not found once. */
export function plantBug(name: string): void {
  const plant = allBugs.find((one) => one.name === name);
  if (!plant)
    throw new Error(`No bug has the name ${name}. These are there: ${allBugs.map((one) => one.name).join(', ')}.`);
  const { file, from, to } = plant;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${file}`)) return loaded;
      const [before, after, ...more] = String(loaded.source).split(from);
      if (after === undefined || more.length > 0)
        throw new Error(`${file} does not have the place of the bug once: ${from}`);
      return { ...loaded, source: `${before}${to}${after}` };
    },
  });
}
