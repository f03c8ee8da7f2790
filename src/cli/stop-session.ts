// Sends one CANCEL of `belay stop`, and waits for its receipt.
import type { Client } from '../client/client.ts';
import { CommandRefused } from '../client/errors.ts';
import type { ServerFrame, ServerFrameOf } from '../protocol/server-frames.ts';
import { type CancelReport, cancelsOf } from '../reports/cancel-report.ts';
import { errorText } from '../text/error-text.ts';
import type { StopTarget } from './stop-targets.ts';

export interface StopOptions {
  readonly reason: string | undefined;
  readonly force: boolean;
}

/** What became of a CANCEL. */
export type StopResult = StopTarget &
  (
    | { readonly result: 'stopped' | 'refused'; readonly report: CancelReport }
    /** It was accepted, and has not settled while the command waited. */
    | { readonly result: 'stopping'; readonly report: CancelReport }
    | { readonly result: 'nothing_runs' }
    /** The gateway did not take the CANCEL. `code`: from docs/errors.md. */
    | { readonly result: 'failed'; readonly code: string | null; readonly message: string }
  );

export interface StopConnection {
  readonly client: Client;
  /** The socket of the client: a command of a session that the client has not joined is sent over it. */
  readonly socket: WebSocket;
  /** Resolves when the command waits no more. */
  readonly timeIsUp: Promise<'late'>;
}

type Accepted = ServerFrameOf<'cancel_accepted'>;
type Settled = ServerFrameOf<'cancel_settled'>;
type Refused = ServerFrameOf<'cancel_refused'>;

/** Stops a session or a node. An `emergency` also stops where it may not read. Never rejects. */
export async function stopTarget(
  connection: StopConnection,
  target: StopTarget,
  options: StopOptions,
): Promise<StopResult> {
  const result = await stopAsMember(connection, target, options);
  const isKeptOut = result.result === 'failed' && result.code === 'access_denied';
  return isKeptOut && connection.client.roles.includes('emergency')
    ? stopFromOutside(connection, target, options)
    : result;
}

async function stopAsMember(
  { client, timeIsUp }: StopConnection,
  target: StopTarget,
  options: StopOptions,
): Promise<StopResult> {
  const session = client.session(target.session);
  try {
    await Promise.race([session.joined, timeIsUp]);
    const handle = session.cancel(target.target, options);
    const reply = await Promise.race([handle.accepted, timeIsUp]);
    if (reply === 'late') return failure(target, new Error('The gateway has not replied in time.'));
    if (reply.type === 'cancel_refused') return { ...target, result: 'refused', report: reportOf([reply]) };
    if (reply.type !== 'cancel_accepted') return { ...target, result: 'nothing_runs' };
    const settled = await Promise.race([handle.settled, timeIsUp]);
    if (settled === 'late' || settled === null) return { ...target, result: 'stopping', report: reportOf([reply]) };
    return { ...target, result: 'stopped', report: reportOf([reply, settled]) };
  } catch (error) {
    return failure(target, error);
  } finally {
    void session.leave().catch(() => {}); // the connection may be gone, and with it the membership
  }
}

/** An `emergency` may send a CANCEL to a session that it has not joined. */
async function stopFromOutside(
  { socket, timeIsUp }: StopConnection,
  { session, target }: StopTarget,
  { reason, force }: StopOptions,
): Promise<StopResult> {
  const about = { session, target };
  const ref = `stop-${session}-${target}`.replace(/[^\x21-\x7e]/g, '_').slice(-128);
  const replied = Promise.withResolvers<StopResult>();
  let accepted: Accepted | null = null;
  const receive = ({ data }: MessageEvent) => {
    const frame: ServerFrame = JSON.parse(String(data)); // the client has checked it before
    if (!('ref' in frame) || frame.ref !== ref) return;
    if (frame.type === 'cancel_accepted') accepted = frame;
    else if (frame.type === 'cancel_settled' && accepted)
      replied.resolve({ ...about, result: 'stopped', report: reportOf([accepted, frame]) });
    else if (frame.type === 'cancel_refused')
      replied.resolve({ ...about, result: 'refused', report: reportOf([frame]) });
    else if (frame.type === 'error') replied.resolve(failure(about, new CommandRefused(frame)));
    else replied.resolve({ ...about, result: 'nothing_runs' });
  };
  socket.addEventListener('message', receive);
  socket.send(JSON.stringify({ type: 'CANCEL', ref, session, target, reason, force }));
  const result = await Promise.race([replied.promise, timeIsUp]);
  socket.removeEventListener('message', receive);
  if (result !== 'late') return result;
  if (accepted) return { ...about, result: 'stopping', report: reportOf([accepted]) };
  return failure(about, new Error('The gateway has not replied in time.'));
}

const failure = (target: StopTarget, error: unknown): StopResult => ({
  ...target,
  result: 'failed',
  code: error instanceof CommandRefused ? error.code : null,
  message: errorText(error),
});

/** The report of a receipt that has only its frames: they are facts, with the time of their commit. */
function reportOf(frames: readonly (Accepted | Settled | Refused)[]): CancelReport {
  const [report] = cancelsOf(frames.map((frame) => ({ seq: frame.seq ?? 0, fact: { ...frame, at: frame.at ?? 0 } })));
  if (!report) throw new Error('A receipt has no acceptance.');
  return report;
}
