// Follows a turn that a request has opened, to its end: as a stream of events, or for one answer. A request that is lost cancels its turn, as it has asked.
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Caller } from '../../core/session/api.ts';
import { JoinedSession } from '../joined-session.ts';
import { EventStream, wantsEvents } from './event-stream.ts';
import type { HttpServices } from './http-services.ts';
import { HttpProblem, problemOfRuntime } from './problems.ts';
import type { HttpCall, HttpReply } from './route.ts';
import { TurnCollector } from './turn-answer.ts';
import { TurnFilter, type TurnReader } from './turn-filter.ts';

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

/** What follows a turn to its end: a request, whose reader may be gone before. */
export interface TurnFollower {
  readonly services: Pick<HttpServices, 'runtime' | 'report' | 'turnStreams'>;
  readonly caller: Caller;
  readonly response: { readonly destroyed: boolean; on(event: 'close', listener: () => void): unknown };
}

/** How the following of a turn has ended: with the turn, by the end of its request, because its reader pauses, or with its session. */
export type TurnOver =
  | { readonly how: 'ended' | 'gone' | 'paused' }
  | { readonly how: 'lost'; readonly problem: HttpProblem };

/** Replies with the events or the answer of a turn. Rejects with an `HttpProblem` if it cannot be followed. */
export function followTurn(followed: FollowedTurn, call: HttpCall): Promise<HttpReply> {
  return wantsEvents(call.request) ? streamTurn(followed, call) : answerTurn(followed, call);
}

/** Counts the request as one that follows the turn. Returns false if it is lost already. */
function startFollowing(followed: FollowedTurn, call: TurnFollower): boolean {
  call.services.turnStreams.add(followed.turn);
  if (!call.response.destroyed) return true;
  loseTurn(followed, call);
  return false;
}

async function streamTurn(followed: FollowedTurn, call: HttpCall): Promise<HttpReply> {
  if (!startFollowing(followed, call)) return null;
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

async function answerTurn(followed: FollowedTurn, call: HttpCall): Promise<HttpReply> {
  const collector = new TurnCollector(followed.turn);
  const over = await followToEnd(followed, call, collector);
  if (over.how === 'gone') return null;
  if (over.how === 'lost') throw over.problem;
  if (!collector.answer) throw sessionHasEnded();
  return { status: 200, body: collector.answer };
}

/** Passes on the frames of a turn until it is over, or the reader pauses: the turn then goes on without it. Resolves once. */
export function followToEnd(
  followed: FollowedTurn,
  call: TurnFollower,
  outbox: TurnReader,
  paused?: Promise<void>,
): Promise<TurnOver> {
  if (!startFollowing(followed, call)) return Promise.resolve({ how: 'gone' });
  const { promise, resolve } = Promise.withResolvers<TurnOver>();
  let isOver = false;
  let joined: ReturnType<typeof joinTurn> | null = null;
  const finish = (over: TurnOver) => {
    if (isOver) return;
    isOver = true;
    joined?.leaveSession();
    if (over.how === 'gone') loseTurn(followed, call);
    else call.services.turnStreams.remove(followed.turn);
    resolve(over);
  };
  call.response.on('close', () => finish({ how: 'gone' }));
  void paused?.then(() => finish({ how: 'paused' }));
  joined = joinTurn(followed, call, outbox, (how, problem = sessionHasEnded()) =>
    finish(how === 'ended' ? { how } : { how, problem }),
  );
  return promise;
}

/** Passes on the frames of a turn whose request nobody waits for any more, until it is over. */
export function followUnread(followed: FollowedTurn, call: TurnFollower, outbox: TurnReader): void {
  const joined = joinTurn(followed, call, outbox, () => joined.leaveSession());
}

const sessionHasEnded = () => new HttpProblem('unavailable', { message: 'The session has ended before the turn.' });

/** Joins the session from the opening of the turn on, and passes its frames on. */
function joinTurn(
  { session, turn, openedAt, after }: FollowedTurn,
  {
    services: { runtime, report },
    caller: { connection, speaker, proof, door },
  }: Pick<TurnFollower, 'services' | 'caller'>,
  to: TurnReader,
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
function loseTurn(
  { session, turn, by, onDisconnect, graceMs }: FollowedTurn,
  { services }: Pick<TurnFollower, 'services'>,
): void {
  const { turnStreams, runtime, report } = services;
  if (onDisconnect === 'continue') return turnStreams.remove(turn);
  turnStreams.lose(turn, graceMs, () => {
    const reason = 'The request was closed by its client.';
    runtime.cancel(session, by, { target: turn, reason, source: 'disconnect' }).catch(report);
  });
}
