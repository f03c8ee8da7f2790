// Pictures of the chat: each brings a page to the view that is shown.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { ScriptedCall } from '../../src/programs/scripted/reply.ts';
import { roomAddress, type Stage } from './stage.ts';

/** A picture. `take` brings a page to what it shows, and resolves with the page. */
export interface Screenshot {
  readonly name: string;
  readonly take: (stage: Stage) => Promise<Page>;
}

const tourWords = 'research this and run the build';

const shell = (command: string): ScriptedCall => ({ name: 'shell', arguments: { command } });

async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'What you say' });
  await field.fill(text);
  await field.press('Enter');
}

const untilShown = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

async function startTurn(stage: Stage): Promise<Page> {
  const page = await stage.open(await stage.startTour());
  await page.getByRole('button', { name: tourWords }).click();
  await untilShown(page, /step 3 of 60/);
  return page;
}

const signIn: Screenshot = {
  name: 'sign-in',
  take: async (stage) => stage.open(await stage.startRoom([])),
};

const emptyStart: Screenshot = {
  name: 'start',
  async take(stage) {
    const page = await stage.open(await stage.startTour());
    await page.getByRole('button', { name: tourWords }).waitFor();
    return page;
  },
};

const running: Screenshot = {
  name: 'running',
  async take(stage) {
    const page = await startTurn(stage);
    await untilShown(page, /My report/);
    return page;
  },
};

const stopping: Screenshot = {
  name: 'stopping',
  async take(stage) {
    const stubborn = 'trap "" TERM; echo "I ignore the signal TERM"; for i in $(seq 60); do sleep 1; done';
    const calls = [shell(stubborn), { name: 'shell', arguments: { command: 'sleep 60', cwd: '/tmp' } }];
    const gateway = await stage.startRoom([{ reply: { text: 'I start two commands.', calls } }], {
      limits: { termGraceMs: 20_000, toolCancelMs: 30_000, shutdownMs: 60_000 },
      roots: [stage.work, '/tmp'],
    });
    const page = await stage.open(roomAddress(gateway, 'ann'));
    await say(page, 'run them');
    await untilShown(page, 'I ignore the signal');
    await page.getByRole('article').getByRole('button', { name: 'Stop your turn' }).click();
    await untilShown(page, 'stopping…');
    await untilShown(page, /^cancelled/);
    return page;
  },
};

const stopped: Screenshot = {
  name: 'stopped',
  async take(stage) {
    const page = await startTurn(stage);
    await page.keyboard.press('Escape');
    const acknowledgement = page.getByRole('article', { name: 'Reply to the stop' });
    await acknowledgement.getByText('tokens in').waitFor();
    return page;
  },
};

const questions: Screenshot = {
  name: 'questions',
  async take(stage) {
    const ask: ScriptedCall = {
      name: 'ask_user',
      arguments: { question: 'Which environment is it for?', choices: ['staging', 'production'] },
    };
    const calls = [ask, shell('npm run deploy -- --environment staging')];
    const gateway = await stage.startRoom([{ reply: { text: 'Before I deploy I ask you two things.', calls } }], {
      approve: ['shell'],
    });
    const page = await stage.open(roomAddress(gateway, 'ann'));
    await say(page, 'deploy it');
    await page.locator('.question[data-armed=true]').nth(1).waitFor();
    return page;
  },
};

/** A picture of a chart: bars of the colors of the page. */
const chart = `<svg xmlns="http://www.w3.org/2000/svg" width="360" height="180"><rect width="360" height="180" fill="#fff"/>${[
  90, 130, 70, 150, 110,
]
  .map(
    (height, at) =>
      `<rect x="${30 + at * 64}" y="${165 - height}" width="40" height="${height}" rx="4" fill="#4453c4"/>`,
  )
  .join('')}</svg>`;

const pictures: Screenshot = {
  name: 'pictures',
  async take(stage) {
    const show: ScriptedCall = { name: 'read_file', arguments: { path: 'builds.png' } };
    const gateway = await stage.startRoom([
      { times: 1, reply: { text: 'I compare it with the chart in the folder.', calls: [show] } },
      { reply: { text: 'The chart has the minutes of the last five builds. Thursday was the slowest.' } },
    ]);
    const page = await stage.open(roomAddress(gateway, 'ann'));
    const buffer = await drawChart(page);
    writeFileSync(join(stage.work, 'builds.png'), buffer);
    await page.locator('input[type=file]').setInputFiles({ name: 'last-week.png', mimeType: 'image/png', buffer });
    await say(page, 'which build was the slowest?');
    await untilShown(page, 'Thursday was the slowest.');
    await page.getByRole('button', { expanded: false }).first().click();
    await page.getByRole('img').nth(1).waitFor();
    return page;
  },
};

/** Draws the chart in a tab of its own. Resolves with a PNG. */
async function drawChart(page: Page): Promise<Buffer> {
  const tab = await page.context().newPage();
  await tab.setContent(chart);
  const drawn = await tab.locator('svg').screenshot();
  await tab.close();
  return drawn;
}

const settings: Screenshot = {
  name: 'settings',
  async take(stage) {
    const page = await stage.open(`${await stage.startTour()}`);
    await page.evaluate("location.assign('#/settings')");
    await page.getByText('This connection').waitFor();
    return page;
  },
};

const sessions: Screenshot = {
  name: 'sessions',
  async take(stage) {
    const gateway = await stage.startRoom([
      { when: { user: 'wait' }, reply: { calls: [shell('sleep 60')] } },
      { reply: { text: 'Noted.' } },
    ]);
    const page = await stage.open(roomAddress(gateway, 'ann'));
    for (const words of [
      'water the plants',
      'what did we decide on Monday about the release notes?',
      'wait for the build',
    ]) {
      await page.evaluate("location.assign('#/')");
      await untilShown(page, 'You can stop all of it');
      await say(page, words);
      await untilShown(page, words.startsWith('wait') ? 'running' : 'Noted.');
    }
    if (stage.isPhone) await page.getByRole('button', { name: 'Sessions' }).click();
    await page.getByRole('searchbox').waitFor();
    return page;
  },
};

const refused: Screenshot = {
  name: 'refused',
  async take(stage) {
    const gateway = await stage.startRoom([{ reply: { text: 'I wait for the build.', calls: [shell('sleep 60')] } }], {
      policy: 'owner',
    });
    const ann = await stage.open(roomAddress(gateway, 'ann'));
    await ann.getByRole('textbox').last().waitFor();
    const bob = await stage.open(roomAddress(gateway, 'bob'));
    await bob.getByRole('textbox').last().waitFor();
    await say(ann, 'wait for the build');
    await untilShown(ann, 'sleep 60');
    await bob.getByRole('button', { name: 'Stop shell' }).click();
    await bob.getByRole('alert').waitFor();
    await bob.getByRole('button', { name: "Stop ann's turn" }).click();
    await bob.getByRole('alert').nth(1).waitFor();
    return bob;
  },
};

const disconnected: Screenshot = {
  name: 'disconnected',
  async take(stage) {
    const page = await startTurn(stage);
    stage.disconnect();
    await untilShown(page, 'No connection to the gateway.');
    await say(page, 'and tell me when it is done');
    await untilShown(page, 'not confirmed yet');
    return page;
  },
};

export const chatPictures: readonly Screenshot[] = [
  signIn,
  emptyStart,
  running,
  stopping,
  stopped,
  questions,
  pictures,
  settings,
  sessions,
  refused,
  disconnected,
];
