// A session with an outside agent, for the tests of delegation.
import { afterEach, expect, onTestFinished } from 'vitest';
import type { FactType } from '../../../machines/facts.ts';
import { AcpAgents } from '../../../src/adapters/acp/acp-agents.ts';
import { createScriptedProvider, type Script } from '../../../src/adapters/models/scripted.ts';
import { systemProcesses } from '../../../src/adapters/processes/system-processes.ts';
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { RuntimeConfig } from '../../../src/core/runtime/config.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import type { AnswerRequest, CancelRequest } from '../../../src/core/session/api.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { bindSession } from '../../../src/embed/bound-session.ts';
import { createRecorder } from '../../../src/testing/recorder.ts';
import { callerOf, callsOnce, textResponse, toolOf } from '../../support/harness.ts';
import { settledReceipt } from '../../support/settled-receipt.ts';
import { until } from '../../support/until.ts';
import { living, newToken, zombies } from '../processes/processes.ts';
import { newFolder, program, wellBehaved } from './working.ts';

/** The token of every hostile agent of a test file. */
export const token = newToken();
const { clock } = systemSources;

/** Asserts after each test that no process of an outside agent is left. */
export function assertNoProcessLeft(): void {
  afterEach(() => {
    expect(living(token)).toEqual([]);
    expect(zombies()).toEqual([]);
  });
}

/** The configuration of one agent, named `coder`. */
export const coder = (agent = wellBehaved().agent) => ({ coder: { description: 'codes', acp: agent } });
/** An agent that breaks the protocol. Short graces: most of the budget is left for a machine that is busy with other tests. */
export const hostileAgent = (mode: string) =>
  coder({ ...program('hostile-acp-agent.ts', mode, token), cancelMs: 100, termGraceMs: 200 });
/** A first response with these calls, and text for every later one. */
export const first =
  (...calls: Parameters<typeof callsOnce>) =>
  (n: number) =>
    callsOnce(...calls)({ messages: [], tools: [] }, n);
/** A call of spawn_agent. */
export const spawn = (task: string, more: object = {}) => ['spawn_agent', { task, agent: 'coder', ...more }] as const;

export interface DelegatingOptions extends Partial<RuntimeConfig> {
  respond?(n: number, request: ModelRequest): Script;
  /** How long a fact or a result is awaited, in milliseconds. */
  readonly waitMs?: number;
}

/** A session of a runtime whose one agent is `coder`, and its speaker `ann`. */
export async function stage({
  respond = () => textResponse('done'),
  waitMs: ms = 10_000,
  ...config
}: DelegatingOptions) {
  const provider = createScriptedProvider({
    clock,
    respond: (request, n) => respond(n, request),
  });
  const runtime = await createLocalRuntime({
    acknowledge: 'off',
    log: createMemoryLog(),
    provider,
    roots: [newFolder()],
    agents: coder(),
    outsideAgents: new AcpAgents(),
    processes: systemProcesses,
    tools: [
      toolOf('note', async () => 'noted'),
      toolOf(
        'later',
        ({ ms }, { clock: at }) => new Promise((resolve) => void at.after(Number(ms), () => resolve('late'))),
      ),
    ],
    warn: () => {},
    ...config,
  });
  onTestFinished(() => runtime.close());
  const session = await bindSession(runtime, 's');
  const recorder = createRecorder();
  const ann = callerOf('ann');
  const begun: string[] = [];
  const output = ({ node }: { readonly node: string }) => void begun.push(node);
  await session.join(ann, { ...recorder.listener, output }, 0);
  const fact = <T extends FactType>(type: T, place = 0) =>
    until(() => recorder.of(type)[place], { ms, what: `${type} ${place}` });
  return {
    runtime,
    session,
    recorder,
    provider,
    fact,
    say: (text: string) => session.say(ann, { text }),
    answer: (request: AnswerRequest, by = ann) => session.answer(by, request),
    async cancel(request: CancelRequest) {
      const answer = await session.cancel(ann, request);
      if (answer.type !== 'cancel_accepted') throw new Error(answer.type);
      return { accepted: answer.receipt, settled: await settledReceipt(session, answer) };
    },
    /** The call whose agent is the first to have said something. */
    begun: () => until(() => begun[0], { ms, what: 'the first words of an agent' }),
    result: (node: string) =>
      until(() => recorder.of('tool_result').find((it) => it.node === node), { ms, what: `the result of ${node}` }),
  };
}
