// One connection: what comes from its peer goes through the limits and the codec into its machine; the machine's actions come out here.
import { type Actor, createActor } from 'xstate';
import type { connectionMachine, Known, Leaving } from '../../machines/connection.ts';
import type { Speaker } from '../../machines/vocabulary.ts';
import type { CommandFrame, JoinFrame, LeaveFrame, SessionFrame } from '../protocol/client-frames.ts';
import { type CloseName, closeCodes } from '../protocol/close-codes.ts';
import { decodeClientFrame, encodeFrame } from '../protocol/codec.ts';
import { type FrameErrorCode, type FrameProblem, problem } from '../protocol/errors.ts';
import { subprotocol } from '../protocol/frame-limits.ts';
import type { Runtime } from '../session/api.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import { type GatewayLimits, toldLimits } from './gateway-limits.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createMembership, type Membership } from './membership.ts';
import { createOutbox } from './outbox.ts';
import type { Peer, PeerListener } from './peer.ts';
import { createBucket } from './token-bucket.ts';

export interface ConnectionOptions {
  readonly id: string;
  readonly peer: Peer;
  /** The token of the upgrade. */
  readonly token: string | null;
  readonly machine: typeof connectionMachine;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  /** Whether the speaker may have one more connection. */
  hasRoomFor(speaker: Speaker): boolean;
  /** The socket is gone, and its sessions have been left. */
  closed(): void;
  report(error: unknown): void;
}

/** What the machine's actions do. */
export interface Connection extends PeerListener {
  readonly speaker: Speaker | null;
  readonly upgradeToken: string | null;
  welcome(known: Known): void;
  hold(frame: CommandFrame): void;
  take(frame: CommandFrame): void;
  refuse(code: FrameErrorCode, ref: string | null): void;
  leaveAll(how: Leaving): void;
  close(because: CloseName): void;
  cut(): void;
  /** From outside: closes it in the way of its machine. */
  ask(because: CloseName): void;
}

/** The longest timer that Node takes; what expires later is looked at again then. */
const maxTimerMs = 2_147_483_647;

