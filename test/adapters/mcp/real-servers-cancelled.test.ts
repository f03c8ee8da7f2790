// Real servers under a CANCEL of a session: in the middle of a call, while it asks, twice, forced. The server's own log shows it.
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectMcpServers } from '../../../src/adapters/mcp/servers.ts';
import { createScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { requireApprovalsOf } from '../../../src/core/tools/require-approval.ts';
import { createRuntime } from '../../../src/embed/runtime.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { callsOnce } from '../../support/harness.ts';
import { patientLimits } from '../../support/patient-limits.ts';
import { scaled } from '../../support/time-scale.ts';
import { until } from '../../support/until.ts';
import { type RealServerKind, realServers } from './real-server-kinds.ts';

/** A session whose model has made the call of the server. */
async function startCall(kind: RealServerKind, which: 'endless' | 'asking') {
  const server = await kind.start();
  const { [which]: call } = server;
  const limits = { cancelGraceMs: scaled(500) }; // a server that is terminated before it has read the cancellation logs none
  const mcp = await connectMcpServers({ servers: { s: server.spec }, ...systemSources, termGraceMs: 300, limits });
  onTestFinished(() => mcp.close());
  const runtime = await createRuntime({
    acknowledge: 'off',
    provider: createScriptedProvider({
      clock: systemSources.clock,
      respond: callsOnce([`s__${call.name}`, call.arguments]),
    }),
    toolSources: [requireApprovalsOf(mcp, call.needsApproval ? [`s__${call.name}`] : [])],
    limits: { ...patientLimits, forceCancelMs: scaled(500) },
  });
  onTestFinished(() => runtime.close({ force: true }));
  const session = await runtime.session('room');
  const ann = session.as('ann');
  const frames: ServerFrame[] = [];
  ann.on('*', (frame) => void frames.push(frame));
  const turn = ann.say('do it');
  return { server, mcp, runtime, turn, frames };
}

type Started = Awaited<ReturnType<typeof startCall>>;

/** Closes everything, and looks for what is left. */
async function expectNothingLeft({ server, mcp, runtime }: Started): Promise<void> {
  await runtime.close();
  await mcp.close();
  expect(server.pids(), 'processes').toEqual([]);
}

describe.each(realServers.filter(({ isMissing }) => !isMissing))('$name', (kind) => {
  test.each(['once', 'twice', 'forced'] as const)(
    'a call in the middle, cancelled %s: it has ended, its log has the cancellation, nothing is left [tool.mcp] [cancel.bounded] [cancel.clean]',
    async (how) => {
      const started = await startCall(kind, 'endless');
      const { server, turn, frames } = started;
      await until(() => kind.started.test(server.log()), { ms: 20_000, what: 'the call at the server' });
      const cancels = [turn.cancel({ reason: 'enough of it', force: how === 'forced' })];
      if (how === 'twice') cancels.push(turn.cancel({ reason: 'once more' }));
      const receipts = await Promise.all(cancels.map(({ settled }) => settled));
      for (const receipt of receipts) {
        const node = receipt?.nodes.find(({ kind: one }) => one === 'tool-call');
        expect(node).toMatchObject({ outcome: 'cancelled' });
      }
      // a process that is killed at once may not have read it
      if (how === 'forced' && 'command' in server.spec) expect(server.pids(), 'processes').toEqual([]);
      else await until(() => kind.cancelled.test(server.log()), { what: 'the cancellation in the log' });
      expect(frames.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
      await expectNothingLeft(started);
    },
  );

  test('a call that asks, cancelled meanwhile: its question is closed, nothing is run, nothing is left [tool.mcp] [cancel.bounded]', async () => {
    const started = await startCall(kind, 'asking');
    const { server, turn, frames } = started;
    const { asks } = server.asking;
    const has = (type: ServerFrame['type']) => frames.some((frame) => frame.type === type);
    await until(() => has(asks), { ms: 20_000, what: 'the question' });
    const receipt = await turn.cancel({ reason: 'enough of it' }).settled;
    expect(receipt?.nodes.find(({ kind: one }) => one === 'tool-call')).toMatchObject({ outcome: 'cancelled' });
    expect(has(asks === 'question_asked' ? 'question_closed' : 'approval_closed')).toBe(true);
    if (asks === 'approval_requested') expect(server.log()).not.toContain('tools/call');
    await expectNothingLeft(started);
  });
});
