// Adapts the links of a page to the package, which has neither sources nor tests.
//
// A link to a source leads to its declarations; any other one that would break becomes its text.
import { posix } from 'node:path';
import { packageFiles, packageFolders } from './manifest.ts';

/** Whether the package has the file of a page or a folder of the checkout, by its path. */
export const isPacked = (path: string): boolean =>
  [...packageFiles, 'README.md'].includes(path) || packageFolders.some((folder) => `${path}/`.startsWith(folder));

/** Matches a link to a file, with its text, path and heading. */
export const fileLink = /(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)]*)?\)/g;

/** Returns the text of a page as the package has it. `page`: its path in the checkout. */
export function packedPage(page: string, text: string): string {
  return text.replace(fileLink, (link: string, words: string, target: string) => {
    const path = posix.join(posix.dirname(page), target);
    if (isPacked(path)) return link;
    return /^(src|machines)\/.+\.ts$/.test(path) ? `[${words}](${target.replace(/\.ts$/, '.d.ts')})` : words;
  });
}
