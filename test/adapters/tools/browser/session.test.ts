// `browse` in a session, with a real browser: a newer call supersedes an earlier one. Skipped without a Chromium.

import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../../../src/adapters/models/scripted.ts';
import { systemProcesses } from '../../../../src/adapters/processes/system-processes.ts';
import { createMemoryLog } from '../../../../src/adapters/stores/memory.ts';
import { findChromium } from '../../../../src/adapters/tools/browser/chromium.ts';
import { builtinTools } from '../../../../src/adapters/tools/builtin/builtin-tools.ts';
import { createLocalRuntime } from '../../../../src/core/runtime/runtime.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import { bindSession } from '../../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../../src/testing/recorder.ts';
import { callerOf, callsResponse, textResponse } from '../../../support/harness.ts';
import { markedProcesses } from '../../../support/marked-processes.ts';
import { patientLimits } from '../../../support/patient-limits.ts';
import { until } from '../../../support/until.ts';
import { serveSite } from './site.ts';

test.runIf(findChromium() !== null)(
  'a newer call stops the browser of an earlier one, and starts when no process of that is left [tool.supersede] [tool.process] [cancel.clean]',
  async () => {
    const recorder = createRecorder();
    const calls = () => recorder.of('tool_call').map(({ node }) => node);
    /** Processes of the first call, when the browser of the second asks for its page. */
    let left: readonly number[] | undefined;
    const site = await serveSite(({ url }, response) => {
      response.setHeader('content-type', 'text/html');
      if (url === '/first') return void response.write('<p>so far');
      if (url === '/second') left = markedProcesses(calls().slice(0, 1));
      response.end('<title>Second</title><p>words');
    });
    const provider = createScriptedProvider({
      clock: systemSources.clock,
      respond({ messages }) {
        const last = messages.at(-1);
        const page = last?.role === 'user' ? /(first|second) page$/.exec(last.content)?.[1] : undefined;
        return page ? callsResponse(['browse', { url: `${site.url}/${page}` }]) : textResponse('ok');
      },
    });
    const runtime = await createLocalRuntime({
      acknowledge: 'off',
      limits: patientLimits,
      log: createMemoryLog(),
      provider,
      processes: systemProcesses,
      tools: builtinTools({ allowBrowser: true, browserSandbox: false, allowAddresses: ['127.0.0.1'] }),
    });
    onTestFinished(() => runtime.close());
    const session = await bindSession(runtime, 's');
    const [alice, bob] = [callerOf('alice'), callerOf('bob')];
    await session.join(alice, recorder.listener, null);
    await session.join(bob, createRecorder().listener, null);

    await session.say(alice, { text: 'the first page' });
    await until(() => site.requests.includes('/first'), { ms: 20_000, what: 'the first page to be asked for' });
    const browsers = markedProcesses(calls());
    expect(browsers.length).toBeGreaterThan(0);
    await session.say(bob, { text: 'the second page' });
    const results = await until(
      () => {
        const both = recorder.of('tool_result');
        return both.length === 2 && both;
      },
      { ms: 20_000, what: 'both results' },
    );
    const [first, second] = calls();
    expect(results.map(({ node, outcome }) => [node, outcome])).toEqual([
      [first, 'superseded'],
      [second, 'completed'],
    ]);
    expect(results[1]?.output).toContain('words');
    expect(left, 'processes of the first call while the second ran').toEqual([]);
    expect(markedProcesses(calls())).toEqual([]);
  },
);
