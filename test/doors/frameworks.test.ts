// The examples that put Belay into LangChain, LangGraph and A2A: each checks itself, with the framework in the exact version of its folder.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { areFrameworksInstalled, frameworkFolder } from '../../scripts/install-agents.ts';
import { root } from '../house/tree.ts';
import { compileCache } from '../support/compile-cache.ts';
import { scaled } from '../support/time-scale.ts';

const isLeftOut = !areFrameworksInstalled() && process.env['REAL_AGENTS'] !== 'required';

describe.skipIf(isLeftOut)('frameworks', () => {
  test.each(['langchain', 'langgraph', 'a2a'])(
    'the signal of %s is a CANCEL: nothing of a stopped task runs on [doors.frameworks]',
    (name) => {
      const folder = join(frameworkFolder, 'examples');
      cpSync(join(root, 'docs/examples/frameworks'), folder, {
        recursive: true,
        filter: (path) => !path.endsWith('.json'),
      });
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, `${name}.js`)], {
        encoding: 'utf8',
        timeout: scaled(30_000),
        env: { ...process.env, ...compileCache() },
      });
      expect(status, stdout + stderr).toBe(0);
    },
  );
});
