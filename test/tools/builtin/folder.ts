// Temporary folders of a test: an allowed root, and a folder outside it.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { recordingContext } from '../../../src/testing/recording-context.ts';
import type { Tool, ToolContext, ToolEnd } from '../../../src/tools/tool.ts';

export interface Ground {
  /** The allowed one. */
  readonly root: string;
  readonly outside: string;
}

/** `root/` with a few files, and beside it `outside/secret.txt`. Gone when the test is over. */
export async function newGround(): Promise<Ground> {
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

/** One of the builtins by its name. */
export function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return tool;
}
