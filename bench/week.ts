// Plays a week of use, and measures how much more the page costs at its end than at its start: opening a session, typing, and a delta.
//
// What is measured. A gateway (`belay serve`) with its store on the disk and a scripted model; ann, bob and cid, each with a token; ann on two devices, a
// wide window and a phone, whose tabs stay open all week; 40 sessions, 2 500 turns, a fifth of them in the one that the tabs show; one turn in ten calls
// tools, one in twenty-five is stopped; each day ends with a restart of the gateway. A second gateway has the start of the week and no more: the same first
// turns, and a tab. At the end both are measured in turn, in each round, with the real page in Chromium:
//
// - opening: a new tab, from the navigation until the last turn, the list of sessions and the end of the replay are there
// - typing: the work of the tab that is open, for a key
// - a delta: the work of that tab, for a piece of text that streams
//
// Work is the time of the tab's main thread (TaskDuration). A ratio is the median of the rounds' ratios: what slows the machine for a while slows both.
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
import { median, summarizeRatios } from './stand/statistics.ts';
import { unlimited } from './stand/unlimited.ts';

const options = readOptions();
const days = 7;
const turnsInAll = options.quick ? 280 : 2_500;
const sessionCount = options.quick ? 12 : 40;
const rounds = options.quick ? 3 : 9;
const people = ['ann', 'bob', 'cid'] as const;
const main = 'main';
const firstTurns = 125;
/** Rows of the list of sessions that an opening waits for: as many as both gateways have. */
const shownSessions = Math.min(sessionCount, 30);
const keys = 200;
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

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    }),
  );
}

/** A gateway that keeps its address and its store over its restarts. */
class Served {
  readonly page: string;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(path: string, port: number) {
    this.page = `http://127.0.0.1:${port}/`;
    this.#folder = path;
  }

  static async create(name: string): Promise<Served> {
    const path = join(folder, name);
    mkdirSync(path);
    const port = await freePort();
    const speakers = Object.fromEntries(people.map((speaker) => [tokenOf(speaker), { speaker, sessions: ['*'] }]));
    writeFileSync(join(path, 'tokens.json'), JSON.stringify(speakers), { mode: 0o600 });
    const settings = {
      port,
      store: join(path, 'belay.sqlite'),
      tokens: { file: join(path, 'tokens.json') },
      model: { baseUrl: endpoint.url, apiKey: 'scripted', name: 'scripted' },
      roots: [work],
      acknowledge: 'off',
      gateway: unlimited,
      limits: { sessionOpensPerMinute: 100_000 },
    };
    writeFileSync(join(path, 'belay.json'), JSON.stringify(settings), { mode: 0o600 });
    return new Served(path, port);
  }

