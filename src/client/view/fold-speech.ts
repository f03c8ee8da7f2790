// Folds the facts of the speech of a voice session.
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import { newNode, type SessionSnapshot } from './snapshot.ts';
import { blockOf, changeTurn, endNode, putBlock } from './turn-changes.ts';

type SpeechFrame = ServerFrameOf<'speech_queued' | 'speech_started' | 'speech_ended' | 'speech_cut'>;

const speechTypes: ReadonlySet<string> = new Set<SpeechFrame['type']>([
  'speech_queued',
  'speech_started',
  'speech_ended',
  'speech_cut',
]);

/** Whether the frame is a fact of speech. */
export const isSpeechFrame = (frame: ServerFrame): frame is SpeechFrame => speechTypes.has(frame.type);

/** Returns the snapshot after a fact of speech. */
export function foldSpeech(snapshot: SessionSnapshot, frame: SpeechFrame): SessionSnapshot {
  if (frame.type === 'speech_queued' || frame.type === 'speech_started') return addSpeech(snapshot, frame);
  return frame.type === 'speech_ended' ? endNode(snapshot, frame) : cutSpeech(snapshot, frame);
}

/** Adds speech that waits for the floor, or has it. */
function addSpeech(
  snapshot: SessionSnapshot,
  { type, speech: id, turn, owner, at = 0 }: ServerFrameOf<'speech_queued' | 'speech_started'>,
): SessionSnapshot {
  const place = { id, kind: 'speech', name: null, owner, parent: null } as const;
  const progress =
    type === 'speech_queued'
      ? ({ state: 'waiting', startedAt: null } as const)
      : ({ state: 'running', startedAt: at } as const);
  return changeTurn(snapshot, turn, (before) => ({
    ...before,
    speech: { ...newNode, ...place, since: at, ...progress },
  }));
}

function cutSpeech(snapshot: SessionSnapshot, { turn, heard }: ServerFrameOf<'speech_cut'>): SessionSnapshot {
  return heard.reduce((before, { index, offset }) => {
    const block = blockOf(before, turn, index);
    return block ? putBlock(before, turn, { ...block, heard: offset }) : before;
  }, snapshot);
}
