// The frames of what a session publishes: its facts, and the pieces of text and output that come before them.
import type { ContentPart } from '../../machines/content.ts';
import type {
  CancelAccepted,
  CancelSettled,
  Fact,
  InputDeferred,
  RecordedFact,
  SequencedFact,
  ToolResult,
  TurnOpened,
} from '../../machines/facts.ts';
import type { OutputDelta, TextDelta, ToolWaiting } from '../../machines/live-view.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { Joined } from '../core/session/api.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import { maxFrameOutputChars } from '../wire/frame-limits.ts';
import type { JoinedFrame, TextDeltaFrame, ToolOutputFrame, ToolWaitingFrame } from '../wire/server-frames.ts';
import { withheldFacts } from '../wire/withheld-facts.ts';

const withheld: ReadonlySet<string> = new Set(withheldFacts);

/** Returns the frame of a fact; null for a fact that is withheld. */
export function factFrame(session: string, { seq, fact }: SequencedFact): FactFrame | null {
  if (withheld.has(fact.type)) return null;
  const { type, ...fields } = fact.type === 'tool_result' || 'output' in fact ? cutEnd(fact) : fact;
  return { type, session, seq, ...fields } as FactFrame; // the spread forgets which fields belong to which type
}

/** Returns the end of a call with output and texts of parts within the limit of a frame; `omitted` counts all missing characters of the output. */
function cutEnd<End extends Extract<RecordedFact, { readonly output?: string }>>(end: End): End {
  const { output = '' } = end;
  const { omitted = 0, parts } = end as Partial<ToolResult>; // the other ends have neither
  const excess = output.length - maxFrameOutputChars;
  let left = maxFrameOutputChars;
  const cut = parts?.map((part): ContentPart => {
    if (part.type !== 'text') return part;
    const text = part.text.slice(0, left);
    left -= text.length;
    return { type: 'text', text };
  });
  return {
    ...end,
    ...(excess > 0 && { output: output.slice(0, maxFrameOutputChars), omitted: omitted + excess }),
    ...(cut && { parts: cut }),
  };
}

/** Returns the reply to a JOIN. `ref`: of the JOIN. */
export function joinedFrame(
  ref: string,
  { session, kind, policy, models, toolTimeouts, seq, nodes, blocks, questions, voice, room, tail }: Joined,
): JoinedFrame {
  return {
    type: 'joined',
    ref,
    session,
    kind,
    policy,
    seq,
    nodes,
    blocks: blocks.map(({ turn, index, offset, text }) => ({ turn, index, offset, text })),
    questions,
    ...(models && models.length > 0 && { models }),
    ...(toolTimeouts && toolTimeouts.size > 0 && { toolTimeouts: Object.fromEntries(toolTimeouts) }),
    ...dropUndefined({ voice, room, tail }),
  };
}

/** Returns the frame of a piece of text. */
export function textFrame(session: string, { turn, index, offset, text }: TextDelta): TextDeltaFrame {
  return { type: 'text_delta', session, turn, index, offset, text };
}

/** Returns the frame of a piece of a call's output. */
export function outputFrame(session: string, { node, text }: OutputDelta): ToolOutputFrame {
  return { type: 'tool_output', session, node, text };
}

/** Returns the frame of a call that waits for another one. */
export function waitingFrame(session: string, { node, waitsFor, elapsedMs }: ToolWaiting): ToolWaitingFrame {
  return { type: 'tool_waiting', session, node, waitsFor, elapsedMs };
}

/** Returns the frame of an acceptance before its commit. */
export function acceptedFrame(session: string, receipt: CancelAccepted): FactFrame {
  return { session, ...receipt, durable: false };
}

/** Returns a fact without the time of its append: one that answers a repeat has none. */
export function withoutTime<F extends Fact>(fact: F): F {
  const { at: _, ...rest }: F & { readonly at?: number } = fact;
  return rest as F; // without a field that no fact has
}

/** Returns the frame of a fact that is the reply to a repeated command. */
export const repeatedFrame = <F extends TurnOpened | InputDeferred | CancelAccepted | CancelSettled>(
  session: string,
  fact: F,
) => ({
  session,
  ...withoutTime(fact),
  repeated: true as const,
});
