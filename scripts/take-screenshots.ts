// Takes the pictures of docs/images (npm run screenshots); or, into a folder, those of every view in every look: npm run screenshots -- --all FOLDER [NAME…].
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findChromium, isWithoutSandbox } from '../src/adapters/tools/browser/chromium.ts';
import { chatPictures, type Screenshot } from './screenshots/chat-pictures.ts';
import { machinePictures } from './screenshots/machine-pictures.ts';
import { allLooks, type Look, Stage } from './screenshots/stage.ts';
import { wavePictures } from './screenshots/wave-pictures.ts';

const pictures: readonly Screenshot[] = [...chatPictures, ...wavePictures, ...machinePictures];

/** The pictures of the documentation: the file in docs/images, what it shows, and in which look. */
const documented: readonly { readonly file: string; readonly name: string; readonly look: Look }[] = [
  { file: 'page-running.png', name: 'running', look: 'wide-light' },
  { file: 'page-stopped-dark.png', name: 'stopped', look: 'wide-dark' },
  { file: 'wave.png', name: 'wave', look: 'wide-dark' },
  { file: 'page-machine.png', name: 'machine-turn', look: 'wide-light' },
];

const docsFolder = fileURLToPath(new URL('../docs/images/', import.meta.url));

interface Shot {
  readonly name: string;
  readonly look: Look;
  readonly path: string;
}

function readShots(args: readonly string[]): readonly Shot[] {
  if (args[0] !== '--all') {
    const chosen = documented.filter(({ file }) => args.length === 0 || args.includes(file));
    return chosen.map(({ file, name, look }) => ({ name, look, path: join(docsFolder, file) }));
  }
  const [, folder, ...names] = args;
  if (folder === undefined) throw new Error('--all needs a folder.');
  mkdirSync(folder, { recursive: true });
  const chosen = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
  return chosen.flatMap(({ name }) =>
    allLooks.map((look) => ({ name, look, path: join(folder, `${name}-${look}.png`) })),
  );
}

async function take(browser: Browser, { name, look, path }: Shot): Promise<void> {
  const picture = pictures.find((each) => each.name === name);
  if (!picture) throw new Error(`There is no picture with the name ${name}.`);
  const stage = new Stage(browser, look);
  try {
    const page = await picture.take(stage);
    await page.mouse.move(0, 0); // where it does not hover over anything
    await page.screenshot({ path });
    console.log(path);
  } finally {
    await stage.close();
  }
}

const program = findChromium();
if (!program) throw new Error('There is no Chromium: BELAY_CHROMIUM names one.');
const args = isWithoutSandbox() ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath: program, args });
try {
  for (const shot of readShots(process.argv.slice(2))) await take(browser, shot);
} finally {
  await browser.close();
}
