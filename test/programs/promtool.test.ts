// The metrics of a gateway that has worked, judged by Prometheus' own checker.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectChecked } from '../support/checked-client.ts';
import { startChild } from '../support/child.ts';
import { scaled } from '../support/time-scale.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool && process.env['CI'])
  throw new Error('There is no promtool, and CI is set: .ci/promtool installs one.');

test.skipIf(!hasPromtool)(
  'promtool finds nothing in /metrics after turns, calls of tools and their stop [ops.metrics]',
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'belay-promtool-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const serve = startChild('src/programs/serve.ts', { args: ['--port', '0'], cwd });
    const [, url = ''] = await serve.untilPrinted(/listens at (\S+)/, scaled(20_000));
    const client = await connectChecked({ url });
    const session = client.session('demo');
    await session.say('hello').ended;
    await session.say('hello').cancel().settled;
    const tools = session.say('research this and run the build');
    await new Promise((resolve) => session.on('tool_started', resolve));
    await tools.cancel().settled;
    const refused = await fetch(new URL('/api/sessions?key=wrong', url.replace('ws:', 'http:')));
    expect(refused.status).toBe(401);
    const text = await (await fetch(new URL('/metrics', url.replace('ws:', 'http:')))).text();
    await client.close();
    expect(text).toContain('belay_turns_total{kind="say",outcome="completed"} 1');
    expect(text).toMatch(/belay_tool_calls_total\{tool="shell",outcome="cancelled"\} [1-9]/);
    expect(text).toMatch(/tool_interrupts_total\{tool="shell",reason="client"\} [1-9]/);
    expect(text).toMatch(/belay_tool_call_seconds_bucket\{.*tool="shell"/);
    expect(text).toMatch(/belay_refused_total\{door="http",code="unauthorized"\} 1/);
    for (const file of ['main', 'wal']) expect(text).toMatch(new RegExp(`belay_store_bytes\\{file="${file}"\\} [1-9]`));
    expect(text).toMatch(/belay_store_commit_seconds_count [1-9]/);
    expect(text).toContain('belay_store_failures_total 0');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  },
);
