// The commands of a chat about sessions, models and what was used, its files and its questions: at a real terminal, 80 and 120 columns wide.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createRuntime } from '../../src/embed/runtime.ts';
import { startGateway } from '../support/gateway.ts';
import { enter, startAtTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const command = `rm -rf ${Array.from({ length: 60 }, (_, i) => `/srv/data/part-${i}`).join(' ')}`;
const remove = defineTool({
  name: 'remove',
  description: 'Needs an approval.',
  input: z.object({ what: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  approval: ({ what }) => ({ text: `Run this?\n${what}` }),
  run: async () => 'removed',
});
const askWhere = defineTool({
  name: 'ask_where',
  description: 'Asks two questions.',
  input: z.object({}),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'none',
  run: async (_, { ask }) => {
    const place = await ask({ text: 'from where?', choices: ['here', 'there'] });
    return `${place}, ${await ask({ text: 'and why?' })}`;
  },
});

const call = (...calls: readonly (readonly [string, object])[]): Script => ({
  steps: calls.map(([name, input], i) => ({ call: { callId: `p${i}`, name, arguments: JSON.stringify(input) } })),
});

async function start(columns: number, folder?: string) {
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond({ messages, model }) {
      const last = messages.at(-1);
      const said = String(last?.content);
      if (last?.role === 'tool') return { steps: [{ text: `The tool said: ${said}` }] };
      if (said === 'remove') return call(['remove', { what: command }], ['remove', { what: 'second' }]);
      if (said === 'ask') return call(['ask_where', {}]);
      return { steps: [{ text: `You said "${said}" to ${model ?? 'script'}.` }] };
    },
  });
  const runtime = await createRuntime({
    provider,
    tools: [remove, askWhere],
    acknowledge: 'off',
    modelChoices: ['small', 'large'],
  });
  onTestFinished(() => runtime.close());
  const { url } = await startGateway({ runtime });
  const env = folder === undefined ? {} : { INIT_CWD: folder };
  const chat = startAtTerminal('src/programs/chat.ts', [url], { columns, env });
  await chat.shows('Joined main as local.');
  const enterText = (text: string) => chat.press(`${text}${enter}`);
  return { chat, enterText, runtime, provider, url };
}

test.for([80, 120])(
  'sessions are listed with their titles, joined by number, and opened, at %i columns [cli.chat]',
  async (columns) => {
    const { chat, enterText } = await start(columns);
    enterText('hello there');
    await chat.shows('You said "hello there" to script.');
    enterText('/new plans');
    await chat.shows('Joined plans as local.');
    enterText('paint the fence');
    await chat.shows('You said "paint the fence" to script.');
    enterText('/sessions');
    await chat.shows(/1 {2}\d\d:\d\d {2}plans {2}here, "paint the fence"\n {2}2 {2}\d\d:\d\d {2}main {3}"hello there"/);
    enterText('/sessions hello');
    await chat.shows(/1 {2}\d\d:\d\d {2}main {2}"hello there"\n\/sessions NUMBER/);
    enterText('/sessions 1');
    await chat.shows(/Joined main as local\.[\s\S]*-- the history of main ends here --/);
    await chat.shows(/You leave plans for main\.\s[\s\S]*local> hello there\s+You said "hello there" to script\./);
    enterText('/sessions pland');
    await chat.shows(/No session is called pland, or has these words\.\s+Do you mean plans\?/);
    enterText('/usage');
    await chat.shows(
      /The session main: 1 turn, 1 model call, 0 tool calls; about\s+[\d,]+\s+tokens\s+in,\s+[\d,]+\s+out;\s+cost\s+unknown\./,
    );
    enterText('/clear');
    await chat.shows(/main\s+keeps\s+its\s+history:\s+\/sessions\s+main\s+goes\s+back\./);
    await chat.shows(/Joined chat-\d{8}-\d{6} as local\./);
    expect(chat.rows().join('\n')).not.toContain('paint the fence');
    enterText('/seesions');
    await chat.shows('There is no command /seesions. Do you mean /sessions?');
  },
);

test('/rename gives the session a title, which the list shows with what was stopped [list.rename] [list.order] [cli.chat]', async () => {
  const { chat, enterText } = await start(120);
  enterText('remove');
  await chat.shows('Run this?');
  enterText('/rename The  garden');
  await chat.shows('You have called the session "The garden".');
  enterText('/rename The garden');
  await chat.shows('The session has this title already.');
  enterText('/sessions');
  await chat.shows(/1 {2}\d\d:\d\d {2}main {2}here, asks you, "The garden"/);
  enterText('/stop');
  await chat.shows(/stopped/);
  enterText('/sessions');
  await chat.shows(/1 {2}\d\d:\d\d {2}main {2}here, stopped, "The garden"/);
  enterText('/rename');
  await chat.shows('You have removed the title of the session.');
  enterText('/sessions');
  await chat.shows(/main {2}here, stopped, "remove"/);
});

test('/timeout sets the timeout of a tool for its next calls, and shows what is set [tool.timeouts] [cli.chat]', async () => {
  const { chat, enterText, runtime } = await start(120);
  enterText('/timeout');
  await chat.shows('No timeout is set here: each tool has its configured one.');
  enterText('/timeout remove');
  await chat.shows('The seconds are missing. Write /timeout TOOL SECONDS, or /timeout TOOL off.');
  enterText('/timeout remove soon');
  await chat.shows('soon is no number of seconds.');
  enterText('/timeout remove 0.5');
  await chat.shows(/ms must be a whole number from 1000 to\s+\d+/);
  enterText('/timeout unknown 30');
  await chat.shows('(no_such_tool)');
  enterText('/timeout remove 90');
  await chat.shows('You have set the timeout of remove to 90 s.');
  enterText('/timeout remove 90');
  await chat.shows('The timeout of remove has this value already.');
  enterText('/timeout');
  await chat.shows(/^remove: 90 s$/m);
  enterText('/timeout remove off');
  await chat.shows('You have set the timeout of remove to what is configured.');
  const set: object[] = [];
  for await (const { fact } of runtime.sessions.export('main')) if (fact.type === 'tool_timeout_set') set.push(fact);
  expect(set).toMatchObject([
    { tool: 'remove', ms: 90_000, by: 'local' },
    { tool: 'remove', ms: null, by: 'local' },
  ]);
});

test('/fork goes on from a turn in a session of its own, which the list shows with its source [fork.doors] [cli.chat]', async () => {
  const { chat, enterText } = await start(120);
  enterText('/fork');
  await chat.shows('No turn has ended here yet: there is nothing to fork.');
  enterText('hello there');
  await chat.shows('You said "hello there" to script.');
  enterText('/fork turn_never');
  await chat.shows(/The session has no turn\s+turn_never/);
  enterText('/fork');
  await chat.shows(/fork_\w+ goes on from turn_\w+\. main stays: \/sessions main goes back\./);
  await chat.shows(/local> hello there\s+You said "hello there" to script\.[\s\S]*the history of fork_\w+ ends here/);
  await chat.shows(/Joined fork_\w+ as local\./);
  enterText('another way');
  await chat.shows('You said "another way" to script.');
  enterText('/sessions');
  await chat.shows(/fork_\w+ {2}here, forked from main, "hello there"\n {2}2 {2}\d\d:\d\d {2}main/);
});

test('/model shows what may be chosen, and what is said from then on goes to the model that was chosen [cli.chat]', async () => {
  const { chat, enterText } = await start(80);
  enterText('/model');
  await chat.shows(/The model is script\.\nYou may choose: script, small, large\./);
  enterText('/model smal');
  await chat.shows('The model smal may not be chosen here. Do you mean small?');
  chat.press('/model sm\t');
  await chat.shows(/you> \/model small$/);
  chat.press(enter);
  await chat.shows('The model is small for what you say from now on.');
  enterText('hello');
  await chat.shows('You said "hello" to small.');
  enterText('/new other');
  await chat.shows('Joined other as local.');
  enterText('still there?');
  await chat.shows('You said "still there?" to small.');
});

test('@file puts in a text and attaches a picture; what cannot be said is named, and nothing is said [cli.chat]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-chat-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'shot.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  writeFileSync(join(folder, 'notes.md'), 'remember the milk\n');
  const { chat, enterText, provider } = await start(80, folder);
  chat.press('read @no\t');
  await chat.shows(/you> read @notes\.md$/);
  chat.press(` and see @shot.png${enter}`);
  await chat.shows('with notes.md (text, 18 bytes), shot.png (image/png, 16 bytes)');
  await chat.shows('You said');
  const parts = provider.requests[0]?.messages.at(-1);
  expect(JSON.stringify(parts)).toContain('remember the milk');
  expect(JSON.stringify(parts)).toContain('"mediaType":"image/png"');
  enterText('read @gone.md');
  await chat.shows('There is no file gone.md');
  await chat.shows('Nothing was said.');
  expect(provider.requests).toHaveLength(1);
});

