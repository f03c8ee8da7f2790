// Temporary folders of a test: an allowed root, and a folder outside it.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Tool, ToolContext, ToolEnd } from '../../../../src/core/contracts/tool.ts';
import { recordingContext } from '../../../../src/testing/recording-context.ts';

export interface Folders {
  /** The allowed folder. */
  readonly root: string;
  readonly outside: string;
}

/** Makes `root/` with a few files, and `outside/secret.txt` beside it. Removed at the end of the test. */
export async function newFolders(): Promise<Folders> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'belay-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, 'root'), join(base, 'outside')];
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'secret');
  await writeFile(join(root, 'a.txt'), 'alpha');
  await writeFile(join(root, 'sub', 'b.txt'), 'beta');
  return { root, outside };
}

/** Parses the arguments and runs the call, as a runtime would. */
export async function call(tool: Tool, args: object, given: Partial<ToolContext> = {}): Promise<ToolEnd> {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.message);
  const end = await tool.run(parsed.input, recordingContext(given).context);
  return typeof end === 'string' ? { kind: 'completed', output: end } : end;
}

/** Returns the tool of that name. */
export function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool;
}
