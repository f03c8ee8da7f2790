// Runs work on a page of a browser that is started for one call, and gone when the call ends.
//
// 1. Calls share nothing: no profile, no cookies, no process. So nothing of one call outlives it, or is stopped with another.
// 2. The process bears the call's marker, so terminating it also ends those of its helpers that leave its group and its session.
// 3. It ends by itself when its pipes are closed: also when the host is killed.
import type { Browser, BrowserType, Page } from 'playwright-core';
import type { ToolContext } from '../../../core/contracts/tool.ts';
import { onAbort } from '../../../core/sources/abort-signals.ts';
import { ToolRefusal } from '../../../core/tools/refusal.ts';
import type { CommandUser } from '../../processes/command-user.ts';
import { passedEnvironment } from '../../processes/environment.ts';
import { collectOutput } from '../../processes/process-output.ts';
import { type Started, startProcess } from '../../processes/started-command.ts';
import type { AddressCheck } from '../checked-lookup.ts';
import { chromiumArguments, isWithoutSandbox } from './chromium.ts';
import { startFilteringProxy } from './filtering-proxy.ts';
import { PipeTransport } from './pipe-transport.ts';
import { loadPlaywright } from './playwright.ts';
import { makeProfile, removeProfile } from './profile.ts';

export interface BrowserOptions extends AddressCheck {
  /** The path of Chromium. */
  readonly program: string;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
  /** Another user that it runs as. Left out: that of this process. */
  readonly user?: CommandUser | undefined;
  /** Whether it may run without its sandbox, where it cannot have one. */
  readonly mayOmitSandbox?: boolean | undefined;
}

export interface OpenPage {
  readonly page: Page;
  /** The connections of the page that the address policy has refused, as sentences. */
  readonly refusals: readonly string[];
}

export interface PageResult<T> {
  /** The result of the work; undefined if the browser ended before it did. */
  readonly value: T | undefined;
  readonly forced: boolean;
}

const startMs = 30_000;
/** The timeout of a single step. */
const stepMs = 30_000;
const viewport = { width: 1_280, height: 800 };
/** The limits of Chromium's output, which is for the message of one that does not start. */
const printedLimits = { maxChars: 1_000, maxLiveChars: 0 };

const noSandbox =
  'Belay runs as root, and Chromium has no sandbox there: a page that breaks out of it could do everything. Run Belay as another user, or give browsers a user of their own (tools.user).';
const notStarted = { value: undefined, forced: false };

/**
 * Runs `work` on a new page.
 * @returns Resolves, when no process of the browser is left, with the result of `work`. Rejects with its error, and with a `ToolRefusal`
 * if the browser does not start.
 */
export async function withPage<T>(
  { program, termGraceMs, user, mayOmitSandbox = false, ...addressCheck }: BrowserOptions,
  { signal, kill, clock, call, recordProcess }: ToolContext,
  work: (open: OpenPage) => Promise<T>,
): Promise<PageResult<T>> {
  const sandbox = user !== undefined || !isWithoutSandbox();
  if (!sandbox && !mayOmitSandbox) throw new ToolRefusal('tool_failed', noSandbox);
  const driver = await loadPlaywright();
  await using stack = new AsyncDisposableStack();
  const profile = await makeProfile(user);
  stack.defer(() => removeProfile(profile));
  const proxy = await startFilteringProxy(addressCheck);
  stack.defer(() => proxy.close());
  if (signal.aborted) return notStarted;

  const stopBrowser = new AbortController();
  const killBrowser = new AbortController();
  const started = await startProcess(
    {
      file: program,
      args: chromiumArguments({ profile, proxyPort: proxy.port, sandbox }),
      cwd: profile,
      environment: environmentOf(profile, user),
      marker: call,
      user,
      pipes: 2,
    },
    { signal: stopBrowser.signal, kill: killBrowser.signal, clock, termGraceMs, onStarted: recordProcess },
  );
  if (started.kind === 'stopped') return notStarted;
  if (started.kind === 'failed') {
    throw new ToolRefusal(started.isMissing ? 'program_missing' : 'tool_failed', started.message);
  }
  using killListener = onAbort(kill, () => killBrowser.abort());
  const printed = collectOutput([started.stdout, started.stderr], printedLimits, () => {});
  const connection = new BrowserConnection(started, driver);
  const stopListener = onAbort(signal, () => {
    stopBrowser.abort();
    connection.closePages();
  });
  const first = await Promise.race([
    connection
      .openPage(profile)
      .then((page) => work({ page, refusals: proxy.refusals }))
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
    started.ended.then(() => ({ error: null })),
  ]);
  const endedByItself = connection.isEnded && !signal.aborted;
  stopListener[Symbol.dispose]();
  if (!signal.aborted) killBrowser.abort(); // it has nothing to save
  stopBrowser.abort();
  const { forced } = await started.ended;
  killListener[Symbol.dispose]();
  await printed.closed;
  connection.close();
  if ('value' in first) return { value: first.value, forced };
  if (signal.aborted) return { value: undefined, forced };
  if (endedByItself) throw new Error(`The browser ended before the call did: ${printed.kept.result().output.trim()}`);
  throw first.error;
}

/** Everything that a browser writes goes to its profile; the temporary folder of this process need not be another user's. */
const environmentOf = (profile: string, user: CommandUser | undefined) => ({
  ...passedEnvironment([], user),
  HOME: profile,
  XDG_CONFIG_HOME: profile,
  XDG_CACHE_HOME: profile,
  ...(user && { TMPDIR: profile }),
});

/** The connection of playwright to a browser's process. */
class BrowserConnection {
  readonly #pipes: Started['pipes'];
  readonly #driver: BrowserType;
  readonly #transport: PipeTransport;
  #browser: Browser | null = null;

  constructor({ pipes }: Started, driver: BrowserType) {
    const [toBrowser, fromBrowser] = pipes;
    if (!toBrowser || !fromBrowser) throw new Error('The browser was started without pipes.');
    this.#pipes = pipes;
    this.#driver = driver;
    this.#transport = new PipeTransport(toBrowser, fromBrowser);
    toBrowser.resume();
  }

  /** The browser has closed its pipe. */
  get isEnded(): boolean {
    return this.#pipes[1]?.closed ?? false;
  }

  async openPage(artifactsDir: string): Promise<Page> {
    this.#browser = await this.#driver.connectOverCDP(this.#transport, { artifactsDir, timeout: startMs });
    const context = await this.#browser.newContext({ acceptDownloads: false, viewport });
    context.setDefaultTimeout(stepMs);
    return context.newPage();
  }

  /** Ends everything that waits for a page. The process may not respond, so nothing waits for this. */
  closePages(): void {
    for (const context of this.#browser?.contexts() ?? []) context.close().catch(() => {});
  }

  close(): void {
    this.#transport.close();
  }
}
