// Journeys of a person at `belay chat` in a real terminal: what the screen shows, at 80 and 120 columns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { startChild } from '../support/child.ts';
import { startGateway } from '../support/gateway.ts';
import {
  ctrlC,
  ctrlD,
  enter,
  programPath,
  startAtTerminal,
  startCommandAtTerminal,
  type TerminalOptions,
  type TerminalProgram,
} from '../support/terminal.ts';
import { until } from '../support/until.ts';

const manyBlocks = 'a word\n\n'.repeat(20_000);

/** The model streams `tick` endlessly after the word `count`, has a long text after `all of it`, and repeats everything else as JSON. */
async function serve(): Promise<string> {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) => {
      const words = String(messages.at(-1)?.content);
      if (words.includes('all of it')) return { steps: [{ text: `${manyBlocks}\n\nThe end.` }] };
      if (!words.includes('count')) return { steps: [{ text: `You said: ${JSON.stringify(words)}` }] };
      return { steps: Array.from({ length: 2_000 }, () => [{ text: 'tick ' }, { waitMs: 20 }]).flat() };
    },
  });
  const runtime = await createRuntime({ acknowledge: 'off', provider });
  onTestFinished(() => runtime.close());
  return (await startGateway({ runtime })).url;
}

async function openChat(url: string, options: TerminalOptions = {}): Promise<TerminalProgram> {
  const chat = startAtTerminal('src/programs/chat.ts', [url], { columns: 80, rows: 24, ...options });
  await chat.shows('Joined main as local.');
  await chat.shows(/you>$/);
  return chat;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-chat-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const inputRows = (chat: TerminalProgram) => chat.rows().filter((row) => row.startsWith('you>'));
const untilInput = (chat: TerminalProgram, text: string) =>
  until(() => inputRows(chat).at(-1) === `you> ${text}`.trimEnd(), { ms: 10_000, what: `the input "${text}"` }).catch(
    (error: Error) => {
      throw new Error(`${error.message}; the screen: ${chat.shown()}`, { cause: error });
    },
  );

test.each([
  { columns: 80, resized: 120 },
  { columns: 120, resized: 80 },
])(
  'typed text stays whole while an answer streams, from $columns to $resized columns; Ctrl-C stops, clears, asks, leaves [cli.chat]',
  async ({ columns, resized }) => {
    const chat = await openChat(await serve(), { columns });
    chat.press(`count${enter}`);
    await chat.shows(/(tick\s+){30}/);
    for (const key of 'half typed') chat.press(key);
    await untilInput(chat, 'half typed');
    chat.resize(resized);
    await chat.shows(/(tick\s+){60}/);
    chat.press('!');
    await untilInput(chat, 'half typed!');
    expect(chat.shown().match(/half typed/g), 'nothing is left over').toHaveLength(1);
    chat.resize(columns);
    chat.press(ctrlC);
    await chat.shows(/Stopped in \d+ ms/);
    await untilInput(chat, 'half typed!');
    expect(chat.shown().match(/half typed/g), 'nothing is left over').toHaveLength(1);
    chat.press(ctrlC);
    await untilInput(chat, '');
    chat.press(ctrlC);
    await chat.shows('Ctrl-C again leaves.');
    chat.press(ctrlC);
    expect(await chat.ended()).toBe(0);
    expect(chat.rows().at(-1), 'the input is gone').not.toContain('you>');
  },
);

test('a key that is pressed while a long text is drawn is handled before the rest of the text [page.chat] [cli.chat]', async () => {
  const chat = await openChat(await serve());
  chat.press(`all of it${enter}`);
  await until(() => chat.written().includes('\na word\r'), { ms: 20_000, what: 'the first blocks' });
  chat.press('x');
  await untilInput(chat, 'x');
  expect(chat.written()).not.toContain('The end.');
  await chat.shows('The end.', 60_000);
  await untilInput(chat, 'x');
});

test('a paste of five lines is one message, and what was said comes back in the next chat [cli.chat]', async () => {
  const url = await serve();
  const env = { XDG_STATE_HOME: newFolder() };
  const chat = await openChat(url, { env });
  chat.paste('one\ntwo\nthree\n\nfive');
  await chat.shows(/you> one\n {5}two\n {5}three\n\n {5}five$/);
  chat.press(enter);
  await chat.shows('You said: "one\\ntwo\\nthree\\n\\nfive"');
  chat.press(`first\\${enter}second${enter}`);
  await chat.shows('You said: "first\\nsecond"');
  chat.press(ctrlD);
  expect(await chat.ended()).toBe(0);
  const next = await openChat(url, { env });
  next.press('\u001b[A');
  await next.shows(/you> first\n {5}second$/);
  next.press('\u001b[A\u001b[A');
  await next.shows(/you> one\n {5}two\n {5}three\n\n {5}five$/);
});

test('Ctrl-Z suspends the chat in its shell, and fg brings it back with the typed text [cli.chat]', async () => {
  const url = await serve();
  const shell = startCommandAtTerminal('bash', ['--norc', '-i'], { columns: 80, rows: 24, env: { PS1: 'shell$ ' } });
  await shell.shows('shell$');
  shell.press(`'${process.execPath}' '${programPath('src/programs/chat.ts')}' '${url}'${enter}`);
  await shell.shows('Joined main as local.');
  shell.press(`count${enter}`);
  await shell.shows(/(tick\s+){10}/);
  shell.press('half typed');
  await untilInput(shell, 'half typed');
  shell.press('\u001a');
  await shell.shows(/Stopped.*\n(.*\n)*shell\$$/);
  shell.press(`stty -a | grep -o -- '-*icanon'; echo $((6*7))${enter}`);
  await shell.shows(/\nicanon\n42\nshell\$$/);
  shell.press(`fg${enter}`);
  await untilInput(shell, 'half typed');
  shell.press(' and more');
  await untilInput(shell, 'half typed and more');
  shell.press(ctrlC);
  await shell.shows(/Stopped in \d+ ms/);
  shell.press(ctrlC);
  await untilInput(shell, '');
  shell.press(ctrlD);
  await shell.shows(/shell\$$/);
  shell.press(`stty -a | grep -o -- '-*icanon'; echo $((7*7))${enter}`);
  await shell.shows(/\nicanon\n49\nshell\$$/);
});

test('Ctrl-D waits for what runs; after Ctrl-C the receipt is shown before it leaves [cli.chat]', async () => {
  const chat = await openChat(await serve());
  chat.press(`count${enter}`);
  await chat.shows(/(tick\s+){10}/);
  chat.press(ctrlD);
  await chat.shows('Leaving as soon as everything has ended.');
  chat.press(ctrlC);
  expect(await chat.ended()).toBe(0);
  expect(chat.shown()).toMatch(/Stopped in \d+ ms/);
});

test('Escape stops what runs, and never leaves [cli.chat]', async () => {
  const chat = await openChat(await serve());
  chat.press(`count${enter}`);
  await chat.shows(/(tick\s+){10}/);
  chat.press('\u001b');
  await chat.shows(/Stopped in \d+ ms/);
  chat.press('\u001b[27u'.repeat(3)); // Escape, as a terminal names it that has kitty's protocol
  chat.press(`hello${enter}`);
  await chat.shows(/You said: .*hello"/s);
});

test('SIGTERM stops what runs, shows the receipt, and leaves the terminal as it was [ops.shutdown.endings]', async () => {
  const chat = await openChat(await serve());
  chat.press(`count${enter}`);
  await chat.shows(/(tick\s+){10}/);
  process.kill(chat.pid, 'SIGTERM');
  expect(await chat.ended()).toBe(130);
  expect(chat.shown()).toMatch(/Stopped in \d+ ms/);
  expect(chat.written()).toContain('\u001b[?2004l');
});

test('a gateway that is killed and comes back: typed text stays, what runs is unknown meanwhile [cli.chat]', async () => {
  const folder = newFolder();
  const store = join(folder, 'store.sqlite');
  const env = { XDG_STATE_HOME: join(folder, 'state') };
  const args = ['--demo', '--store', store];
  const gateway = startChild('src/programs/serve.ts', { args: ['--port', '0', ...args], cwd: folder, env });
  const [, port = ''] = await gateway.untilPrinted(/listens at ws:\/\/127\.0\.0\.1:(\d+)/, 20_000);
  const chat = await openChat(`ws://127.0.0.1:${port}/belay`, { env });
  chat.press(`research this and run the build${enter}`);
  await chat.shows(/shell/);
  chat.press('half typed');
  await untilInput(chat, 'half typed');
  gateway.signal('SIGKILL');
  await chat.shows(/what runs is unknown\. Try \d+ in \d+ s/);
  chat.press(enter);
  await chat.shows('nothing was sent, and the text stays here');
  chat.press('\u001b');
  const next = startChild('src/programs/serve.ts', { args: ['--port', port, ...args], cwd: folder, env });
  await next.untilPrinted(/listens at/, 20_000);
  await chat.shows('The connection is back.', 20_000);
  await until(() => !chat.rows().some((row) => row.includes('unknown')), { ms: 10_000, what: 'the status' });
  await untilInput(chat, 'half typed');
});

describe('without the means of a terminal', () => {
  test('NO_COLOR: nothing has a color', async () => {
    const chat = await openChat(await serve(), { env: { NO_COLOR: '1', TERM: 'xterm-256color' } });
    chat.press(`hello${enter}`);
    await chat.shows('You said: "hello"');
    const styles = chat
      .written()
      .split('\u001b[')
      .filter((rest) => /^[0-9;]*m/.test(rest));
    expect(styles.filter((rest) => !rest.startsWith('0m'))).toEqual([]);
  });

  test('TERM=dumb: plain lines, and Ctrl-C asks before it leaves', async () => {
    const chat = startAtTerminal('src/programs/chat.ts', [await serve()], { env: { TERM: 'dumb' } });
    await chat.shows('Joined main as local.');
    chat.press(`hello${enter}`);
    await chat.shows('You said: "hello"');
    chat.press(ctrlC);
    await chat.shows('Ctrl-C again leaves.');
    let code: number | null = null;
    void chat.ended().then((end) => {
      code = end;
    });
    await until(() => {
      if (code === null) chat.press(ctrlC); // within 100 ms they count once
      return code !== null;
    });
    expect(code).toBe(0);
    expect(chat.written()).not.toContain('\u001b');
  });

  test('a closed output ends it quietly', async () => {
    const url = await serve();
    const chat = startChild('src/programs/chat.ts', { args: [url] });
    chat.type('count');
    await chat.untilPrinted('tick');
    chat.process.stdout?.destroy();
    expect(await chat.ended()).toBe(130);
    expect(chat.stderr()).toBe('');
  });
});
