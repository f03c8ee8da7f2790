// The frame of the reply to a JOIN: the session as it is.
import { dropUndefined } from '../core/collections/fields.ts';
import type { Joined } from '../core/session/api.ts';
import type { JoinedFrame } from '../wire/server-frames.ts';

/** Returns the reply to a JOIN. `ref`: of the JOIN. */
export function joinedFrame(
  ref: string,
  { session, kind, policy, models, toolTimeouts, seq, nodes, blocks, questions, voice, tail }: Joined,
): JoinedFrame {
  return {
    type: 'joined',
    ref,
    session,
    kind,
    policy,
    seq,
    nodes: nodes.map(nodeOf),
    blocks: blocks.map(({ turn, index, offset, text }) => ({ turn, index, offset, text })),
    questions,
    ...(models && models.length > 0 && { models }),
    ...(toolTimeouts && toolTimeouts.size > 0 && { toolTimeouts: Object.fromEntries(toolTimeouts) }),
    ...dropUndefined({ voice, tail }),
  };
}

/** Returns an entry of the live tree as the frame has it. */
const nodeOf = ({
  node,
  kind,
  owner,
  parent,
  name,
  state,
  since,
  ageMs,
  waitedMs,
  acknowledges,
  waitsFor,
}: Joined['nodes'][number]): JoinedFrame['nodes'][number] => ({
  node,
  kind,
  owner,
  parent,
  name,
  state,
  since,
  ...dropUndefined({ ageMs, waitedMs, acknowledges, waitsFor }),
});
