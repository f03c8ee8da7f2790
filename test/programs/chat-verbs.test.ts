// The keys and the questions of a chat at a real terminal that stop tools, or leave while something runs.
import { describe, expect, test } from 'vitest';
import { startProxy } from '../support/proxy.ts';
import { ctrlC, enter } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { startChats } from './typed-chats.ts';

const esc = '\u001b';

const ways = [
  ['Escape', esc, { args: ['--escape', 'tools'], env: {} }],
  ['Ctrl-C', ctrlC, { args: ['--escape', 'tools'], env: {} }],
  ['Escape', esc, { args: [], env: { BELAY_ESCAPE: 'tools' } }],
] as const;

describe('with --escape tools', () => {
  test.each(ways)(
    '%s stops the tools of the turn, which goes on; then it stops the turn [cli.chat] [cancel.tools] %#',
    async (_, key, { args, env }) => {
      const { chatAtTerminal, session, runtime, calls, watched } = await startChats();
      const chat = await chatAtTerminal('ann', { args, env });
      chat.press(`watch${enter}`);
      await watched();
      await chat.shows('watch the door'); // the words alone are shown before the chat knows of the tools
      chat.press(key);
      await chat.shows('ann has stopped the tools'); // the scripted model says what it reads
      expect(await calls()).toEqual([]);
      expect(chat.shown()).not.toContain('your turn: stopped');
      const stops = await receiptsOf(runtime, session.id);
      expect(stops).toMatchObject([{ target: expect.stringMatching(/^tools:turn_/), by: 'ann' }]);

      // no tool of the next turn runs while its model writes: the same key stops the turn
      chat.press(`tick${enter}`);
      await chat.shows(/tick tick tick/);
      chat.press(key);
      const second = await until(async () => (await receiptsOf(runtime, session.id))[1], { what: 'the second stop' });
      expect(second).toMatchObject({ target: expect.stringMatching(/^lane:turn_/) });
    },
  );

  test('without it both keys stop the turn [cli.chat]', async () => {
    for (const key of [esc, ctrlC]) {
      const { chatAtTerminal, session, runtime, watched } = await startChats();
      const chat = await chatAtTerminal('ann');
      chat.press(`watch${enter}`);
      await watched();
      await chat.shows('watch the door'); // the words alone are shown before the chat knows of the tools
      chat.press(key);
      await chat.shows(/stopped in \d+ ms/i);
      expect(await receiptsOf(runtime, session.id)).toMatchObject([{ target: expect.stringMatching(/^lane:turn_/) }]);
    }
  });
});

/** The CANCELs that were accepted in a session. */
async function receiptsOf({ sessions }: Awaited<ReturnType<typeof startChats>>['runtime'], session: string) {
  const accepted: object[] = [];
  for await (const { fact } of (await sessions.export(session)) ?? [])
    if (fact.type === 'cancel_accepted') accepted.push(fact);
  return accepted;
}

describe('/exit at a terminal says what runs, and asks whether to stop it', () => {
  async function startAsked() {
    const started = await startChats();
    const chat = await started.chatAtTerminal('ann');
    chat.press(`watch${enter}`);
    await started.watched();
    await chat.shows('the window'); // it knows of both calls
    chat.press(`/exit${enter}`);
    await chat.shows('Your turn is running. Stop what is yours? /exit stop stops it and leaves; /exit again leaves it');
    expect(await started.calls()).toHaveLength(2);
    return { ...started, chat };
  }

  test('/exit stop stops it, and leaves after its receipt [cli.chat.exit]', async () => {
    const { chat, calls } = await startAsked();
    chat.press(`/exit stop${enter}`);
    expect(await chat.ended()).toBe(0);
    expect(chat.shown()).toMatch(/Stopped in \d+ ms.*watch the door.*watch the window/s);
    expect(await calls()).toEqual([]);
  });

  test('/exit again leaves it running [cli.chat.exit]', async () => {
    const { chat, calls } = await startAsked();
    chat.press(`/exit${enter}`);
    expect(await chat.ended()).toBe(0);
    expect(await calls()).toHaveLength(2);
  });

  test('another line stays: the next /exit asks anew [cli.chat.exit]', async () => {
    const { chat, calls } = await startAsked();
    chat.press(`/who${enter}`);
    await chat.shows('You are ann');
    chat.press(`/exit${enter}`);
    await until(() => chat.shown().match(/Stop what is yours\?/g)?.length === 2, { what: 'the second question' });
    expect(await calls()).toHaveLength(2);
    chat.press(`/exit stop${enter}`);
    expect(await chat.ended()).toBe(0);
  });

  test('what only another speaker runs is named, and /exit stop leaves it running [cli.chat.exit] [owner.node]', async () => {
    const { chatAtTerminal, chat, calls, watched } = await startChats({ policy: 'owner' });
    const bob = await chat('bob');
    const ann = await chatAtTerminal('ann');
    bob.type('watch');
    await watched();
    await ann.shows('bob> watch');
    ann.press(`/exit${enter}`);
    await ann.shows(/bob.s turn is running\./);
    ann.press(`/exit stop${enter}`);
    expect(await ann.ended()).toBe(0);
    expect(await calls()).toHaveLength(2);
  });

  test('words whose turn is not known yet count as running [cli.chat.exit]', async () => {
    const { url, chatAtTerminal, calls } = await startChats();
    const proxy = await startProxy({ target: url });
    const chat = await chatAtTerminal('ann', { address: proxy.url });
    proxy.muteGateway();
    chat.press(`watch${enter}`);
    await until(async () => (await calls()).length === 2, { what: 'both calls' });
    chat.press(`/exit${enter}`);
    await chat.shows('Your words are on their way. Stop what is yours?');
    chat.press(`/exit stop${enter}`);
    await until(async () => (await calls()).length === 0, { what: 'the end of both calls' });
  });

  test('it leaves at once where nothing runs [cli.chat.exit]', async () => {
    const { chatAtTerminal } = await startChats();
    const chat = await chatAtTerminal('ann');
    chat.press(`/exit${enter}`);
    expect(await chat.ended()).toBe(0);
    expect(chat.shown()).not.toContain('Stop what is yours?');
  });
});
