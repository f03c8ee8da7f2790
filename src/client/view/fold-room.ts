// Folds who comes and goes, who becomes a member and who may stop what is another's into the room of a snapshot.
import type { ServerFrame, ServerFrameOf } from '../../wire/server-frames.ts';
import type { RoomSnapshot, SessionSnapshot } from './snapshot.ts';

const roomTypes = [
  'presence',
  'member_invited',
  'member_removed',
  'invite_created',
  'invite_revoked',
  'stop_delegated',
] as const;
type RoomFrame = ServerFrameOf<(typeof roomTypes)[number]>;

/** Whether a frame changes the room. */
export const isRoomFrame = (frame: ServerFrame): frame is RoomFrame => roomTypes.some((type) => type === frame.type);

/** Returns the snapshot after the frame; the same one where nothing is known of its room. */
export function foldRoom(snapshot: SessionSnapshot, frame: RoomFrame): SessionSnapshot {
  const { room } = snapshot;
  return room ? { ...snapshot, room: roomAfter(room, frame) } : snapshot;
}

function roomAfter(room: RoomSnapshot, frame: RoomFrame): RoomSnapshot {
  switch (frame.type) {
    case 'presence': {
      const others = room.present.filter((name) => name !== frame.speaker);
      return { ...room, present: frame.present ? [...others, frame.speaker] : others };
    }
    case 'member_invited': {
      const { speaker, role = 'member', invite } = frame;
      const others = room.members.filter((member) => member.speaker !== speaker);
      const invites = room.invites.filter((one) => one.invite !== invite);
      const held = { ...room, members: [...others, { speaker, role }], invites };
      return frame.role === 'member' ? withoutLinksOf(held, speaker) : held;
    }
    case 'member_removed': {
      const members = room.members.filter(({ speaker }) => speaker !== frame.speaker);
      return withoutLinksOf({ ...room, members }, frame.speaker);
    }
    case 'invite_created': {
      const { invite, role, until, by } = frame;
      const others = room.invites.filter((one) => one.invite !== invite);
      return { ...room, invites: [...others, { invite, role, until, by }] };
    }
    case 'invite_revoked':
      return { ...room, invites: room.invites.filter(({ invite }) => invite !== frame.invite) };
    default: {
      frame satisfies ServerFrameOf<'stop_delegated'>;
      const { by, to, target, until } = frame;
      const others = room.delegations.filter((one) => one.by !== by || one.to !== to || one.target !== target);
      return { ...room, delegations: [...others, { by, to, target, until }] };
    }
  }
}

/** A link ends with the right of who has made it. */
const withoutLinksOf = (room: RoomSnapshot, speaker: string): RoomSnapshot => ({
  ...room,
  invites: room.invites.filter(({ by }) => by !== speaker),
});
