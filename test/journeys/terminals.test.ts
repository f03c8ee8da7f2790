// Several terminals at one session: Ctrl-C in one of them stops what was said there, and nothing else.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { living, newToken } from '../adapters/processes/processes.ts';
import { openBelay, room, type TestSpeaker, tokenOf } from '../support/belay.ts';
import { shellCall, untilRunning, useEndpoint } from '../support/journey.ts';
import { joinRoom } from '../support/room-clients.ts';
import { ctrlC, enter, startAtTerminal } from '../support/terminal.ts';

const endpoint = useEndpoint();

async function start() {
  const belay = await openBelay(endpoint);
  const open = async (speaker: TestSpeaker) => {
    const terminal = startAtTerminal('src/programs/chat.ts', [
      belay.url,
      '--session',
      room,
      '--token',
      tokenOf(speaker),
    ]);
    await terminal.shows(`Joined ${room} as ${speaker}.`);
    return terminal;
  };
  return { belay, open };
}

/** A shell that ends when the file `go` is in its folder. */
const waits = (token: string) => `true ${token}; until test -e go; do sleep 0.02; done`;

test.each([
  { owner: 'bob', question: "bob's turn is running. Ctrl-C again leaves; it runs on." },
  { owner: 'ann', question: 'Your turn from elsewhere is running. Ctrl-C again leaves; it runs on.' },
] as const)(
  "Ctrl-C in a terminal of ann's that has said nothing asks where $owner's turn runs, and a second one leaves it running [cli.chat.idle] [cancel.exact]",
  async ({ owner, question }) => {
    const { belay, open } = await start();
    const token = newToken();
    await endpoint.script([
      { when: { toolResult: true }, reply: { text: 'Built.' } },
      { reply: { calls: [shellCall(waits(token), belay.folder.a)] } },
    ]);
    const [busy, idle] = [await open(owner), await open('ann')];
    busy.press(`build${enter}`);
    await untilRunning(token);
    await idle.shows(/● (bob's )?shell/);
    idle.press(ctrlC);
    await idle.shows(question);
    expect(idle.shown()).not.toContain('Received interrupt');
    idle.press(ctrlC);
    expect(await idle.ended()).toBe(0);
    expect(living(token)).not.toEqual([]);
    writeFileSync(join(belay.folder.a, 'go'), '');
    await busy.shows('Built.');
    expect(busy.shown()).not.toContain('cancelled');
  },
);

test("Ctrl-C stops what was said there: the turn of the speaker's other terminal runs on [cli.chat] [cancel.exact]", async () => {
  const { belay, open } = await start();
  const [here, there] = [newToken(), newToken()];
  await endpoint.script([
    { when: { toolResult: true }, reply: { text: 'Built.' } },
    { when: { user: 'tests' }, reply: { calls: [shellCall(waits(here), belay.folder.a)] } },
    { reply: { calls: [shellCall(waits(there), belay.folder.b)] } },
  ]);
  const bob = await joinRoom(belay, 'bob');
  const [first, second] = [await open('ann'), await open('bob')];
  const other = bob.session.say('build');
  await untilRunning(there);
  second.press(`tests${enter}`);
  await first.shows('bob> tests');
  expect(living(here)).toEqual([]); // it waits for the turn of bob's other client
  second.press(ctrlC);
  await second.shows('○ not started: “tests”');
  expect(living(there)).not.toEqual([]);
  writeFileSync(join(belay.folder.b, 'go'), '');
  expect(await other.ended).toMatchObject({ outcome: 'completed' });
});
