// The gateway that a newcomer starts, with its scripted model, in a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startChild } from '../support/child.ts';
import { pageMs } from './page-actions.ts';

/** Starts what a newcomer starts. Returns the address of the page that it prints. `env`: what stands before `npm start`. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-page-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }));
  const serve = startChild('src/programs/serve.ts', { args: ['--port', '0'], cwd, env });
  const [, address = ''] = await serve.untilPrinted(/(http:\/\/127\.0\.0\.1:\d+\/#key=\S+)/, pageMs);
  return address;
}
