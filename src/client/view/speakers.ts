// Speakers of a session, in the order in which frames have named them.
import type { SessionSnapshot } from './snapshot.ts';

const maxSpeakers = 1_000;

/** Adds a speaker whom a frame has named. Null adds nobody. */
export function addSpeaker(snapshot: SessionSnapshot, speaker: string | null): SessionSnapshot {
  const { speakers } = snapshot;
  if (speaker === null || speakers.includes(speaker) || speakers.length >= maxSpeakers) return snapshot;
  return { ...snapshot, speakers: [...speakers, speaker] };
}
