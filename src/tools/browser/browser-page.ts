// A browser for one call: it is started for it, has one page, and is gone when the call ends, whatever became of it.
//
// 1. Nothing is shared between calls: no profile, no cookies, no process. So nothing of one call outlives it, or is stopped with another.
// 2. The process is the call's own, with its marker: the ladder ends it, also those helpers that leave its group and its session.
// 3. It ends by itself when its pipes are closed: also when the host is killed.
import type { Browser, Page } from 'playwright-core';
import { passedEnvironment } from '../../process/environment.ts';
import { collectOutput } from '../../process/process-output.ts';
import { startProcess } from '../../process/started-command.ts';
import type { AddressCheck } from '../checked-lookup.ts';
import { Refusal } from '../refusal.ts';
import type { ToolContext } from '../tool.ts';
import { chromiumArguments } from './chromium.ts';
import { type FilteringProxy, startFilteringProxy } from './filtering-proxy.ts';
import { pipeTransport } from './pipe-transport.ts';
import { makeProfile, removeProfile } from './profile.ts';

export interface BrowserOptions extends AddressCheck {
  /** The path of Chromium. */
  readonly program: string;
  /** From TERM to KILL, in milliseconds. */
  readonly termGraceMs: number;
}

export interface OpenPage {
  readonly page: Page;
  /** What the policy has kept the page from, in words. */
  readonly refusals: FilteringProxy['refusals'];
}

const startMs = 30_000;
/** Of a single step. */
const stepMs = 30_000;
const viewport = { width: 1_280, height: 800 };
/** Of what Chromium prints: for the message of one that does not start. */
const printedChars = 1_000;

export interface PageResult<T> {
  /** Undefined where the browser ended before the work did. */
  readonly value: T | undefined;
  readonly forced: boolean;
}

/** Resolves, when no process of the browser is left, with what `work` gives. Rejects with what it throws, and where nothing starts. */
export async function withPage<T>(
  { program, termGraceMs, ...judging }: BrowserOptions,
  { signal, kill, clock, call, recordProcess }: ToolContext,
  work: (stage: OpenPage) => Promise<T>,
): Promise<PageResult<T>> {
  await using stack = new AsyncDisposableStack();
  const profile = await makeProfile();
  stack.defer(() => removeProfile(profile));
  const proxy = await startFilteringProxy(judging);
  stack.defer(() => proxy.close());

  const stop = new AbortController();
  const hurry = new AbortController();
  const command = {
    file: program,
    args: chromiumArguments(profile, proxy.port),
    cwd: profile,
    environment: { ...passedEnvironment(), HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
    marker: call,
    pipes: 2,
  };
  if (signal.aborted) return { value: undefined, forced: false };
  const started = await startProcess(command, {
    signal: stop.signal,
    kill: hurry.signal,
    clock,
    termGraceMs,
    onStarted: recordProcess,
  });
  if (started.kind === 'stopped') return { value: undefined, forced: false };
  if (started.kind === 'failed') {
    throw new Refusal(started.isMissing ? 'program_missing' : 'tool_failed', started.message);
  }
  const printed = collectOutput(
    [started.stdout, started.stderr],
    { maxChars: printedChars, maxLiveChars: 0 },
    () => {},
  );
  const [toBrowser, fromBrowser] = started.pipes;
  if (!toBrowser || !fromBrowser) throw new Error('the browser has no pipes');
  toBrowser.resume();
  const transport = pipeTransport(toBrowser, fromBrowser);
  let browser: Browser | null = null;

  const onAbort = () => {
    stop.abort();
    closePages(browser);
  };
  const onKill = () => hurry.abort();
  signal.addEventListener('abort', onAbort);
  kill.addEventListener('abort', onKill);
  if (signal.aborted) onAbort();
  if (kill.aborted) onKill();

  async function play(): Promise<T> {
    const { chromium } = await import('playwright-core');
    browser = await chromium.connectOverCDP(transport, { artifactsDir: profile, timeout: startMs });
    const context = await browser.newContext({ acceptDownloads: false, viewport });
    context.setDefaultTimeout(stepMs);
    const page = await context.newPage();
    return work({ page, refusals: proxy.refusals });
  }
  const first = await Promise.race([
    play().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    started.ended.then(() => ({ error: null })),
  ]);
  const endedByItself = fromBrowser.closed && !signal.aborted;
  signal.removeEventListener('abort', onAbort);
  if (!signal.aborted) hurry.abort(); // it has nothing that it must keep
  stop.abort();
  const { forced } = await started.ended;
  kill.removeEventListener('abort', onKill);
  await printed.closed;
  transport.close();
  if ('value' in first) return { value: first.value, forced };
  if (signal.aborted) return { value: undefined, forced };
  if (endedByItself) throw new Error(`The browser ended before it was done: ${printed.end().output.trim()}`);
  throw first.error;
}

/** Pages and contexts: what waits for one of them ends. The process may be deaf, so nobody waits for this. */
function closePages(browser: Browser | null): void {
  for (const context of browser?.contexts() ?? []) context.close().catch(() => {});
}
