// Records a call for the tests of a tool: its output, its processes and its shielded regions. Can stop it as a runtime does.
import type { Cause } from '../../machines/vocabulary.ts';
import type { StartedProcess, Tool, ToolContext } from '../core/contracts/tool.ts';
import { systemSources } from '../core/sources/system.ts';
import { type CountedClock, createCountedClock } from './counted-clock.ts';
import { RecordedShields, type ShieldedRegion } from './recorded-shields.ts';

export const clientCause: Cause = { source: 'client', by: 'ada', reason: 'changed my mind', target: 'turn_1' };

export interface RecordedCall {
  readonly context: ToolContext;
  /** Aborts the signals of the context. */
  readonly stop: AbortController;
  readonly kill: AbortController;
  readonly skipGrace: AbortController;
  /** Whether the tool has read `kill`, or listens to it. */
  readonly usesKill: boolean;
  readonly clock: CountedClock;
  readonly outputs: readonly string[];
  readonly processes: readonly StartedProcess[];
  readonly regions: readonly ShieldedRegion[];
  /** Stops the call as a runtime does: at once, or at the end of its shielded region. No region starts after it. */
  stopCall(cause?: Cause): void;
  /** Resolves when the call's first region starts. */
  readonly firstRegion: Promise<void>;
}

/** Changes the signal so that it calls `onUse` whenever it is read or gets a listener. `AbortSignal.any` counts too. Returns the signal. */
function withUseListener(signal: AbortSignal, onUse: () => void): AbortSignal {
  const { prototype } = AbortSignal;
  return Object.defineProperties(signal, {
    aborted: {
      get() {
        onUse();
        return Reflect.get(prototype, 'aborted', signal);
      },
    },
    addEventListener: {
      value(...listener: Parameters<AbortSignal['addEventListener']>) {
        onUse();
        prototype.addEventListener.apply(signal, listener);
      },
    },
    onabort: {
      get: () => Reflect.get(prototype, 'onabort', signal),
      set(listener) {
        onUse();
        Reflect.set(prototype, 'onabort', listener, signal);
      },
    },
  });
}

const rejectQuestion = () => Promise.reject(new Error('This context has no speaker to ask: give it `ask`.'));
const health = { lagMs: 0, worstLagMs: 0 };
const session = { calls: 0, modelCalls: 0, timeouts: 0, timedOut: [], omittedTurns: 0 };
const emptyStatus = {
  calls: [],
  modelCalls: 0,
  timeouts: 0,
  session,
  running: [],
  abandoned: [],
  speakers: ['ada'],
  health,
};

/**
 * Makes a context and records what a tool does with it.
 * @param given Parts that replace those of the context.
 * @param tool The tool of the call. Default: one whose shields have no maximum.
 */
export function recordingContext(
  given: Partial<ToolContext> = {},
  tool: Pick<Tool, 'cancel' | 'shieldMaxMs'> = { cancel: 'shielded' },
): RecordedCall {
  const stop = new AbortController();
  const kill = new AbortController();
  const skipGrace = new AbortController();
  const clock = createCountedClock();
  const shields = new RecordedShields(tool, stop);
  const outputs: string[] = [];
  const processes: StartedProcess[] = [];
  let usesKill = false;
  const context: ToolContext = {
    signal: stop.signal,
    kill: withUseListener(kill.signal, () => {
      usesKill = true;
    }),
    skipGrace: skipGrace.signal,
    session: 'session_1',
    turn: 'turn_1',
    call: systemSources.ids('call'),
    speaker: 'ada',
    roots: [],
    depth: 0,
    clock,
    output: (text) => void outputs.push(text),
    recordProcess: (process) => void processes.push(process),
    shield: (work) => shields.shield(work),
    ask: rejectQuestion,
    requestApproval: rejectQuestion,
    status: () => emptyStatus,
    cancelCall: async () => 'not_yours',
    ...given,
  };
  return {
    context,
    stop,
    kill,
    skipGrace,
    get usesKill() {
      return usesKill;
    },
    clock,
    outputs,
    processes,
    regions: shields.regions,
    firstRegion: shields.firstRegion,
    stopCall: (cause = clientCause) => shields.stopCall(cause),
  };
}
