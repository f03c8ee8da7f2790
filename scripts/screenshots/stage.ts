// The stage of a picture: a gateway of its own with a scripted model, and tabs of its page in one look.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { systemSources } from '../../src/core/sources/system.ts';
import type { Rule } from '../../src/programs/scripted/reply.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../src/programs/scripted/start.ts';

/** `light` and `dark` are color schemes; `wide` is a window of 1 280 by 800, `phone` a phone with a touch screen. */
export type Look = `${'wide' | 'phone'}-${'light' | 'dark'}`;

export const allLooks: readonly Look[] = ['wide-light', 'wide-dark', 'phone-light', 'phone-dark'];

const serveProgram = fileURLToPath(new URL('../../src/programs/serve.ts', import.meta.url));
const patientMs = 20_000;

/** Where a picture is staged. `close` ends everything that it has started. */
export class Stage {
  readonly #browser: Browser;
  readonly #look: Look;
  readonly #folder = mkdtempSync(join(tmpdir(), 'belay-screenshots-'));
  readonly #children: ChildProcess[] = [];
  #endpoint: ScriptedEndpoint | null = null;

  constructor(browser: Browser, look: Look) {
    this.#browser = browser;
    this.#look = look;
  }

  /** A folder in which the tools of a gateway with speakers may work. */
  get work(): string {
    return join(this.#folder, 'work');
  }

  get isPhone(): boolean {
    return this.#look.startsWith('phone');
  }

  /** Starts what a newcomer starts. Resolves with the address that it prints; its child is killed by `disconnect`. */
  startTour(): Promise<string> {
    return this.#serve(['--port', '0'], /(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/);
  }

  /** Starts a gateway with the speakers ann and bob, whose model replies by rules. Resolves with its address. */
  async startRoom(rules: readonly Rule[], settings: Readonly<Record<string, unknown>> = {}): Promise<string> {
    this.#endpoint = await startScriptedEndpoint({ clock: systemSources.clock, control: true });
    const body = JSON.stringify({ rules });
    await fetch(new URL('/__script', this.#endpoint.url), { method: 'POST', body });
    mkdirSync(this.work);
    const speakers = Object.fromEntries(
      ['ann', 'bob'].map((speaker) => [tokenOf(speaker), { speaker, sessions: ['*'] }]),
    );
    const model = { baseUrl: this.#endpoint.url, apiKey: 'scripted', name: 'scripted' };
    const config = join(this.#folder, 'belay.json');
    writeFileSync(join(this.#folder, 'tokens.json'), JSON.stringify(speakers), { mode: 0o600 });
    const tokens = { file: join(this.#folder, 'tokens.json') };
    const file = { port: 0, store: 'memory', tokens, model, allow: ['shell'], roots: [this.work], ...settings };
    writeFileSync(config, JSON.stringify(file), { mode: 0o600 });
    return this.#serve(['--config', config], /(http:\/\/127\.0\.0\.1:\d+\/)\s/);
  }

  /** Kills the gateways of this stage. */
  disconnect(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  /** Opens an address in a tab of its own. */
  async open(address: string): Promise<Page> {
    const [size, colorScheme] = this.#look.split('-') as ['wide' | 'phone', 'light' | 'dark']; // as a Look is written
    const context = await this.#browser.newContext({ ...sizes[size], colorScheme, reducedMotion: 'reduce' });
    context.setDefaultTimeout(patientMs);
    const page = await context.newPage();
    await page.goto(address);
    return page;
  }

  async close(): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close();
    this.disconnect();
    await this.#endpoint?.close();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #serve(args: readonly string[], address: RegExp): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(this.#folder, 'state') };
    const child = spawn(process.execPath, [serveProgram, ...args], { cwd: this.#folder, env });
    this.#children.push(child);
    return new Promise((resolve, reject) => {
      let printed = '';
      child.once('exit', () => reject(new Error(`The gateway did not start: ${printed}`)));
      for (const output of [child.stdout, child.stderr])
        output.on('data', (data) => {
          printed += data;
          const [, found] = address.exec(printed) ?? [];
          if (found !== undefined) resolve(found);
        });
    });
  }
}

const sizes: Readonly<Record<'wide' | 'phone', BrowserContextOptions>> = {
  wide: { viewport: { width: 1_280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

const tokenOf = (speaker: string): string => `token-of-${speaker}-0000`;

/** The address of a session, for one of the speakers of a room. */
export const roomAddress = (gateway: string, speaker: 'ann' | 'bob'): string =>
  `${gateway}#/session/standup?token=${tokenOf(speaker)}`;
