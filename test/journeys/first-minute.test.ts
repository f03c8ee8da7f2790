// The first minute of `npm start` and `npm run chat`, without a key: a script plays the model, is stopped by a typed word, and says so itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { ctrlC, enter, startAtTerminal } from '../support/terminal.ts';

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'belay-first-minute-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const gateway = startChild('src/programs/serve.ts', {
    args: ['--port', '0', '--store', 'memory', '--demo'],
    cwd: folder,
  });
  const [, url = ''] = await gateway.untilPrinted(/listens at (\S+)/, 30_000);
  const chat = startAtTerminal('src/programs/chat.ts', [url]);
  await chat.shows('Joined main as local.');
  chat.press(`research this and run the build${enter}`);
  await chat.shows(/● shell i=1/);
  return chat;
}

test('a typed "stop" stops all of it, and the model says in its own words what it has stopped [recover.model] [cli.chat]', async () => {
  const chat = await start();
  chat.press(`stop${enter}`);
  await chat.shows(/Stopped in \d+ ms/);
  await chat.shows(
    /\(scripted model\) All right, local, I have stopped what I did on "research this and run the build"\./,
  );
  await chat.shows(/you>$/);
  chat.press(`what is left?${enter}`);
  await chat.shows('My last turn did not finish: it was stopped by local');
});

test('Ctrl-C stops the words of the acknowledgement, and does not leave [ladder.acknowledgement] [cli.chat]', async () => {
  const chat = await start();
  chat.press(ctrlC);
  await chat.shows('(scripted model) All right');
  chat.press(ctrlC);
  await chat.shows(/All right.*Stopped in \d+ ms/s);
  await chat.shows(/you>$/);
  chat.press(ctrlC);
  await chat.shows('Ctrl-C again leaves.');
  chat.press(ctrlC);
  expect(await chat.ended()).toBe(0);
});
