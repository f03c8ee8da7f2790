// Who is in a session: its connections, their speakers, and those who were lost a moment ago.
import type { Speaker, SpeakerId } from '../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import type { Caller, SessionListener } from './api.ts';

interface Place {
  readonly member: Caller;
  readonly listener: SessionListener;
}

export interface MembersOptions {
  readonly clock: Clock;
  readonly graceMs: number;
  /** A speaker's last connection has been lost, and none has come back within the grace. */
  onGone(speaker: Speaker): void;
}

export type Members = ReturnType<typeof createMembers>;

export function createMembers({ clock, graceMs, onGone }: MembersOptions) {
  const places = new Map<string, Place>();
  const lost = new Map<SpeakerId, Disarm>();
  /** Who was lost within the grace is still in the room. */
  const speakers = () => new Set([...[...places.values()].map(({ member }) => member.speaker.id), ...lost.keys()]);
  const isHere = (speaker: SpeakerId) => [...places.values()].some(({ member }) => member.speaker.id === speaker);

  return {
    join(member: Caller, listener: SessionListener): void {
      places.set(member.connection, { member, listener });
      lost.get(member.speaker.id)?.();
      lost.delete(member.speaker.id);
    },
    leave(connection: string, how: 'left' | 'lost'): void {
      const place = places.get(connection);
      if (!place) return;
      places.delete(connection);
      const { speaker } = place.member;
      if (how === 'left' || isHere(speaker.id)) return;
      const gone = () => {
        lost.delete(speaker.id);
        onGone(speaker);
      };
      lost.set(speaker.id, clock.after(graceMs, gone));
    },
    hears: (listener: SessionListener): boolean => [...places.values()].some((place) => place.listener === listener),
    listeners: (): readonly SessionListener[] => [...places.values()].map(({ listener }) => listener),
    speakers: (): readonly SpeakerId[] => [...speakers()],
    /** Different speakers in the room, `also` counted in. */
    participants: (also: SpeakerId | null): number => {
      const here = speakers();
      if (also !== null) here.add(also);
      return here.size;
    },
    get size() {
      return places.size + lost.size;
    },
    end(): void {
      for (const disarm of lost.values()) disarm();
      lost.clear();
      places.clear();
    },
  };
}
