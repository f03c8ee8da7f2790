// A runtime in a world of its own: virtual clock, log in memory, a model that plays a script. Nothing in it waits for real time.
import type { CancelSettled, Fact } from '../../machines/facts.ts';
import type { NodeId, Role } from '../../machines/vocabulary.ts';
import { bindSession } from '../../src/embed/bound-session.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import { createScriptedProvider, type Script } from '../../src/model/scripted.ts';
import type { RuntimeConfig } from '../../src/runtime/config.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { Caller, CancelReply, CancelRequest, SayReply } from '../../src/session/api.ts';
import type { Clock } from '../../src/sources/sources.ts';
import { createVirtualSources } from '../../src/sources/virtual.ts';
import { createRecorder } from '../../src/testing/recorder.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool, ToolContext, ToolEnd } from '../../src/tools/tool.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';

/** What a member of a session hears, to be looked at. */
export const hear = createRecorder;

export const memberOf = (id: string, roles: readonly Role[] = ['member']): Caller => ({
  speaker: { id, roles },
  connection: `connection-of-${id}`,
});

/** A tool that is done after `ms`, or as it is told. It notes in `world.ran` that it was entered. */
export function toolOf(
  name: string,
  run: (input: { readonly [field: string]: unknown }, context: ToolContext) => Promise<ToolEnd | string>,
  more: Partial<Pick<Tool, 'access' | 'cancel' | 'effect' | 'timeoutMs' | 'shieldMaxMs'>> = {},
): Tool {
  return defineTool({
    name,
    description: name,
    input: { type: 'object' },
    access: 'parallel',
    cancel: 'abortable',
    effect: 'some',
    timeoutMs: 0,
    ...more,
    run: (input, context) => run(input as { readonly [field: string]: unknown }, context),
  } as Parameters<typeof defineTool>[0]);
}

export type Asked = readonly [name: string, input?: object];

/** What a model answers: calls of a round, or text. */
export const asks = (...calls: Asked[]): Script => ({
  steps: calls.map(([name, input = {}], i) => ({ call: { callId: `p${i}`, name, arguments: JSON.stringify(input) } })),
});
/** A first answer that makes these calls, and text for every later request. */
export const once =
  (...calls: Asked[]) =>
  (_: ModelRequest, n: number): Script =>
    n === 0 ? asks(...calls) : says('done');
export const says = (...texts: readonly string[]): Script => ({
  steps: texts.flatMap((text) => [{ waitMs: 10 }, { text }]),
});

export interface WorldOptions extends Partial<Omit<RuntimeConfig, 'provider'>> {
  /** Ids of one life do not come again in the next. */
  readonly life?: number;
  respond?(request: ModelRequest, n: number): Script;
}

/** The calls of the standard tools, each list in the order of what happened. */
interface NotedCalls {
  readonly ran: NodeId[];
  readonly ended: NodeId[];
  readonly signals: NodeId[];
}

function standardTools({ ran, ended, signals }: NotedCalls, clock: Clock): Tool[] {
  const waiting =
    (deaf: boolean) =>
    (input: { readonly [field: string]: unknown }, { signal, call }: ToolContext) =>
      new Promise<ToolEnd>((resolve) => {
        ran.push(call);
        const end = (kind: ToolEnd['kind']) => {
          disarm();
          ended.push(call);
          resolve({ kind, output: `${kind} after work` });
        };
        const disarm = clock.after(Number(input['ms'] ?? 1_000), () => end('completed'));
        signal.addEventListener('abort', () => {
          signals.push(call);
          if (!deaf) clock.after(Number(input['unwind'] ?? 5), () => end('stopped'));
        });
      });
  return [
    toolOf('wait', waiting(false)),
    toolOf('deaf', waiting(true)),
    toolOf('keyed', waiting(false), { access: () => ({ scope: 'session', name: 'k' }) }),
    toolOf('deafkeyed', waiting(true), { access: () => ({ scope: 'session', name: 'k' }) }),
    toolOf('note', async () => 'noted'),
  ];
}

/** Makes a world. The tools that every world has: `wait` obeys, `deaf` does not, `note` is done at once; all take `ms`. */
export async function createWorld({
  respond = () => says('hello'),
  tools = [],
  life = 1,
  ...config
}: WorldOptions = {}) {
  const fresh = createVirtualSources();
  const sources = life === 1 ? fresh : { ...fresh, ids: (prefix: string) => fresh.ids(`${prefix}_life${life}`) };
  const { clock } = sources;
  const provider = createScriptedProvider({ clock, respond });
  const noted: NotedCalls = { ran: [], ended: [], signals: [] };
  const warnings: string[] = [];
  const log = config.log ?? createMemoryLog();
  const runtime = await createRuntime({
    sources,
    log,
    provider,
    tools: [...standardTools(noted, clock), ...tools],
    warn: (message) => warnings.push(message),
    ...config,
  });
  const session = await bindSession(runtime, 's');
  const heard = hear(clock.now);
  const alice = memberOf('alice');
  await session.join(alice, heard.listener, 0);

  const world = {
    runtime,
    session,
    sources,
    clock,
    provider,
    log,
    heard,
    alice,
    ...noted,
    warnings,
    /** Says it and lets the tick pass: the id of the turn. */
    async say(text: string, member: Caller = alice, ref?: string): Promise<NodeId> {
      const answer = session.say(member, { text, ...(ref !== undefined && { ref }) });
      await clock.advance(0);
      const said: SayReply = await answer;
      if (said.type !== 'turn_opened') throw new Error(`refused: ${said.code}`);
      return said.turn;
    },
    async cancel(request: CancelRequest, member: Caller = alice): Promise<CancelReply> {
      const answer = session.cancel(member, request);
      await clock.advance(0);
      return answer;
    },
    /** The call that has this place among those of its name. */
    call(name: string, place = 0): NodeId {
      const made = heard.of('tool_call').filter((fact) => fact.name === name)[place];
      if (!made) throw new Error(`no call of ${name}`);
      return made.node;
    },
    results: () => Object.fromEntries(heard.of('tool_result').map(({ node, outcome }) => [node, outcome])),
    end: (turn: NodeId) => heard.of('turn_ended').find((fact) => fact.turn === turn),
    settled: (): readonly CancelSettled[] => heard.of('cancel_settled'),
    index: (match: (fact: Fact) => boolean) => heard.facts.findIndex(match),
  };
  return world;
}

export type World = Awaited<ReturnType<typeof createWorld>>;
