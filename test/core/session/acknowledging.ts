// A harness whose model acknowledges stops: alice and bob are in the session, and a turn runs until somebody stops it.
import type { TurnOpened } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import type { SessionSpec } from '../../../src/core/session/session-spec.ts';
import {
  bobCaller,
  callsResponse,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
} from '../../support/harness.ts';

const isAcknowledging = ({ messages }: ModelRequest): boolean =>
  /has just stopped work of yours/.test(messages.at(-1)?.content ?? '');

/** Calls a tool that runs until it is stopped; acknowledges a stop by `reply`. */
export const respondWith =
  (reply: () => Script) =>
  (request: ModelRequest): Script => {
    if (isAcknowledging(request)) return reply();
    return request.messages.at(-1)?.role === 'tool'
      ? textResponse('done')
      : callsResponse(['note'], ['wait', { ms: 60_000 }]);
  };

export const understood = respondWith(() => textResponse('Fine, ', 'I have stopped.'));

export interface AcknowledgingOptions extends HarnessOptions {
  readonly spec?: Partial<SessionSpec>;
}

export async function startAcknowledging({ spec, ...options }: AcknowledgingOptions = {}): Promise<Harness> {
  const h = await startHarness({ respond: understood, acknowledge: 'on', session: () => spec ?? {}, ...options });
  await h.session.join(bobCaller, { ...h.recorder.listener, fact: () => {}, text: () => {} }, null);
  return h;
}

/** Says something, lets its calls start, and returns its turn. */
export async function startTurnWithCalls(h: Harness, text = 'build it', member = h.alice): Promise<NodeId> {
  const turn = await h.say(text, member);
  await h.clock.advance(100);
  return turn;
}

export const acknowledgements = (h: Harness): readonly TurnOpened[] =>
  h.recorder.of('turn_opened').filter(({ kind }) => kind === 'acknowledgement');

export const signs = (h: Harness) =>
  h.recorder.facts.filter(({ type }) => type === 'acknowledged' || type === 'reaction' || type === 'earcon');

/** Stops a turn that runs, and lets everything after it happen. */
export async function stopTurn(h: Harness, by = h.alice, target?: string): Promise<void> {
  const turn = await startTurnWithCalls(h);
  await h.cancel({ target: target ?? turn, reason: 'wrong branch' }, by);
  await h.clock.advance(200);
}

export const requestsToAcknowledge = (h: Harness): readonly ModelRequest[] =>
  h.provider.requests.filter(isAcknowledging);
