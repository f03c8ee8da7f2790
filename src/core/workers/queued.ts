// The worker of `queued`: replaces earlier calls under its supersession key, then waits for its exclusive key.

import { addAbortListener } from 'node:events';
import type { CallWorkInput, PhaseReply } from '../../../machines/contracts.ts';
import type { AwaitedCall } from '../../../machines/live-view.ts';
import { dropUndefined } from '../collections/fields.ts';
import { comparedKey } from '../tools/folder-key-rules.ts';
import type { Acquired, ComparedKey, KeyUser } from '../tools/keys.ts';
import { measuredText } from '../words/durations.ts';
import { callEndings, stoppedOutcome } from './call-outcomes.ts';
import { CallWait } from './call-wait.ts';
import { parseCall } from './parse-call.ts';
import { supersedeEarlier } from './supersede.ts';
import { type Job, worker } from './worker.ts';

type Needs = 'external' | 'runtime' | 'session' | 'tree' | 'presence' | 'inbox' | 'text' | 'journal';

export const acquire = worker<CallWorkInput, PhaseReply, Needs>({
  async run({ call }, job) {
    const { runtime, session } = job.services;
    const { tool, input } = parseCall(call, job);
    const refused = await supersedeEarlier(tool, input, job);
    if (refused) return refused;
    if (tool.access === 'parallel') return { kind: 'go' };
    const { roots, folderKeys } = runtime;
    const key = tool.access(input, { session: session.id, roots });
    return acquireKey(comparedKey(key, { session: session.id, roots, folderKeys }), job);
  },
  ...callEndings,
});

type Limited = Acquired | { readonly kind: 'overdue'; readonly awaited: AwaitedCall };

async function acquireKey(key: ComparedKey, job: Job<Needs>): Promise<PhaseReply> {
  const acquired = await acquireInTime(key, job);
  switch (acquired.kind) {
    case 'go':
      return { kind: 'go' };
    case 'stopped':
      return stoppedOutcome('not_started', job);
    case 'key_held': {
      const message = `${acquired.by} was abandoned and may still be at work on ${key.value}.`;
      return { kind: 'failed', effect: 'not_started', code: 'key_held', message };
    }
    case 'overdue': {
      const { node, name, owner, session } = acquired.awaited;
      const where = session === undefined ? '' : ` in the session ${session}`;
      const waited = measuredText(job.services.runtime.limits.keyWaitMs);
      const message = `After ${waited} ${owner}'s ${name} (${node})${where} still uses ${key.value}. Try again later.`;
      return { kind: 'failed', effect: 'not_started', code: 'key_wait_limit', message };
    }
  }
}

/** Waits for the key for `keyWaitMs` at most. */
async function acquireInTime(key: ComparedKey, { services, entry, signal }: Job<Needs>): Promise<Limited> {
  const { runtime, session } = services;
  const { keyWaitMs } = runtime.limits;
  const overdue = new AbortController();
  using limited = joinSignals(signal, overdue.signal);
  using wait = new CallWait({ services, entry });
  const disarm = keyWaitMs === 0 ? () => {} : runtime.sources.clock.after(keyWaitMs, () => overdue.abort());
  const { id: node, name, owner } = entry;
  const user = { node, name, owner, session: session.id };
  const acquired = await runtime.keys.acquire(user, key, limited.signal, (awaited) =>
    wait.waitFor(awaitedCall(awaited, session.id)),
  );
  disarm();
  const { waitsFor } = entry;
  return acquired.kind === 'stopped' && !signal.aborted && waitsFor ? { kind: 'overdue', awaited: waitsFor } : acquired;
}

const awaitedCall = ({ node, name, owner, session }: KeyUser, own: string): AwaitedCall => ({
  node,
  name,
  owner,
  ...dropUndefined({ session: session === own ? undefined : session }),
});

interface JoinedSignal extends Disposable {
  /** Fires, with the reason, when the first of the sources fires. */
  readonly signal: AbortSignal;
}

/** Joins two signals by hand, until the result is disposed: Node keeps what `AbortSignal.any` has joined for as long as the sources live. */
function joinSignals(first: AbortSignal, second: AbortSignal): JoinedSignal {
  const own = new AbortController();
  const listeners = [first, second].map((source) => {
    if (source.aborted) own.abort(source.reason);
    return addAbortListener(source, () => own.abort(source.reason));
  });
  return {
    signal: own.signal,
    [Symbol.dispose]() {
      for (const listener of listeners) listener[Symbol.dispose]();
    },
  };
}
