// Compares the frames that a client has received of a session with the log.
import { expect } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import type { ConnectingClient } from '../../src/client/client.ts';
import type { ClientSession } from '../../src/client/joined-session.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import type { ServerFrame, TextDelta } from '../../src/wire/server-frames.ts';
import { withheldFacts } from '../../src/wire/withheld-facts.ts';

/** A session as one client has received it. */
export interface View {
  readonly who: 'ann' | 'bob';
  /** The sequence number that it has joined with. */
  readonly after: 0 | null;
  readonly client: ConnectingClient;
  readonly session: ClientSession;
  readonly frames: ServerFrame[];
}

const isFact = (frame: ServerFrame) => 'seq' in frame && frame.seq !== undefined && frame.type !== 'joined';
/** Returns the sequence numbers of the facts among the frames. */
export const seqsOf = (frames: readonly ServerFrame[]) =>
  frames.filter(isFact).map((frame) => ('seq' in frame ? Number(frame.seq) : 0));

/** Resolves with the facts of the log that clients receive. */
export async function truthOf(log: Log, session: string): Promise<readonly { seq: number; fact: RecordedFact }[]> {
  const events = await log.read(session, 0);
  return events
    .map(({ seq, body }) => ({ seq, fact: body as RecordedFact }))
    .filter(({ fact }) => !(withheldFacts as readonly string[]).includes(fact.type));
}

/** Expects that each delta continues the text before it, and that the whole is the block's text. */
export function judgeTexts(frames: readonly ServerFrame[], about: string, known: readonly TextDelta[] = []): void {
  const received = new Map(known.map(({ turn, index, text }) => [`${turn} ${index}`, text]));
  for (const frame of frames) {
    if (frame.type !== 'text_delta' && frame.type !== 'model_ended') continue;
    const key = `${frame.turn} ${frame.index}`;
    const before = received.get(key) ?? '';
    if (frame.type === 'text_delta') {
      expect(frame.offset, `${about}: a gap or a repetition in ${key}`).toBe(before.length);
      received.set(key, before + frame.text);
    } else if (frame.outcome === 'cancelled') {
      expect(
        frame.text.startsWith(before),
        `${about}: ${key} was cancelled at "${frame.text}", received "${before}"`,
      ).toBe(true);
    } else expect(before, `${about}: ${key}`).toBe(frame.text);
  }
}

/** Expects that a view has received the whole session, once and in order. */
export function judgeView(
  { after, frames }: View,
  truth: readonly { seq: number; fact: RecordedFact }[],
  about: string,
): void {
  const seqs = seqsOf(frames);
  const [joined] = frames.flatMap((frame) => (frame.type === 'joined' ? [frame] : []));
  // an acceptance that arrived before its commit is not emitted again
  const early = frames.flatMap((frame) => (frame.type === 'cancel_accepted' && !isFact(frame) ? [frame.cancel] : []));
  const known = truth
    .filter(({ seq }) => after !== null || seq > (joined?.seq ?? 0))
    .filter(({ fact }) => fact.type !== 'cancel_accepted' || !early.includes(fact.cancel))
    .map(({ seq }) => seq);
  expect(seqs, `${about}: all facts since it has joined, once and in order`).toEqual(known);
  judgeTexts(frames, about, after === null ? joined?.blocks : []);
  const joins = frames.flatMap((frame) => (frame.type === 'joined' ? [frame.ref] : []));
  expect(joins, `${about}: joins, once`).toEqual([...new Set(joins)]);
  const receipts = frames.flatMap((frame) =>
    frame.type === 'cancel_accepted' || frame.type === 'cancel_settled' ? [`${frame.type} ${frame.cancel}`] : [],
  );
  expect(receipts, `${about}: receipts, once`).toEqual([...new Set(receipts)]);
  expect(
    frames.filter(({ type }) => type === 'error'),
    `${about}: errors`,
  ).toEqual([]);
}