export function createConnection(options: ConnectionOptions): Connection {
  const { id, peer, clock, limits, runtime, report } = options;
  const actor: Actor<typeof connectionMachine> = createActor(options.machine, { input: { id } });
  const outbox = createOutbox(peer, limits, {
    overflow: () => ask('slow_reader'),
    progress: () => heartbeat.sign(),
  });
  const frameRate = createBucket(clock, { perSecond: limits.framesPerSecond, burst: limits.frameBurst });
  const cancelRate = createBucket(clock, { perSecond: limits.cancelsPerSecond, burst: limits.cancelBurst });
  const patience = createBucket(clock, { perSecond: limits.errorsPerSecond, burst: limits.errorBurst });
  const memberships = new Map<string, Membership>();
  const leaving = new Map<string, Promise<void>>();
  const held: CommandFrame[] = [];
  let unanswered = 0;
  let speaker: Speaker | null = null;
  let disarmExpiry: Disarm = () => {};
  let disarmDeadline: Disarm = clock.after(limits.helloMs, overdue);
  const heartbeat = startHeartbeat(clock, limits.heartbeatMs, {
    ping: () => peer.ping(),
    lost: () => ask('heartbeat_lost'),
  });

  function overdue(): void {
    actor.send({ type: 'OVERDUE' });
  }

  function ask(because: CloseName): void {
    actor.send({ type: 'CLOSE', because });
  }

  // -- errors: each costs patience, and the last one names the close

  function fail(
    why: FrameProblem,
    about: { readonly ref?: string | undefined; readonly session?: string | undefined } = {},
  ): void {
    if (why.code !== 'unavailable' && !patience.take()) {
      return ask(why.code === 'rate_limited' ? 'flood' : 'too_many_errors');
    }
    const { ref, session } = about;
    outbox.frame(
      encodeFrame({
        type: 'error',
        ...(ref !== undefined && { ref }),
        ...(session !== undefined && { session }),
        ...why,
      }),
    );
  }

  // -- from the peer

  function message(text: string | null, bytes: number): void {
    heartbeat.sign();
    if (actor.getSnapshot().matches('closing')) return; // ignored by law, and not worth the parsing
    const hasRate = frameRate.take();
    if (text === null) return fail(hasRate ? problem('not_text') : rateLimited());
    if (bytes > limits.frameBytes) {
      const message = `The frame has ${bytes} bytes; it may have ${limits.frameBytes}.`;
      return fail(problem('frame_too_large', { message, limit: limits.frameBytes }));
    }
    const decoded = decodeClientFrame(text);
    const isCancel = decoded.ok && decoded.frame.type === 'CANCEL';
    // past the rate a CANCEL has a rate of its own
    const about = decoded.ok ? (decoded.frame.type === 'HELLO' ? {} : decoded.frame) : decoded;
    if (!hasRate && !(isCancel && cancelRate.take())) return fail(rateLimited(), about);
    if (!decoded.ok) return fail(decoded.problem, about);
    actor.send(decoded.frame);
  }

  const rateLimited = () => problem('rate_limited', { limit: limits.framesPerSecond });

  // -- commands

  function take(frame: CommandFrame): void {
    if (frame.type !== 'CANCEL' && unanswered >= limits.unanswered) {
      return fail(problem('too_many_unanswered', { limit: limits.unanswered }), frame);
    }
    if ('as' in frame && frame.as !== undefined && !speaker?.roles.includes('bridge')) {
      return fail(problem('as_not_allowed', { field: 'as' }), frame);
    }
    if (frame.type === 'PING') return outbox.frame(encodeFrame({ type: 'pong', ref: frame.ref }));
    if (frame.type === 'JOIN') return joinSession(frame);
    const place = placeOf(frame);
    if (!place) return;
    const [session, membership] = place;
    switch (frame.type) {
      case 'CANCEL':
        return void membership.cancel(frame);
      case 'SAY':
        return count(membership.say(frame));
      case 'LEAVE':
        return leaveSession(session, membership, frame);
      default:
        return count(membership.answer(frame));
    }
  }

  function leaveSession(session: string, membership: Membership, frame: LeaveFrame): void {
    memberships.delete(session);
    const left = membership.leave(frame).then(() => {
      if (leaving.get(session) === left) leaving.delete(session);
    });
    leaving.set(session, left);
    count(left);
  }

  function count(answered: Promise<void>): void {
    unanswered += 1;
    answered.then(() => {
      unanswered -= 1;
    }, report);
  }

  /** The session that a frame is for, or an error. */
  function placeOf(frame: SessionFrame): readonly [string, Membership] | null {
    if (frame.session === undefined && memberships.size > 1) {
      fail(problem('session_required', { field: 'session' }), frame);
      return null;
    }
    const session = frame.session ?? memberships.keys().next().value;
    const membership = session === undefined ? undefined : memberships.get(session);
    if (session !== undefined && membership) return [session, membership];
    fail(problem('not_joined', { field: 'session' }), frame);
    return null;
  }

  function joinSession(frame: JoinFrame): void {
    const { session } = frame;
    if (!speaker) return;
    if (memberships.has(session)) return fail(problem('already_joined', { field: 'session' }), frame);
    if (memberships.size >= limits.sessions)
      return fail(problem('too_many_sessions', { limit: limits.sessions }), frame);
    const membership = createMembership({
      runtime,
      connection: id,
      speaker,
      join: frame,
      outbox,
      after: leaving.get(session) ?? Promise.resolve(),
      refuse: ({ ref }, why) => fail(why, { ref, session }),
      over(because) {
        if (memberships.get(session) === membership) memberships.delete(session);
        if (because !== null && memberships.size === 0) ask(because);
      },
      report,
    });
    memberships.set(session, membership);
    count(membership.answered);
  }

  // -- actions of the machine

  const connection: Connection = {
    message,
    pong: () => heartbeat.sign(),
    gone(how) {
      heartbeat.stop();
      disarmDeadline();
      disarmExpiry();
      outbox.close();
      if (actor.getSnapshot().status === 'active') return actor.send({ type: 'GONE', how });
      connection.leaveAll(how); // its machine threw
      options.closed();
    },
    get speaker() {
      return speaker;
    },
    upgradeToken: options.token,

    welcome(known) {
      if (!options.hasRoomFor(known.speaker)) return ask('too_many_connections');
      speaker = known.speaker;
      disarmDeadline();
      armExpiry(known.expiresAt);
      const { id: name, roles } = known.speaker;
      const told = { protocol: subprotocol, connection: id, speaker: name, roles, limits: toldLimits(limits) } as const;
      outbox.frame(encodeFrame({ type: 'welcome', ...told }));
      for (const frame of held.splice(0)) actor.send(frame);
    },

    hold(frame) {
      if (held.length >= limits.unanswered) {
        return fail(problem('too_many_unanswered', { limit: limits.unanswered }), frame);
      }
      held.push(frame);
    },
    take,
    refuse: (code, ref) => fail(problem(code), ref === null ? {} : { ref }),

    leaveAll(how) {
      for (const membership of memberships.values()) membership.end(how).catch(report);
      memberships.clear();
    },

    close(because) {
      heartbeat.stop();
      disarmExpiry();
      disarmDeadline();
      disarmDeadline = clock.after(limits.closeMs, overdue);
      outbox.close();
      peer.close(closeCodes[because].code, because);
    },
    cut: () => peer.cut(),
    ask,
  };

  function armExpiry(at: number | null): void {
    if (at === null) return;
    const left = at - clock.now();
    if (left <= 0) return ask('token_expired');
    disarmExpiry = clock.after(Math.min(left, maxTimerMs), () => armExpiry(at));
  }

  actor.subscribe({
    complete: options.closed,
    error(error) {
      report(error);
      peer.cut(); // its machine threw: nothing of it can be trusted
    },
  });
  actor.start();
  return connection;
}
