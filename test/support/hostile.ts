// A runtime with a hostile tool, in real time, with real processes and a scripted model.

import type { CancelSettled, RecordedFact } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { systemTable } from '../../src/adapters/processes/process-family.ts';
import { systemProcesses } from '../../src/adapters/processes/system-processes.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { Tool } from '../../src/core/contracts/tool.ts';
import type { RuntimeConfig } from '../../src/core/runtime/config.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import type { CancelReply, Runtime } from '../../src/core/session/api.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { type BoundSession, bindSession } from '../../src/embed/bound-session.ts';
import { createRecorder, type Recorder } from '../../src/testing/recorder.ts';
import { callerOf, callsResponse, textResponse, toolOf } from './harness.ts';
import { settledReceipt } from './settled-receipt.ts';
import { until } from './until.ts';

export interface HostileTurn {
  readonly session: BoundSession;
  readonly turn: NodeId;
  readonly facts: readonly RecordedFact[];
  /** Live output of its calls. */
  readonly outputs: readonly unknown[];
  nodeOf(name: string): NodeId;
  resultOf(name: string): (RecordedFact & { type: 'tool_result' }) | undefined;
  cancel(how?: { readonly force: boolean }): ReturnType<BoundSession['cancel']>;
  /** Resolves with the `cancel_settled` of an accepted cancel. */
  settled(reply: CancelReply): Promise<CancelSettled>;
  /** Runs a next turn in the same session. Resolves with its outcome. */
  sayAgain(): Promise<string | undefined>;
}

const alice = callerOf('alice');

const obedient = toolOf(
  'obedient',
  (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }))),
);

/** Starts a runtime with these tools, one that obeys its signal and one that completes at once. */
export async function startHostile(
  tools: readonly Tool[],
  config: Partial<RuntimeConfig> = {},
): Promise<HostileRuntime> {
  const warnings: string[] = [];
  /** The responses of the model, by the text of the turn. */
  const scripts = new Map<string, Script>();
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond({ messages }) {
      (provider.requests as unknown[]).length = 0; // the provider keeps every request: thousands of them would look like a leak of the runtime
      const last = messages.at(-1);
      return (
        (last?.role === 'user' && scripts.get(last.content.slice(last.content.lastIndexOf('\n') + 1))) ||
        textResponse('ok')
      );
    },
  });
  const runtime = await createLocalRuntime({
    acknowledge: 'off',
    log: createMemoryLog(),
    provider,
    processes: systemProcesses,
    tools: [obedient, toolOf('done', async () => 'done already'), ...tools],
    warn: (message) => warnings.push(message),
    ...config,
  });
  return new HostileRuntime(runtime, scripts, warnings);
}

/** A runtime with hostile tools, and the turns that call them. */
export class HostileRuntime {
  readonly warnings: readonly string[];
  readonly #runtime: Runtime;
  readonly #scripts: Map<string, Script>;
  #sessions = 0;

  constructor(runtime: Runtime, scripts: Map<string, Script>, warnings: readonly string[]) {
    this.#runtime = runtime;
    this.#scripts = scripts;
    this.warnings = warnings;
  }

  /** Starts a turn in a session of its own that calls the hostile tool, one that obeys its signal and one that completes at once. */
  async start(call: readonly [string, object?], id = `hostile-${++this.#sessions}`): Promise<HostileTurn> {
    const words = `call ${call[0]} in ${id}`;
    this.#scripts.set(words, callsResponse([...call], ['obedient'], ['done']));
    const speaker = await this.#open(id);
    const { session, recorder } = speaker;
    const turn = await speaker.say(words);
    const nodeOf = (name: string) => recorder.of('tool_call').findLast((fact) => fact.name === name)?.node ?? '';
    const resultOf = (name: string) =>
      recorder.facts.find((fact) => fact.type === 'tool_result' && fact.node === nodeOf(name)) as ReturnType<
        HostileTurn['resultOf']
      >;
    await until(() => recorder.of('tool_started').some(({ node }) => node === nodeOf(call[0])), {
      what: `${call[0]} to start`,
    });
    await until(() => resultOf('done'), { what: 'the result of `done`' });
    return {
      session,
      turn,
      facts: recorder.facts,
      outputs: recorder.outputs,
      nodeOf,
      resultOf,
      cancel: (how) => session.cancel(alice, { target: turn, ...how }),
      settled: (reply) => settledReceipt(session, reply),
      sayAgain: () => speaker.outcomeOf('and on'),
    };
  }

  /** Resolves with the outcome of a whole turn without tools in another session. */
  async smallTalk(): Promise<string | undefined> {
    const speaker = await this.#open(`small-talk-${++this.#sessions}`);
    return speaker.outcomeOf('hello');
  }

  close(): Promise<void> {
    return this.#runtime.close();
  }

  async #open(id: string): Promise<JoinedSpeaker> {
    const session = await bindSession(this.#runtime, id);
    const recorder = createRecorder();
    await session.join(alice, recorder.listener, null);
    return new JoinedSpeaker(session, recorder);
  }
}

/** A speaker who has joined a session. */
class JoinedSpeaker {
  readonly session: BoundSession;
  readonly recorder: Recorder;

  constructor(session: BoundSession, recorder: Recorder) {
    this.session = session;
    this.recorder = recorder;
  }

  async say(text: string): Promise<NodeId> {
    const reply = await this.session.say(alice, { text });
    if (reply.type !== 'turn_opened') throw new Error(JSON.stringify(reply));
    return reply.turn;
  }

  /** Says the text; resolves with the outcome of its turn. */
  async outcomeOf(text: string): Promise<string | undefined> {
    const turn = await this.say(text);
    const endOf = () => this.recorder.of('turn_ended').find((fact) => fact.turn === turn);
    return (await until(endOf, { what: `the end of ${turn}`, ms: 10_000 })).outcome;
  }
}

/** Resolves with the processes that carry the marker of a call. */
export async function processesOfNode(node: NodeId): Promise<readonly number[]> {
  const { processes } = await systemTable.list();
  return processes
    .filter((process) => process.state === 'alive' && systemTable.bears(process, node) === 'yes')
    .map(({ pid }) => pid);
}
