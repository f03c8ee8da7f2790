// Plays a week of use, and measures what the page costs at its start and at its end: opening a session, typing, and a delta.
//
// What is measured. A gateway (`belay serve`) with its store on the disk and a scripted model; ann, bob and cid, each with a token; ann on two devices, a
// wide window and a phone, whose tabs stay open all week; 40 sessions, 2 500 turns, a fifth of them in the one that the tabs show; one turn in ten calls
// tools, one in twenty-five is stopped; each day ends with a restart of the gateway. At the start and at the end, with the real page in Chromium:
//
// - opening: a new tab, from the navigation until the last turn, the whole list of sessions and the end of the replay are there
// - typing: the work of the tab that is open all week, for a key
// - a delta: the work of that tab, for a piece of text that streams
//
// Work is the time of the tab's main thread (TaskDuration): it is the same whatever else the machine does, as far as its caches are. A figure is the median.
//
// What is NOT measured. Networks; days that have 24 hours; a page with the inspector open.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, type CDPSession, chromium, type Page } from 'playwright-core';
import { findChromium, isWithoutSandbox } from '../src/adapters/tools/browser/chromium.ts';
import { type Client, connect } from '../src/client/client.ts';
import { systemSources } from '../src/core/sources/system.ts';
import type { Rule } from '../src/programs/scripted/reply.ts';
import { startScriptedEndpoint } from '../src/programs/scripted/start.ts';
import { inGroups } from './stand/in-groups.ts';
import { describeMachine } from './stand/machine.ts';
import { now } from './stand/now.ts';
import { readOptions } from './stand/options.ts';
import { median } from './stand/statistics.ts';
import { unlimited } from './stand/unlimited.ts';

const options = readOptions();
const days = 7;
const turnsInAll = options.quick ? 280 : 2_500;
const sessionCount = options.quick ? 12 : 40;
const rounds = options.quick ? 3 : 9;
const people = ['ann', 'bob', 'cid'] as const;
const main = 'main';
const turnsBefore = 25;
const keys = 60;
const deltas = 40;
const patientMs = 120_000;

const program = findChromium();
if (program === null) {
  console.log('There is no Chromium here (BELAY_CHROMIUM names one): the week is not played.');
  process.exit();
}

const parent = fileURLToPath(new URL('../.belay/', import.meta.url));
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, 'bench-'));
const work = join(folder, 'work');
mkdirSync(work);
console.log(describeMachine(folder));

const answer = 'It goes on, **word after word**, and then `some code`.\n\n- one\n- two\n\n'.repeat(3);
const rules: readonly Rule[] = [
  { when: { toolResult: true }, reply: { text: 'The folder is empty.' } },
  {
    when: { user: 'look around' },
    reply: { text: 'I look.', calls: [1, 2].map(() => ({ name: 'list_files', arguments: { path: work } })) },
  },
  { when: { user: 'never end' }, reply: { text: 'I go on', end: 'hang' } },
  {
    when: { user: 'talk slowly' },
    reply: { text: 'It goes on and on, word after word. '.repeat(90), pace: { chunksPerSecond: 20, chunkChars: 24 } },
  },
  { reply: { text: answer } },
];
const endpoint = await startScriptedEndpoint({ clock: systemSources.clock, control: true });
await fetch(new URL('/__script', endpoint.url), { method: 'POST', body: JSON.stringify({ rules }) });

const tokenOf = (speaker: string) => `token-of-${speaker}-0000`;
const port = await freePort();
const page = `http://127.0.0.1:${port}/`;
const speakers = Object.fromEntries(people.map((speaker) => [tokenOf(speaker), { speaker, sessions: ['*'] }]));
writeFileSync(join(folder, 'tokens.json'), JSON.stringify(speakers), { mode: 0o600 });
const settings = {
  port,
  store: join(folder, 'belay.sqlite'),
  tokens: { file: join(folder, 'tokens.json') },
  model: { baseUrl: endpoint.url, apiKey: 'scripted', name: 'scripted' },
  roots: [work],
  acknowledge: 'off',
  gateway: unlimited,
  limits: { sessionOpensPerMinute: 100_000 },
};
writeFileSync(join(folder, 'belay.json'), JSON.stringify(settings), { mode: 0o600 });

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    }),
  );
}