  /** The megabytes of the store's file. */
  get storeMB(): number {
    return statSync(join(this.#folder, 'belay.sqlite')).size / 1e6;
  }

  /** Starts it. Resolves when it listens. */
  start(): Promise<void> {
    const serve = fileURLToPath(new URL('../src/programs/serve.ts', import.meta.url));
    const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(this.#folder, 'state') };
    const args = [serve, '--config', join(this.#folder, 'belay.json')];
    const child = spawn(process.execPath, args, { cwd: this.#folder, env });
    this.#child = child;
    child.stderr.pipe(process.stderr);
    return new Promise((resolve, reject) => {
      let printed = '';
      child.once('exit', () => reject(new Error(`The gateway did not start: ${printed}`)));
      child.stdout.on('data', (data) => {
        printed += data;
        if (/listens at/.test(printed)) resolve();
      });
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    await ended;
  }

  connect(speaker: string): Promise<Client> {
    return connect({ url: `${this.page.replace('http', 'ws')}belay`, token: tokenOf(speaker) });
  }
}

/** Returns the session of a turn of the week: each fifth in the session that the tabs show. */
const sessionOf = (n: number): string => (n % 5 === 0 ? main : `session-${n % (sessionCount - 1)}`);

/** Says the turns from one number up to another, and waits for their ends. */
async function sayTurns(served: Served, from: number, to: number): Promise<void> {
  const clients = new Map<string, Client>();
  for (const speaker of people) clients.set(speaker, await served.connect(speaker));
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
const roomOf = ({ page }: Served): string => `${page}#/session/${main}?token=${tokenOf('ann')}`;

/** Milliseconds that the main thread of a tab has worked. */
async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';

/** A tab that stays open, with its gateway. */
interface OpenTab {
  readonly served: Served;
  readonly tab: Page;
  readonly cdp: CDPSession;
  /** The pieces of text that it has received. */
  readonly received: () => number;
}

async function openRoom(browser: Browser, served: Served): Promise<OpenTab> {
  const tab = await openTab(browser, wide);
  let received = 0;
  tab.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"text_delta"')) received += 1;
    }),
  );
  await tab.goto(roomOf(served));
  const cdp = await tab.context().newCDPSession(tab);
  await cdp.send('Performance.enable');
  return { served, tab, cdp, received: () => received };
}

/** Opens the session in a new tab, and resolves with the milliseconds. `last`: the words of its last turn. */
async function measureOpening(browser: Browser, served: Served, last: string): Promise<number> {
  const tab = await openTab(browser, wide);
  let isReplayed = false;
  tab.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      isReplayed ||= String(payload).includes('"replayed"');
    }),
  );
  const from = now();
  await tab.goto(roomOf(served));
  await tab.getByText(last).first().waitFor();
  await tab
    .locator('.session-row')
    .nth(shownSessions - 1)
    .waitFor();
  while (!isReplayed) await tab.evaluate(twoFrames);
  const ms = now() - from;
  await tab.context().close();
  return ms;
}

/** The work of a tab for one key in the field. */
async function measureTyping({ tab, cdp }: OpenTab): Promise<number> {
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
async function measureDelta({ tab, cdp, received }: OpenTab): Promise<number> {
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

/** Measures both tabs in turn. Resolves with the values of each, of opening, typing and a delta. */
async function measureBoth(browser: Browser, tabs: readonly [OpenTab, OpenTab]) {
  const last = 'The words before the measurement.';
  for (const { served, tab } of tabs) {
    const client = await served.connect('bob');
    await client.session(main).say(last).ended;
    await client.close();
    await tab.getByText(last).first().waitFor();
  }
  const measures = [
    ['opening, until all is there', rounds, ({ served }: OpenTab) => measureOpening(browser, served, last)],
    ['typing, work for a key', rounds, measureTyping],
    ['a delta, work for it', Math.ceil(rounds / 2), measureDelta],
  ] as const;
  const table: { readonly name: string; readonly start: number[]; readonly end: number[] }[] = [];
  for (const [name, count, measure] of measures) {
    const row = { name, start: [] as number[], end: [] as number[] };
    for (let round = 0; round <= count; round += 1) {
      const [start, end] = [await measure(tabs[0]), await measure(tabs[1])];
      if (round === 0) continue; // it fills caches
      row.start.push(start);
      row.end.push(end);
    }
    table.push(row);
  }
  return table;
}

const browser = await chromium.launch({ executablePath: program, args: isWithoutSandbox() ? ['--no-sandbox'] : [] });
const [start, week] = [await Served.create('start'), await Served.create('week')];
try {
  for (const served of [start, week]) {
    await served.start();
    await sayTurns(served, 0, firstTurns);
  }
  const tabs = [await openRoom(browser, start), await openRoom(browser, week)] as const;
  const second = await openTab(browser, phone);
  await second.goto(roomOf(week));
  const from = now();
  for (let day = 0, said = firstTurns; day < days; day += 1) {
    const until = Math.max(said, Math.round(((day + 1) * turnsInAll) / days));
    await sayTurns(week, said, until);
    said = until;
    await week.stop();
    await week.start();
    console.log(`day ${day + 1}: ${said} turns, ${Math.round((now() - from) / 1_000)} s`);
  }
  const lastSaid = `Question ${turnsInAll - (turnsInAll % 5 || 5)}:`;
  for (const each of [tabs[1].tab, second]) await each.getByText(lastSaid).first().waitFor();
  const table = await measureBoth(browser, tabs);
  console.log(`\n${turnsInAll} turns in ${sessionCount} sessions, in a file of ${week.storeMB.toFixed(1)} MB`);
  console.log('milliseconds at the start and at the end; the ratio, and its quartiles');
  for (const { name, start: atStart, end } of table) {
    const ratio = summarizeRatios(end, atStart);
    const figures = [median(atStart), median(end)].map((ms) => ms.toFixed(2).padStart(9));
    const ratios = [ratio.median, ratio.low, ratio.high].map((one) => one.toFixed(2));
    console.log(`${name.padEnd(28)} ${figures.join(' ')}  ${ratios[0]}  (${ratios[1]}-${ratios[2]})`);
  }
} finally {
  await browser.close();
  await start.stop();
  await week.stop();
  await endpoint.close();
  rmSync(folder, { recursive: true, maxRetries: 3 });
}
