// The chat at a terminal: the prompt, typing while text streams, Ctrl-C as a key.
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { ctrlC, enter, startAtTerminal } from '../support/terminal.ts';

/** The model streams `tick` endlessly, one word at a time, except for `hello`. */
async function start() {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) => ({
      steps: messages.at(-1)?.content.includes('hello')
        ? [{ text: 'Hello!' }]
        : Array.from({ length: 2_000 }, () => [{ text: 'tick ' }, { waitMs: 20 }]).flat(),
    }),
  });
  const runtime = await createRuntime({ acknowledge: 'off', provider });
  onTestFinished(() => runtime.close());
  const { url, gateway } = await startGateway({ runtime });
  const chat = startAtTerminal('src/programs/chat.ts', [url]);
  await chat.shows('Joined main as local.');
  await chat.shows(/you>$/);
  return { chat, gateway, runtime };
}

test('a line that is typed while text streams is on a line of its own, and the text waits for it [cli.chat]', async () => {
  const { chat } = await start();
  chat.press(`count${enter}`);
  await chat.shows('tick tick tick');
  chat.press('/st');
  await chat.shows(/\nyou> .*\/st$/s);
  const before = chat.shown();
  chat.press('op');
  await chat.shows(/\/stop$/);
  expect(chat.shown().slice(before.length)).not.toContain('tick');
  chat.press(enter);
  await chat.shows(/Stopped in \d+ ms/);
  await chat.shows(/you>$/);
  chat.press(`hello${enter}`);
  await chat.shows('Hello!');
  await chat.shows(/you>$/);
  chat.press('\u0004'); // Ctrl-D
  expect(await chat.ended()).toBe(0);
});

test('Ctrl-C cancels the running turn, and leaves when it comes twice while nothing runs, without a stack trace [cli.chat]', async () => {
  const { chat, gateway } = await start();
  chat.press(`count${enter}`);
  await chat.shows('tick tick tick');
  chat.press(ctrlC);
  await chat.shows('Received interrupt. Cancelling all running tools...');
  await chat.shows(/Stopped in \d+ ms/);
  await chat.shows(/you>$/);
  chat.press(ctrlC);
  await chat.shows('Ctrl-C again leaves.');
  chat.press(ctrlC);
  expect(await chat.ended()).toBe(0);
  expect(chat.shown()).not.toMatch(/\n {4}at /);
  expect(gateway.size).toBe(0);
});

test('Ctrl-C exits at once during a pause before reconnecting [cli.chat]', async () => {
  const { chat, gateway } = await start();
  chat.press(`count${enter}`);
  await chat.shows('tick tick tick');
  await gateway.close();
  await chat.shows('Ctrl-C leaves.');
  chat.press(ctrlC);
  expect(await chat.ended()).toBe(130);
});
