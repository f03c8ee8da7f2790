// A real runtime with a hostile tool in it: real time, real processes, a model that plays a script.

import type { CancelSettled, Recorded } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { type BoundSession, bindSession } from '../../src/embed/bound-session.ts';
import { createScriptedProvider, type Script } from '../../src/model/scripted.ts';
import { systemTable } from '../../src/process/process-family.ts';
import type { RuntimeConfig } from '../../src/runtime/config.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { CancelReply } from '../../src/session/api.ts';
import { systemSources } from '../../src/sources/system.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { settledOf } from './settled.ts';
import { until } from './until.ts';
import { asks, hear, memberOf, says, toolOf } from './world.ts';

export interface HostileRuntime {
  /** A turn in a session of its own in which the hostile tool, a polite one and one that is done at once are called. */
  start(call: readonly [string, object?], session?: string): Promise<HostileTurn>;
  /** A whole turn without tools in another session. */
  smallTalk(): Promise<string | undefined>;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface HostileTurn {
  readonly session: BoundSession;
  readonly turn: NodeId;
  readonly facts: readonly Recorded[];
  /** Live output of its calls. */
  readonly outputs: readonly unknown[];
  nodeOf(name: string): NodeId;
  resultOf(name: string): (Recorded & { type: 'tool_result' }) | undefined;
  cancel(how?: { readonly force: boolean }): ReturnType<BoundSession['cancel']>;
  /** The second half of the receipt that a cancel was answered with. */
  settled(reply: CancelReply): Promise<CancelSettled>;
  /** A next turn in the same session: how it ended. */
  sayAgain(): Promise<string | undefined>;
}

const alice = memberOf('alice');

export async function startHostile(
  tools: readonly Tool[],
  config: Partial<RuntimeConfig> = {},
): Promise<HostileRuntime> {
  const { clock } = systemSources;
  const warnings: string[] = [];
  /** What the model calls when it hears these words. */
  const scripts = new Map<string, Script>();
  const provider = createScriptedProvider({
    clock,
    respond({ messages }) {
      (provider.requests as unknown[]).length = 0; // it keeps every request: thousands of them are no leak of the runtime
      const last = messages.at(-1);
      return (
        (last?.role === 'user' && scripts.get(last.content.slice(last.content.lastIndexOf('\n') + 1))) || says('ok')
      );
    },
  });
  const polite = toolOf(
    'polite',
    (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'stopped', output: '' }))),
  );
  const runtime = await createRuntime({
    log: createMemoryLog(),
    provider,
    tools: [polite, toolOf('done', async () => 'done already'), ...tools],
    warn: (message) => warnings.push(message),
    ...config,
  });
  let sessions = 0;
  const open = async (id: string) => {
    const session = await bindSession(runtime, id);
    const heard = hear();
    await session.join(alice, heard.listener, null);
    const say = async (text: string) => {
      const said = await session.say(alice, { text });
      if (said.type !== 'turn_opened') throw new Error(said.code);
      return said.turn;
    };
    const endOf = (turn: NodeId) => heard.of('turn_ended').find((fact) => fact.turn === turn);
    const whole = async (text: string) => {
      const turn = await say(text);
      return (await until(() => endOf(turn), { what: `the end of ${turn}`, ms: 10_000 })).outcome;
    };
    return { session, heard, say, whole };
  };

  return {
    warnings,
    async start(call, id = `hostile-${++sessions}`) {
      const words = `call ${call[0]} in ${id}`;
      scripts.set(words, asks([...call], ['polite'], ['done']));
      const { session, heard, say, whole } = await open(id);
      const turn = await say(words);
      const nodeOf = (name: string) => heard.of('tool_call').findLast((fact) => fact.name === name)?.node ?? '';
      const resultOf = (name: string) =>
        heard.facts.find((fact) => fact.type === 'tool_result' && fact.node === nodeOf(name)) as ReturnType<
          HostileTurn['resultOf']
        >;
      await until(() => heard.of('tool_started').some(({ node }) => node === nodeOf(call[0])), {
        what: `${call[0]} to start`,
      });
      await until(() => resultOf('done'), { what: 'the result of `done`' });
      return {
        session,
        turn,
        facts: heard.facts,
        outputs: heard.outputs,
        nodeOf,
        resultOf,
        cancel: (how) => session.cancel(alice, { target: turn, ...how }),
        settled: (reply) => settledOf(session, reply),
        sayAgain: () => whole('and on'),
      };
    },
    async smallTalk() {
      const { whole } = await open(`small-talk-${++sessions}`);
      return whole('hello');
    },
    close: () => runtime.close(),
  };
}

/** Processes that bear the marker of a call. */
export async function processesOf(node: NodeId): Promise<readonly number[]> {
  const { processes } = await systemTable.list();
  return processes
    .filter((process) => process.state === 'alive' && systemTable.bears(process, node) === 'yes')
    .map(({ pid }) => pid);
}
