// A call's context that is watched: what the tool has said, started and shielded, and how it is stopped. For a tool's own tests.
import type { Cause } from '../../machines/vocabulary.ts';
import type { Clock } from '../sources/sources.ts';
import { systemSources } from '../sources/system.ts';
import { type StartedProcess, shieldRefusals, type Tool, type ToolContext } from '../tools/tool.ts';

/** The real clock, and how many of its timers are waiting. */
export interface CountedClock extends Clock {
  readonly pending: number;
}

export function countedClock(): CountedClock {
  const { now, after } = systemSources.clock;
  const waiting = new Set<object>();
  return {
    now,
    after(ms, fn) {
      const timer = {};
      waiting.add(timer);
      const disarm = after(ms, () => {
        waiting.delete(timer);
        fn();
      });
      return () => {
        waiting.delete(timer);
        disarm();
      };
    },
    get pending() {
      return waiting.size;
    },
  };
}

export const byClient: Cause = { source: 'client', by: 'ada', reason: 'changed my mind', target: 'turn_1' };

export interface ShieldedRegion {
  /** Milliseconds; null: it has not ended. */
  readonly ms: number | null;
}

export interface RecordedCall {
  readonly context: ToolContext;
  readonly stop: AbortController;
  readonly kill: AbortController;
  readonly skipGrace: AbortController;
  /** Whether the tool has looked at `kill`, or listens to it. */
  readonly isKillHeard: boolean;
  readonly clock: CountedClock;
  readonly outputs: readonly string[];
  readonly processes: readonly StartedProcess[];
  readonly regions: readonly ShieldedRegion[];
  /** Stops the call as a runtime does: at once, or at the end of its shielded region. No region begins from then on. */
  cut(cause?: Cause): void;
  /** Resolves when the call's first region begins. */
  readonly shielded: Promise<void>;
}

/** The same signal, which notices who looks at it or listens to it: what joins it with another one looks, too. */
function noticing(signal: AbortSignal, notice: () => void): AbortSignal {
  const { prototype } = AbortSignal;
  return Object.defineProperties(signal, {
    aborted: {
      get() {
        notice();
        return Reflect.get(prototype, 'aborted', signal);
      },
    },
    addEventListener: {
      value(...listener: Parameters<AbortSignal['addEventListener']>) {
        notice();
        prototype.addEventListener.apply(signal, listener);
      },
    },
    onabort: {
      get: () => Reflect.get(prototype, 'onabort', signal),
      set(listener) {
        notice();
        Reflect.set(prototype, 'onabort', listener, signal);
      },
    },
  });
}

/** `given` replaces parts of the context. `tool` left out: one that may shield for as long as it likes. */
export function recordingContext(
  given: Partial<ToolContext> = {},
  tool: Pick<Tool, 'cancel' | 'shieldMaxMs'> = { cancel: 'shielded' },
): RecordedCall {
  const stop = new AbortController();
  const kill = new AbortController();
  const skipGrace = new AbortController();
  const clock = countedClock();
  const { now, after } = systemSources.clock;
  const outputs: string[] = [];
  const processes: StartedProcess[] = [];
  const regions: { ms: number | null }[] = [];
  const first = Promise.withResolvers<void>();
  let isKillHeard = false;
  let cut: Cause | null = null;
  let openRegion: object | null = null;

  async function shield<T>(work: () => Promise<T>): Promise<T> {
    if (tool.cancel !== 'shielded') throw new Error(shieldRefusals.undeclared);
    if (cut !== null || stop.signal.aborted) throw new Error(shieldRefusals.cut);
    if (openRegion !== null) throw new Error(shieldRefusals.open);
    const region = { ms: null as number | null };
    const began = now();
    regions.push(region);
    openRegion = region;
    const end = () => {
      if (openRegion !== region) return;
      openRegion = null;
      if (cut) stop.abort(cut);
    };
    const disarm = tool.shieldMaxMs === undefined ? () => {} : after(tool.shieldMaxMs, end);
    first.resolve();
    try {
      return await work();
    } finally {
      disarm();
      region.ms = now() - began;
      end();
    }
  }

  const health = { lagMs: 0, worstLagMs: 0 };
  const context: ToolContext = {
    signal: stop.signal,
    kill: noticing(kill.signal, () => {
      isKillHeard = true;
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
    shield,
    ask: () => Promise.reject(new Error('there is nobody to ask')),
    requestApproval: () => Promise.reject(new Error('there is nobody to ask')),
    status: () => ({ calls: [], modelCalls: 0, timeouts: 0, running: [], abandoned: [], speakers: ['ada'], health }),
    cancelAgent: async () => 'not_yours',
    ...given,
  };
  return {
    context,
    stop,
    kill,
    skipGrace,
    get isKillHeard() {
      return isKillHeard;
    },
    clock,
    outputs,
    processes,
    regions,
    shielded: first.promise,
    cut(cause = byClient) {
      if (cut !== null) return;
      cut = cause;
      if (openRegion === null) stop.abort(cause);
    },
  };
}