test.for([80, 120])(
  'approvals wait for a key that was meant for them, show the whole command, and queue, at %i columns [cli.chat]',
  async (columns) => {
    const { chat, enterText, provider } = await start(columns);
    enterText('remove');
    chat.press('y'); // before the question is shown: it was meant for the input
    await chat.shows('remove asks for your approval:');
    await chat.shows(/you> y$/);
    chat.press('\u007f');
    await until(() => chat.rows().at(-1)?.trimEnd() === 'you>', { what: `an empty input; ${chat.rows().join('|')}` });
    expect(chat.shown()).toMatch(/more lines: v shows all of it/);
    expect(chat.shown()).toContain('(1 more question after this one)');
    await new Promise<void>((resolve) => void systemSources.clock.after(600, resolve));
    chat.press('v');
    await chat.shows(/asks for your approval:[\s\S]*part-59[\s\S]*asks for your approval:/);
    chat.press('y');
    await chat.shows('approved by you');
    await chat.shows(/second\n/);
    await new Promise<void>((resolve) => void systemSources.clock.after(600, resolve));
    chat.press('n');
    await chat.shows('denied by you');
    await chat.shows('The tool said:');
    expect(provider.requests).toHaveLength(2);
  },
);

test('a question is answered by the number of a choice, or by words that were begun after it was shown [cli.chat]', async () => {
  const { chat, enterText } = await start(80);
  enterText('ask');
  await chat.shows('1 here  2 there');
  await new Promise<void>((resolve) => void systemSources.clock.after(600, resolve));
  chat.press('2');
  await chat.shows('Type the answer, and press Enter.');
  await new Promise<void>((resolve) => void systemSources.clock.after(600, resolve));
  enterText('because of the rain');
  await chat.shows('The tool said: there, because of the rain');
});
