// A test harness: a runtime with a virtual clock, a log in memory and a scripted model. Nothing in it waits for real time.
import { expect, onTestFinished } from 'vitest';
import type { CancelSettled, Fact, TurnEnded } from '../../machines/facts.ts';
import type { NodeId, OutcomeKind, Role } from '../../machines/vocabulary.ts';
import { createScriptedProvider, type Script, type ScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import type { Tool, ToolContext, ToolEnd } from '../../src/core/contracts/tool.ts';
import type { RuntimeConfig } from '../../src/core/runtime/config.ts';
import { createLocalRuntime, type LocalRuntime } from '../../src/core/runtime/runtime.ts';
import type { Caller, CancelReply, CancelRequest, SayReply } from '../../src/core/session/api.ts';
import { createVirtualSources, type VirtualClock } from '../../src/core/sources/virtual.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { type BoundSession, bindSession } from '../../src/embed/bound-session.ts';
import { createRecorder, type Recorder } from '../../src/testing/recorder.ts';
import { pairingProblems } from './message-pairing.ts';

type Input = { readonly [field: string]: unknown };

export const callerOf = (id: string, roles: readonly Role[] = ['member']): Caller => ({
  speaker: { id, roles },
  connection: `connection-of-${id}`,
});

/** The second speaker of a session. */
export const bobCaller = callerOf('bob');

/** Makes a tool that takes any object. */
export function toolOf(
  name: string,
  run: (input: Input, context: ToolContext) => Promise<ToolEnd | string>,
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
    run: (input, context) => run(input as Input, context),
  } as Parameters<typeof defineTool>[0]);
}

export type CallSpec = readonly [name: string, input?: object];

/** A response with these calls. */
export const callsResponse = (...calls: CallSpec[]): Script => ({
  steps: calls.map(([name, input = {}], i) => ({ call: { callId: `p${i}`, name, arguments: JSON.stringify(input) } })),
});
/** A response with these pieces of text, 10 ms before each. */
export const textResponse = (...texts: readonly string[]): Script => ({
  steps: texts.flatMap((text) => [{ waitMs: 10 }, { text }]),
});
/** A first response with these calls, and text for every later request. */
export const callsOnce =
  (...calls: CallSpec[]) =>
  (_: ModelRequest, n: number): Script =>
    n === 0 ? callsResponse(...calls) : textResponse('done');
/** The script 1 ms later: what comes at once is in one commit with the start of the turn. */
export const later = ({ steps, ...rest }: Script): Script => ({ ...rest, steps: [{ waitMs: 1 }, ...steps] });

export interface HarnessOptions extends Partial<Omit<RuntimeConfig, 'provider'>> {
  /** The number of the process that it simulates: ids of different processes differ. */
  readonly life?: number;
  respond?(request: ModelRequest, n: number): Script;
}

/** The calls of the harness's own tools, each list in the order of time. */
class CallRecord {
  readonly entered: NodeId[] = [];
  readonly ended: NodeId[] = [];
  readonly aborted: NodeId[] = [];
}

/** A tool that takes `ms`, and after its signal `unwind` ms more, if it does not ignore the signal. */
const waitingTool =
  (clock: VirtualClock, record: CallRecord, { ignoresSignal }: { readonly ignoresSignal: boolean }) =>
  (input: Input, { signal, call }: ToolContext) =>
    new Promise<ToolEnd>((resolve) => {
      record.entered.push(call);
      const end = (kind: ToolEnd['kind']) => {
        disarm();
        record.ended.push(call);
        resolve({ kind, output: `${kind} after work` });
      };
      const disarm = clock.after(Number(input['ms'] ?? 1_000), () => end('completed'));
      signal.addEventListener('abort', () => {
        record.aborted.push(call);
        if (!ignoresSignal) clock.after(Number(input['unwind'] ?? 5), () => end('stopped'));
      });
    });

const toolsOf = (clock: VirtualClock, record: CallRecord): readonly Tool[] => {
  const obedient = waitingTool(clock, record, { ignoresSignal: false });
  const ignoring = waitingTool(clock, record, { ignoresSignal: true });
  const access = () => ({ scope: 'session', name: 'k' }) as const;
  return [
    toolOf('wait', obedient),
    toolOf('ignores_signal', ignoring),
    toolOf('keyed', obedient, { access }),
    toolOf('ignores_signal_keyed', ignoring, { access }),
    toolOf('note', async () => 'noted'),
  ];
};

interface Parts {
  readonly runtime: LocalRuntime;
  readonly session: BoundSession;
  readonly sources: ReturnType<typeof createVirtualSources>;
  readonly provider: ScriptedProvider;
  readonly log: Log;
  readonly record: CallRecord;
  readonly warnings: readonly string[];
}

