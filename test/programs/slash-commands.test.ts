// The commands of a chat, typed into a real one: two speakers at a gateway with a real runtime and a scripted model.
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { long, startChats } from './typed-chats.ts';

describe('/stop', () => {
  test('ID stops one call, by its id or by a prefix or suffix of it; the turn goes on [cli.chat]', async () => {
    const { chat, watched, calls } = await startChats();
    const ann = await chat('ann');
    ann.type('watch');
    const [door, window] = (await watched()).map(({ node }) => node) as [string, string];
    ann.type('/stop watch');
    await ann.untilPrinted(`watch matches ${door} and ${window}. Give more of the id.`);
    ann.type(`/stop ${door.slice(-6)}`);
    await ann.untilPrinted(/< watch cancelled after [\d.]+ m?s\n/);
    await ann.untilPrinted(/ {2}watch: stopped in \d+ ms \(ran \d/);
    expect((await calls()).map(({ node }) => node)).toEqual([window]);
    ann.type('/stop nobody');
    await ann.untilPrinted('Nothing to stop: nobody is not known.');
    ann.type('/stop');
    await ann.untilPrinted(/All 2 stopped in \d+ ms \(ran .*\):\n {2}your turn: stopped in \d+ ms/);
    expect(await calls()).toEqual([]);
    ann.type('/stop');
    await ann.untilPrinted('Nothing is running.');
    ann.type('/stpo');
    await ann.untilPrinted('There is no command /stpo. Do you mean /stop?');
    expect(ann.stderr()).toBe('');
  });

  test('tools stops what the turns of the speaker have called, and they go on [cli.chat] [cancel.tools]', async () => {
    const { chat, watched, calls } = await startChats();
    const ann = await chat('ann');
    ann.type('watch');
    await watched();
    ann.type('/stop tools');
    await ann.untilPrinted(/All 2 stopped in \d+ ms/);
    await until(async () => (await calls()).length === 0);
    await ann.untilPrinted('ann has stopped the tools ("interrupted at the terminal")'); // the scripted model says what it reads
    expect(ann.stdout()).not.toContain('your turn: stopped');
  });

  test('of another speaker’s turn is refused with a sentence under the policy `owner`, and both get a line [owner.node]', async () => {
    const { chat, watched, calls } = await startChats({ policy: 'owner' });
    const [ann, bob] = [await chat('ann'), await chat('bob')];
    ann.type('watch');
    await watched();
    await bob.untilPrinted('ann> watch');
    bob.type('/stop all');
    await bob.untilPrinted('Nothing is stopped.\n');
    await bob.untilPrinted('  watch {"what":"the door"}: runs on: it belongs to ann');
    await ann.untilPrinted('Nothing is stopped (bob asked).');
    expect(await calls()).toHaveLength(2);
    bob.type('/who');
    expect(bob.stdout()).toContain('You are bob (member), in the session demo: each stops what is theirs.');
    await bob.untilPrinted(/ {2}ann: 1 turn is running \((owner, )?here\)\n/);
    expect(bob.stdout()).toMatch(/ {2}bob \(you\): nothing is running \(.*here\)\n/);
    ann.type('/stop all force');
    await bob.untilPrinted('Stopping (ann: interrupted at the terminal)');
    await bob.untilPrinted("[ann's turn: cancelled]");
  });

  test('in a session that is not interruptible prints how long the stop may wait [cancel.shield] [cli.chat]', async () => {
    const { chat, watched } = await startChats({ interruptible: false });
    const ann = await chat('ann');
    ann.type('watch');
    await watched();
    ann.type('/stop');
    await ann.untilPrinted(/ {2}your turn: stops as soon as its shield ends, within [\d.]+ m?s/);
    ann.type('/tree');
    await ann.untilPrinted(/your turn \(turn_\w+\): pending/);
    await ann.untilPrinted(/ {2}your turn: stopped in ([01]\.\d s|\d+ ms)/);
  });
});

test('/steer says something to the turn that runs, and each line that waits has its fate printed [recover.queue] [cli.chat]', async () => {
  const { chat, watched } = await startChats();
  const [ann, bob] = [await chat('ann'), await chat('bob')];
  ann.type('/steer');
  await ann.untilPrinted('The words are missing. Write /steer TEXT.');
  ann.type('watch');
  const [door, window] = (await watched()).map(({ node }) => node) as [string, string];
  ann.type('/steer and the roof');
  await bob.untilPrinted('ann> and the roof\n');
  ann.type(`/stop ${door}`);
  ann.type(`/stop ${window}`);
  await ann.untilPrinted('  "and the roof": consumed: the model reads it now\n');
  await ann.untilPrinted('You said: and the roof');
  ann.type('watch');
  await watched();
  ann.type('/steer and the cellar');
  await bob.untilPrinted('ann> and the cellar\n');
  ann.type('good night');
  await bob.untilPrinted('ann> good night\n');
  bob.type('/stop watch');
  bob.type('stop');
  await ann.untilPrinted(
    '  "and the cellar": cancelled: stopped before the model could read it\n  "good night": cancelled: stopped before the model could read it\n',
  );
  await ann.untilPrinted('  "and the cellar": stopped before it started\n');
});

test('/resume takes the last interrupted turn up again, with words or without, and names none where there is none [recover.resume] [cli.chat]', async () => {
  const { chat, watched, calls } = await startChats();
  const [ann, bob] = [await chat('ann'), await chat('bob')];
  ann.type('/resume');
  await ann.untilPrinted('None of your turns here was interrupted. Give the id of one: /resume ID.');
  ann.type('watch');
  await watched();
  ann.type('/stop');
  await ann.untilPrinted(/ {2}your turn: stopped in \d+ ms/);
  bob.type('/resume');
  await bob.untilPrinted('None of your turns here was interrupted.');
  ann.type('/resume but only the door');
  await bob.untilPrinted(/ann> \(takes up turn_\w+ again\) but only the door\n/);
  await ann.untilPrinted(/You said: \[Note by the runtime[\s\S]*but only the door/);
  expect(await calls()).toEqual([]);
  ann.type('/resume turn_none');
  await ann.untilPrinted('The session has no turn of this id');
});

test('/resume takes up what had started before words that the same stop has cancelled, and says which turn it is [recover.resume] [cli.chat]', async () => {
  const { chat, watched } = await startChats();
  const [ann, bob] = [await chat('ann'), await chat('bob')];
  ann.type('watch');
  await watched();
  ann.type('good night');
  await bob.untilPrinted('ann> good night\n');
  ann.type('/stop');
  await ann.untilPrinted(/ {2}your turn: stopped in \d+ ms/);
  ann.type('/resume');
  await ann.untilPrinted('(takes up "watch" again)\n');
  await ann.untilPrinted(/You said: \[Note by the runtime[\s\S]*ann said "watch"/);
});

test('/delegate lets another speaker stop what is mine [owner.roles] [cli.chat]', async () => {
  const { chat, watched, calls } = await startChats({ policy: 'owner' });
  const [ann, bob] = [await chat('ann'), await chat('bob')];
  ann.type('/delegate');
  await ann.untilPrinted('The name is missing. Write /delegate NAME, or /delegate NAME ID.');
  ann.type('watch');
  const [door] = await watched();
  ann.type(`/delegate bob ${door?.node}`);
  await ann.untilPrinted(`bob may stop ${door?.node} from now on.`);
  bob.type(`/stop ${door?.node}`);
  await ann.untilPrinted(/< watch cancelled after/);
  expect(await calls()).toHaveLength(1);
  ann.type('/delegate bob');
  await ann.untilPrinted('bob may stop what is yours from now on.');
});

test('/tree prints the live tree', async () => {
  const { chat, watched } = await startChats();
  const ann = await chat('ann');
  ann.type('/tree');
  await ann.untilPrinted('Nothing is running.');
  ann.type('watch');
  const [door] = await watched();
  const running = new RegExp(` {4}watch \\(${door?.node}\\): running, [\\d.]+ m?s\n`);
  const showsThatItRuns = () => {
    ann.type('/tree'); // that it has started is a fact of its own, after the one that announces it
    return ann.untilPrinted(running, 500).catch(() => null);
  };
  await until(showsThatItRuns, { ms: 10_000, what: 'the call to run' });
  await ann.untilPrinted(/ {2}your turn \(turn_\w+\): running, [\d.]+ m?s\n/);
});

describe('a question of a call', () => {
  test('with a long text says how much is hidden, and shows it on request', async () => {
    const { chat } = await startChats();
    const ann = await chat('ann');
    ann.type('/show');
    await ann.untilPrinted('No call asks for your approval.');
    ann.type('remove all');
    await ann.untilPrinted(/\[… \d{4} characters omitted …\]/);
    await ann.untilPrinted(/\(\/show \S+ for the whole text\)/);
    expect(ann.stdout()).not.toContain(long);
    ann.type('/show');
    await ann.untilPrinted(long);
  });

  test('is approved, and answered, without naming the call [owner.ask]', async () => {
    const { chat } = await startChats();
    const ann = await chat('ann');
    ann.type('remove');
    await ann.untilPrinted('? remove asks you: remove everything?');
    ann.type('/approve');
    await ann.untilPrinted('. remove: approved by you');
    await ann.untilPrinted('? remove asks you: from where? (here / there)');
    ann.type('/answer');
    await ann.untilPrinted('The answer is missing. Write /answer TEXT, or /answer ID TEXT.');
    ann.type('/answer here');
    await ann.untilPrinted('. remove: answered by you: here');
    await ann.untilPrinted('You said: removed here');
    ann.type('/deny');
    await ann.untilPrinted('No call asks for your approval.');
  });

  test('is denied by its id; an answer of another speaker is refused [owner.ask]', async () => {
    const { chat, session } = await startChats();
    const [ann, bob] = [await chat('ann'), await chat('bob')];
    ann.type('remove');
    await bob.untilPrinted('? remove asks ann: remove everything?');
    const node = (await session.nodes()).at(-1)?.node ?? '';
    bob.type(`/approve ${node}`);
    await bob.untilPrinted(
      '! The question is addressed to another speaker. That speaker or a moderator can answer it. (not_addressed)',
    );
    ann.type(`/deny ${node}`);
    await ann.untilPrinted('. remove: denied by you');
    await bob.untilPrinted('< remove denied');
    ann.type(`/approve ${node}`);
    await ann.untilPrinted('(expired)');
    expect(ann.stderr() + bob.stderr()).toBe('');
  });
});

test('a session is continued: its history, then live events [cli.chat] [ws.resume]', async () => {
  const { startChat, chat } = await startChats();
  const first = await chat('ann');
  first.type('hello');
  await first.untilPrinted('You said: hello');
  first.type('/exit');
  expect(await first.ended()).toBe(0);
  const again = startChat('ann', '--resume');
  await again.untilPrinted('ann> hello\nYou said: hello\n-- the history of demo ends here --\n');
  again.type('//really');
  await again.untilPrinted('You said: /really');
  const fresh = await chat('ann');
  expect(fresh.stdout()).not.toContain('hello');
});

test('/exit exits at once; running turns go on', async () => {
  const { chat, watched, calls } = await startChats();
  const ann = await chat('ann');
  ann.type('watch');
  await watched();
  ann.type('/exit');
  expect(await ann.ended()).toBe(0);
  expect(ann.stdout()).toContain('Your turn is running. It runs on.\n');
  expect(await calls()).toHaveLength(2);
});

test('/exit stop stops what is the speaker’s before it exits [cli.chat.exit]', async () => {
  const { chat, watched, calls } = await startChats();
  const ann = await chat('ann');
  ann.type('watch');
  await watched();
  ann.type('/exit stop');
  expect(await ann.ended()).toBe(0);
  expect(ann.stdout()).toMatch(/stopped in/);
  expect(await calls()).toEqual([]);
});

test('what the speaker has running from before: Ctrl-C asks, /stop stops it, then Ctrl-C leaves [cli.chat] [cli.chat.idle]', async () => {
  const { chat, watched, calls } = await startChats();
  const first = await chat('ann');
  first.type('watch');
  await watched();
  first.type('/exit');
  await first.ended();
  const again = await chat('ann');
  again.signal('SIGINT');
  await again.untilPrinted('Your turn from elsewhere is running. Ctrl-C again leaves; it runs on.');
  expect(await calls()).toHaveLength(2);
  again.type('/stop');
  await again.untilPrinted(/your turn: stopped in/);
  expect(await calls()).toEqual([]);
  await again.signalUntil('SIGINT', () => again.process.exitCode !== null);
  expect(await again.ended()).toBe(0);
});
