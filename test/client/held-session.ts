// A joined session without a socket: it sends frames into an array, and receives frames from the test.
import { JoinedSession } from '../../src/client/joined-session.ts';
import type { JoinedSessionOptions } from '../../src/client/joined-session-options.ts';
import type { ClientFrame } from '../../src/wire/client-frames.ts';
import type { ServerFrame, ServerFrameOf } from '../../src/wire/server-frames.ts';

/** A session that joins at once. */
export function setUpSession(
  options: Pick<Partial<JoinedSessionOptions>, 'from' | 'clock' | 'createRef' | 'whileDisconnected'> = {},
) {
  const sent: ClientFrame[] = [];
  const emitted: ServerFrame[] = [];
  const retries: { readonly failures: number; readonly rejoin: () => void }[] = [];
  let count = 0;
  let ends = 0;
  let joinRef = '';
  const session = new JoinedSession({
    id: 's',
    from: options.from ?? null,
    createRef: options.createRef ?? (() => `r${count++}`),
    send(frame) {
      if (frame.type === 'JOIN') joinRef = frame.ref;
      sent.push(frame);
    },
    whileDisconnected: options.whileDisconnected,
    clock: options.clock,
    rejoinLater: (failures, rejoin) => retries.push({ failures, rejoin }),
    onEnd: () => ends++,
  });
  session.on('*', (frame) => emitted.push(frame));
  const held = {
    session,
    sent,
    emitted,
    retries,
    ends: () => ends,
    /** Returns the frames sent since the last call, by type and ref. */
    out: () => sent.splice(0).map((frame) => `${frame.type} ${'ref' in frame ? frame.ref : ''}`),
    joined: (seq: number, fields: Partial<ServerFrameOf<'joined'>> = {}) =>
      session.receive({
        type: 'joined',
        ref: joinRef,
        session: 's',
        kind: 'text',
        policy: 'anyone',
        seq,
        nodes: [],
        blocks: [],
        questions: [],
        ...fields,
      }),
    replayed: () => session.receive({ type: 'replayed', ref: joinRef, session: 's' }),
    breakOff() {
      session.disconnect();
      session.connect();
    },
  };
  return held;
}

export const openedFrame = (seq: number, ref: string, turn = 'turn_1'): ServerFrame => ({
  type: 'turn_opened',
  session: 's',
  seq,
  at: 0,
  turn,
  kind: 'say',
  owner: 'ann',
  lane: 'ann',
  text: 'words',
  ref,
});
export const acceptedCancel = (
  ref: string,
  fields: Partial<ServerFrameOf<'cancel_accepted'>> = {},
): ServerFrameOf<'cancel_accepted'> => ({
  type: 'cancel_accepted',
  session: 's',
  cancel: 'cancel_1',
  ref,
  source: 'client',
  by: 'ann',
  reason: null,
  target: 'turn_1',
  force: false,
  stopping: ['turn_1'],
  pending: [],
  refused: [],
  detached: [],
  ...fields,
});
export const settled = (
  ref: string,
  fields: Partial<ServerFrameOf<'cancel_settled'>> = {},
): ServerFrameOf<'cancel_settled'> => ({
  type: 'cancel_settled',
  session: 's',
  cancel: 'cancel_1',
  ref,
  cause: { source: 'client', by: 'ann', reason: null, target: 'turn_1' },
  nodes: [],
  ...fields,
});