/** Starts the gateway. Resolves when it listens. */
function startGateway(): Promise<ChildProcess> {
  const serve = fileURLToPath(new URL('../src/programs/serve.ts', import.meta.url));
  const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(folder, 'state') };
  const child = spawn(process.execPath, [serve, '--config', join(folder, 'belay.json')], { cwd: folder, env });
  child.stderr.pipe(process.stderr);
  return new Promise((resolve, reject) => {
    let printed = '';
    child.once('exit', () => reject(new Error(`The gateway did not start: ${printed}`)));
    child.stdout.on('data', (data) => {
      printed += data;
      if (/listens at/.test(printed)) resolve(child);
    });
  });
}

async function stopGateway(gateway: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => gateway.once('exit', () => resolve()));
  gateway.kill('SIGTERM');
  await ended;
}

/** Where a turn of the week is said: each fifth in the session that the tabs show. */
const sessionOf = (n: number): string => (n % 5 === 0 ? main : `session-${n % (sessionCount - 1)}`);

/** Says the turns from one number up to another, and waits for their ends. */
async function sayTurns(from: number, to: number): Promise<void> {
  const clients = new Map<string, Client>();
  for (const speaker of people)
    clients.set(speaker, await connect({ url: `${page.replace('http', 'ws')}belay`, token: tokenOf(speaker) }));
  const clientOf = (n: number) => clients.get(people[n % people.length] ?? '') as Client; // each of the people has one
  await inGroups(
    Array.from({ length: to - from }, (_, i) => from + i),
    6,
    async (n) => {
      const session = clientOf(n).session(sessionOf(n));
      const words = n % 25 === 0 ? 'never end' : n % 10 === 3 ? 'look around' : 'what comes next?';
      const turn = session.say(`Question ${n}: ${words}`);
      if (n % 25 === 0) {
        for await (const event of turn) if (event.type === 'text_delta') break;
        await turn.cancel();
      }
      await turn.ended;
    },
  );
  for (const client of clients.values()) await client.close();
}

async function openTab(browser: Browser, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(look);
  context.setDefaultTimeout(patientMs);
  const tab = await context.newPage();
  tab.on('pageerror', (error) => {
    throw error;
  });
  return tab;
}

const wide: BrowserContextOptions = { viewport: { width: 1_280, height: 800 } };
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const roomAddress = `${page}#/session/${main}?token=${tokenOf('ann')}`;

/** Seconds of the main thread of a tab. */
async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';

interface Costs {
  readonly opening: number;
  readonly key: number;
  readonly delta: number;
}

/** Opens the session in a new tab, and resolves with the milliseconds. `last`: the words of its last turn. */
async function measureOpening(browser: Browser, last: string, sessions: number): Promise<number> {
  const tab = await openTab(browser, wide);
  let isReplayed = false;
  tab.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      isReplayed ||= String(payload).includes('"replayed"');
    }),
  );
  const from = now();
  await tab.goto(roomAddress);
  await tab.getByText(last).first().waitFor();
  await tab
    .locator('.session-row')
    .nth(sessions - 1)
    .waitFor();
  while (!isReplayed) await tab.evaluate(twoFrames);
  const ms = now() - from;
  await tab.context().close();
  return ms;
}

/** The work of a tab for one key in the field. */
async function measureTyping(tab: Page, cdp: CDPSession): Promise<number> {
  const field = tab.getByRole('textbox', { name: 'What you say' });
  await field.click();
  await tab.evaluate(twoFrames);
  const before = await taskMs(cdp);
  for (let key = 0; key < keys; key += 1) await tab.keyboard.press('e');
  await tab.evaluate(twoFrames);
  const ms = (await taskMs(cdp)) - before;
  await field.fill('');
  return ms / keys;
}