/** One runtime with the session `s`, in which alice is recorded as a listener. */
export class Harness {
  readonly runtime: LocalRuntime;
  readonly session: BoundSession;
  readonly sources: Parts['sources'];
  readonly clock: VirtualClock;
  readonly provider: ScriptedProvider;
  readonly log: Log;
  readonly recorder: Recorder;
  readonly alice = callerOf('alice');
  /** Calls whose tool was entered, by the harness's own tools. */
  readonly entered: NodeId[];
  /** Calls whose tool has ended. */
  readonly ended: readonly NodeId[];
  /** Calls whose signal has fired. */
  readonly aborted: readonly NodeId[];
  readonly warnings: readonly string[];

  constructor({ runtime, session, sources, provider, log, record, warnings }: Parts) {
    this.runtime = runtime;
    this.session = session;
    this.sources = sources;
    this.clock = sources.clock;
    this.provider = provider;
    this.log = log;
    this.recorder = createRecorder(sources.clock.now);
    this.entered = record.entered;
    this.ended = record.ended;
    this.aborted = record.aborted;
    this.warnings = warnings;
  }

  /** Says the text and lets the tick pass. Resolves with the id of the turn. */
  async say(text: string, member: Caller = this.alice, ref?: string): Promise<NodeId> {
    const pending = this.session.say(member, { text, ref });
    await this.clock.advance(0);
    const reply: SayReply = await pending;
    if (reply.type !== 'turn_opened') throw new Error(`The SAY was refused: ${JSON.stringify(reply)}.`);
    return reply.turn;
  }

  async cancel(request: CancelRequest, member: Caller = this.alice): Promise<CancelReply> {
    const pending = this.session.cancel(member, request);
    await this.clock.advance(0);
    return pending;
  }

  /** Returns the call with this index among the calls of that name. */
  callNamed(name: string, factIndex = 0): NodeId {
    const made = this.recorder.of('tool_call').filter((fact) => fact.name === name)[factIndex];
    if (!made) throw new Error(`There is no call ${factIndex} of ${name}.`);
    return made.node;
  }

  /** Returns the outcome of each call that has its result. */
  outcomes(): Record<NodeId, OutcomeKind> {
    return Object.fromEntries(this.recorder.of('tool_result').map(({ node, outcome }) => [node, outcome]));
  }

  endOf(turn: NodeId): TurnEnded | undefined {
    return this.recorder.of('turn_ended').find((fact) => fact.turn === turn);
  }

  settledReceipts(): readonly CancelSettled[] {
    return this.recorder.of('cancel_settled');
  }

  /** Returns the position of the first fact that matches; -1: none does. */
  index(match: (fact: Fact) => boolean): number {
    return this.recorder.facts.findIndex(match);
  }
}

/** Messages that are judged as strict endpoints do, in the requests of one harness: some tests make very many. */
const maxJudged = 1_000;

/**
 * Starts a runtime in which alice has joined the session `s`. It has these tools, which all take `ms`: `wait`, and `keyed` with an exclusive
 * key; `ignores_signal` and `ignores_signal_keyed`; `note`, which ends at once.
 */
export async function startHarness({
  respond = () => textResponse('hello'),
  tools = [],
  life = 1,
  ...config
}: HarnessOptions = {}): Promise<Harness> {
  const first = createVirtualSources();
  const sources = life === 1 ? first : { ...first, ids: (prefix: string) => first.ids(`${prefix}_life${life}`) };
  const { clock } = sources;
  const problems: string[] = [];
  let judged = 0;
  const provider = createScriptedProvider({
    clock,
    respond(request, n) {
      judged += request.messages.length;
      if (!config.buildContext && judged <= maxJudged) problems.push(...pairingProblems(request.messages));
      return respond(request, n);
    },
  });
  onTestFinished(() => expect(problems, 'what strict endpoints would say of the requests').toEqual([]));
  const record = new CallRecord();
  const warnings: string[] = [];
  const log = config.log ?? createMemoryLog();
  if (life > 1) for (const { id } of await log.hosts()) await log.endLease(id); // the process of the life before is dead
  const runtime = await createLocalRuntime({
    sources,
    log,
    provider,
    acknowledge: 'off', // the tests of acknowledgements turn them on: they add a model call to a stop
    tools: [...toolsOf(clock, record), ...tools],
    warn: (message) => warnings.push(message),
    ...config,
  });
  const session = await bindSession(runtime, 's');
  const harness = new Harness({ runtime, session, sources, provider, log, record, warnings });
  await session.join(harness.alice, harness.recorder.listener, 0);
  return harness;
}
