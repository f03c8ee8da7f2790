// Folds the facts of the speech of a voice session.
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import { newNode, type SessionSnapshot } from './snapshot.ts';
import { blockOf, changeTurn, endNode, putBlock } from './turn-changes.ts';

type SpeechFrame = ServerFrameOf<'speech_started' | 'speech_ended' | 'speech_cut'>;

/** Whether the frame is a fact of speech. */
export const isSpeechFrame = (frame: ServerFrame): frame is SpeechFrame =>
  frame.type === 'speech_started' || frame.type === 'speech_ended' || frame.type === 'speech_cut';

/** Returns the snapshot after a fact of speech. */
export function foldSpeech(snapshot: SessionSnapshot, frame: SpeechFrame): SessionSnapshot {
  if (frame.type === 'speech_started') return startSpeech(snapshot, frame);
  return frame.type === 'speech_ended' ? endNode(snapshot, frame) : cutSpeech(snapshot, frame);
}

function startSpeech(
  snapshot: SessionSnapshot,
  { speech: id, turn, owner, at = 0 }: ServerFrameOf<'speech_started'>,
): SessionSnapshot {
  const place = { id, kind: 'speech', name: null, owner, parent: null } as const;
  return changeTurn(snapshot, turn, (before) => ({
    ...before,
    speech: { ...newNode, ...place, state: 'running', since: at, startedAt: at },
  }));
}

function cutSpeech(snapshot: SessionSnapshot, { turn, heard }: ServerFrameOf<'speech_cut'>): SessionSnapshot {
  return heard.reduce((before, { index, offset }) => {
    const block = blockOf(before, turn, index);
    return block ? putBlock(before, turn, { ...block, heard: offset }) : before;
  }, snapshot);
}
