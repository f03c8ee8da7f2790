// The frames of what a session publishes: its facts, and the pieces of text and output that come before them.
import type { ContentPart } from '../../machines/content.ts';
import type { CancelAccepted, RecordedFact, SequencedFact, ToolResult } from '../../machines/facts.ts';
import type { ModelPreview, OutputDelta, TextDelta, ToolWaiting } from '../../machines/live-view.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { FactFrame } from '../wire/fact-frames.ts';
import { maxFrameOutputChars } from '../wire/frame-limits.ts';
import type { ModelPreviewFrame, TextDeltaFrame, ToolOutputFrame, ToolWaitingFrame } from '../wire/server-frames.ts';
import { withheldFacts } from '../wire/withheld-facts.ts';

/**
 * Returns a function that makes something of an event once for all its listeners, which receive it one after the other: it keeps what it has made of the
 * last one.
 */
function onceForAll<Event extends object, Made>(
  make: (session: string, event: Event) => Made,
): (session: string, event: Event) => Made {
  let last: { readonly session: string; readonly event: Event; readonly made: Made } | null = null;
  return (session, event) => {
    if (last?.event !== event || last.session !== session) last = { session, event, made: make(session, event) };
    return last.made;
  };
}

const withheld: ReadonlySet<string> = new Set(withheldFacts);

/** Returns the frame of a fact; null for a fact that is withheld. */
export function factFrame(session: string, { seq, fact }: SequencedFact): FactFrame | null {
  if (withheld.has(fact.type)) return null;
  const { type, ...fields } = fact.type === 'tool_result' || 'output' in fact ? cutEnd(fact) : fact;
  return { type, session, seq, ...fields } as FactFrame; // the spread forgets which fields belong to which type
}

/** Returns the frame of a fact as text; null for a fact that is withheld. */
export const encodeFact = onceForAll((session, event: SequencedFact) => {
  const frame = factFrame(session, event);
  return frame && encodeFrame(frame);
});

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

/** Returns the frame of a piece of text. */
export const textFrame = onceForAll(
  (session, { turn, index, offset, text }: TextDelta): TextDeltaFrame => ({
    type: 'text_delta',
    session,
    turn,
    index,
    offset,
    text,
  }),
);

/** Returns the frame of a piece of a call's output. */
export const outputFrame = onceForAll(
  (session, { node, text }: OutputDelta): ToolOutputFrame => ({ type: 'tool_output', session, node, text }),
);

/** Returns the frame of what a model call streams beside its text. */
export const previewFrame = onceForAll(
  (session, preview: ModelPreview): ModelPreviewFrame => ({ session, ...preview }),
);

const encodeOnce = onceForAll((_, frame: LiveFrame) => encodeFrame(frame));

type LiveFrame = TextDeltaFrame | ToolOutputFrame | ModelPreviewFrame;

/** Returns a frame that all listeners share as text. */
export const encodeLive = (frame: LiveFrame): string => encodeOnce(frame.session, frame);

/** Returns the frame of a call that waits for another one. */
export function waitingFrame(session: string, { node, waitsFor, elapsedMs }: ToolWaiting): ToolWaitingFrame {
  return { type: 'tool_waiting', session, node, waitsFor, elapsedMs };
}

/** Returns the frame of an acceptance before its commit. */
export function acceptedFrame(session: string, receipt: CancelAccepted): FactFrame {
  return { session, ...receipt, durable: false };
}