/** The work of a tab for one piece of text that streams. */
async function measureDelta(tab: Page, cdp: CDPSession, received: () => number): Promise<number> {
  const field = tab.getByRole('textbox', { name: 'What you say' });
  await field.fill('talk slowly');
  await field.press('Enter');
  await tab.getByRole('article').last().filter({ hasText: 'It goes on and on' }).waitFor();
  const [first, before] = [received(), await taskMs(cdp)];
  while (received() < first + deltas) await tab.evaluate(twoFrames);
  const ms = (await taskMs(cdp)) - before;
  const count = received() - first;
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Stop', exact: true }).first().waitFor({ state: 'detached' });
  return ms / count;
}

async function measure(browser: Browser, tab: Page, cdp: CDPSession, received: () => number): Promise<Costs> {
  const client = await connect({ url: `${page.replace('http', 'ws')}belay`, token: tokenOf('bob') });
  const last = `The words before the measurement, at ${Math.round(now())}.`;
  await client.session(main).say(last).ended;
  await client.close();
  const listed = await fetch(`${page}api/sessions?limit=100`, {
    headers: { authorization: `Bearer ${tokenOf('ann')}` },
  });
  const { sessions } = (await listed.json()) as { readonly sessions: readonly unknown[] };
  const shown = Math.min(sessions.length, 30); // a page of the list has more than that
  await tab.getByText(last).first().waitFor();
  const opening: number[] = [];
  const key: number[] = [];
  const delta: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const values = [
      await measureOpening(browser, last, shown),
      await measureTyping(tab, cdp),
      round < 3 ? await measureDelta(tab, cdp, received) : Number.NaN,
    ] as const;
    if (round === 0) continue; // the first one fills caches
    opening.push(values[0]);
    key.push(values[1]);
    if (!Number.isNaN(values[2])) delta.push(values[2]);
  }
  return { opening: median(opening), key: median(key), delta: median(delta) };
}

const browser = await chromium.launch({ executablePath: program, args: isWithoutSandbox() ? ['--no-sandbox'] : [] });
let gateway = await startGateway();
try {
  await sayTurns(0, turnsBefore * 5);
  const [tab, second] = [await openTab(browser, wide), await openTab(browser, phone)];
  let deltasReceived = 0;
  tab.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"text_delta"')) deltasReceived += 1;
    }),
  );
  for (const each of [tab, second]) await each.goto(roomAddress);
  const cdp = await tab.context().newCDPSession(tab);
  await cdp.send('Performance.enable');
  const start = await measure(browser, tab, cdp, () => deltasReceived);
  const from = now();
  for (let day = 0, said = turnsBefore * 5; day < days; day += 1) {
    const until = Math.round(((day + 1) * turnsInAll) / days);
    await sayTurns(said, Math.max(said, until));
    said = Math.max(said, until);
    await stopGateway(gateway);
    gateway = await startGateway();
    console.log(`day ${day + 1}: ${said} turns, ${Math.round((now() - from) / 1_000)} s`);
  }
  for (const each of [tab, second])
    await each
      .getByText(`Question ${turnsInAll - (turnsInAll % 5 || 5)}:`)
      .first()
      .waitFor();
  const end = await measure(browser, tab, cdp, () => deltasReceived);
  const storeMB = statSync(join(folder, 'belay.sqlite')).size / 1e6;
  console.log(
    `\n${turnsInAll} turns, ${sessionCount} sessions; milliseconds at the start and at the end, and their ratio`,
  );
  console.log(`the file of the store has ${storeMB.toFixed(1)} MB`);
  for (const [name, one, other] of [
    ['opening, until all is there', start.opening, end.opening],
    ['typing, work for a key', start.key, end.key],
    ['a delta, work for it', start.delta, end.delta],
  ] as const)
    console.log(
      `${name.padEnd(28)} ${one.toFixed(2).padStart(9)} ${other.toFixed(2).padStart(9)}  ${(other / one).toFixed(2)}`,
    );
} finally {
  await browser.close();
  await stopGateway(gateway);
  await endpoint.close();
  rmSync(folder, { recursive: true, maxRetries: 3 });
}
