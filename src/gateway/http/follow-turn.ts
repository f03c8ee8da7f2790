// Follows a turn that a request has opened, to its end: as a stream of events, or for one answer. A request that is lost cancels its turn, as it has asked.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Caller } from '../../core/session/api.ts';
import { JoinedSession } from '../joined-session.ts';
import type { Outbox } from '../outbox.ts';
import { EventStream, wantsEvents } from './event-stream.ts';
import { HttpProblem, problemOfRuntime } from './problems.ts';
import type { HttpCall, HttpReply } from './route.ts';
import { TurnCollector } from './turn-answer.ts';
import { TurnFilter } from './turn-filter.ts';

/** What becomes of the turn when its request is lost. */
export interface DisconnectRule {
  readonly onDisconnect: 'cancel' | 'continue';
  /** How long another request with the same ref may go on from it, in milliseconds. */
  readonly graceMs: number;
}

export interface FollowedTurn extends DisconnectRule {
  readonly session: string;
  readonly turn: NodeId;
  /** The time of its `turn_opened`. */
  readonly openedAt: number;
  /** The reader has the facts up to this sequence number; 0: none. */
  readonly after: number;
  /** Who has opened it. */
  readonly by: Caller;
}

/** Replies with the events or the answer of a turn. Rejects with an `HttpProblem` if it cannot be followed. */
export function followTurn(followed: FollowedTurn, call: HttpCall): Promise<HttpReply> {
  const { turnStreams } = call.services;
  turnStreams.add(followed.turn);
  if (call.response.destroyed) {
    loseTurn(followed, call);
    return Promise.resolve(null);
  }
  return wantsEvents(call.request) ? streamTurn(followed, call) : answerTurn(followed, call);
}

async function streamTurn(followed: FollowedTurn, call: HttpCall): Promise<HttpReply> {
  const { turnStreams } = call.services;
  const stream = new EventStream(call, () => {
    join.leaveSession();
    loseTurn(followed, call);
  });
  stream.start();
  const join = joinTurn(followed, call, stream.outbox, (how, { code, message } = sessionHasEnded()) => {
    join.leaveSession();
    if (how === 'lost')
      stream.outbox.frame(JSON.stringify({ type: 'error', session: followed.session, code, message }));
    turnStreams.remove(followed.turn);
    void stream.endStream();
  });
  return null;
}

function answerTurn(followed: FollowedTurn, call: HttpCall): Promise<HttpReply> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpReply>();
  const { turnStreams } = call.services;
  const collector = new TurnCollector(followed.turn);
  let isOver = false;
  const finish = (how: 'ended' | 'lost' | 'gone', error?: HttpProblem) => {
    if (isOver) return;
    isOver = true;
    join.leaveSession();
    if (how === 'gone') loseTurn(followed, call);
    else turnStreams.remove(followed.turn);
    const { answer } = collector;
    if (how === 'ended' && answer) resolve({ status: 200, body: answer });
    else if (how === 'gone') resolve(null);
    else reject(error ?? sessionHasEnded());
  };
  call.response.on('close', () => finish('gone'));
  const join = joinTurn(followed, call, collector, finish);
  return promise;
}

const sessionHasEnded = () => new HttpProblem('unavailable', { message: 'The session has ended before the turn.' });

/** Joins the session from the opening of the turn on, and passes its frames on. */
export function joinTurn(
  { session, turn, openedAt, after }: FollowedTurn,
  {
    services: { runtime, report },
    caller: { connection, speaker, proof, door },
  }: Pick<HttpCall, 'services' | 'caller'>,
  to: Outbox,
  onOver: (how: 'ended' | 'lost', error?: HttpProblem) => void,
): { leaveSession(): void } {
  const outbox = new TurnFilter(turn, after, to, onOver);
  const errors = {
    sendError: (why: { readonly message: string }) => onOver('lost', problemOfRuntime(new Error(why.message))),
  };
  const join = { type: 'JOIN', ref: 'turn', session, after: openedAt - 1 } as const;
  const joined = new JoinedSession({ runtime, connection, speaker, proof, door, outbox, errors, report }, join, null, {
    onSessionOver() {},
  });
  // the rule of the request counts, not that of the session for lost connections
  return { leaveSession: () => void joined.abandon('left').catch(report) };
}

/** The request of the turn is lost: stops the turn, unless its rule says otherwise or another request follows it. */
export function loseTurn(
  { session, turn, by, onDisconnect, graceMs }: FollowedTurn,
  { services }: Pick<HttpCall, 'services'>,
): void {
  const { turnStreams, runtime, report } = services;
  if (onDisconnect === 'continue') return turnStreams.remove(turn);
  turnStreams.lose(turn, graceMs, () => {
    const reason = 'The request was closed by its client.';
    runtime.cancel(session, by, { target: turn, reason, source: 'disconnect' }).catch(report);
  });
}
