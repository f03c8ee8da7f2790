// The room of a session: who is here, who is a member and with which role, who may stop what is mine, invite links, and what was used.
import { type FormEvent, useState } from 'react';
import type { RoomSnapshot, SessionSnapshot } from '../../client/view/snapshot.ts';
import { inviteHref } from '../../wire/invite-href.ts';
import { useConnection } from '../page-state/connection-context.ts';
import { dateText } from '../page-state/time-text.ts';
import { CopyButton } from './copy-button.tsx';
import { useSession } from './session-context.ts';
import { SpeakerName } from './speaker-name.tsx';
import { Used } from './used-work.tsx';

const hourMs = 3_600_000;
const linkTimes = [
  { name: '1 hour', ms: hourMs },
  { name: '1 day', ms: 24 * hourMs },
  { name: '7 days', ms: 168 * hourMs },
] as const;

type Role = 'member' | 'moderator';

/** A line with who is here, which opens to all of the room. At a gateway that does not say who is there it renders nothing. */
export function RoomPanel({ snapshot }: { readonly snapshot: SessionSnapshot }) {
  const { speaker } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const { room } = snapshot;
  if (room === null || speaker === null) return null;
  return (
    <details className="room" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span className="room-title">Room</span>
        <span className="visually-hidden">: who is here</span>
        <span className="room-present">
          {room.present.map((name) => (
            <SpeakerName key={name} name={name} isYou={name === speaker} />
          ))}
        </span>
      </summary>
      <section className="room-body" aria-label="Room">
        <RoomBody room={room} speaker={speaker} />
        <Used snapshot={snapshot} isOpen={isOpen} />
      </section>
    </details>
  );
}

interface RoomProps {
  readonly room: RoomSnapshot;
  readonly speaker: string;
}

/** Runs a command of the room, and keeps why the last one was refused. */
function useRoomCommand(): readonly [string | null, (command: () => Promise<unknown>) => void] {
  const [problem, setProblem] = useState<string | null>(null);
  const run = (command: () => Promise<unknown>) =>
    void command().then(
      () => setProblem(null),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  return [problem, run];
}

function RoomBody({ room, speaker }: RoomProps) {
  const { isModerator } = useSession();
  const { gatewayTime } = useConnection();
  const [problem, run] = useRoomCommand();
  const now = gatewayTime.now();
  const openLinks = room.invites.filter(({ until }) => now === null || until > now);
  const mayManage =
    isModerator ||
    room.owner === speaker ||
    room.members.some((member) => member.speaker === speaker && member.role === 'moderator');
  return (
    <>
      <People room={room} speaker={speaker} mayManage={mayManage} run={run} />
      {mayManage && <InviteByName run={run} />}
      {mayManage && <InviteByLink openLinks={openLinks} run={run} />}
      {openLinks.length > 0 && <OpenLinks openLinks={openLinks} mayManage={mayManage} run={run} />}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

interface Managed {
  readonly mayManage: boolean;
  readonly run: (command: () => Promise<unknown>) => void;
}

function People({ room, speaker, mayManage, run }: RoomProps & Managed) {
  const names = new Set([
    ...(room.owner === null ? [] : [room.owner]),
    ...room.members.map((member) => member.speaker),
    ...room.present,
  ]);
  return (
    <ul className="people" aria-label="People of this session">
      {[...names].map((name) => (
        <Person key={name} name={name} room={room} speaker={speaker} mayManage={mayManage} run={run} />
      ))}
    </ul>
  );
}

function Person({ name, room, speaker, mayManage, run }: RoomProps & Managed & { readonly name: string }) {
  const { opened } = useSession();
  const member = room.members.find((one) => one.speaker === name);
  const isOwner = room.owner === name;
  const isHere = room.present.includes(name);
  const words = [
    ...(isOwner ? ['owner'] : []),
    ...(member?.role === 'moderator' ? ['moderator'] : member && !isOwner ? ['member'] : []),
    isHere ? 'here' : 'away',
  ];
  return (
    <li>
      <SpeakerName name={name} isYou={name === speaker} />
      <span className="soft">{words.join(', ')}</span>
      <span className="person-actions">
        {name !== speaker && <Delegation name={name} room={room} speaker={speaker} run={run} />}
        {mayManage && member && (
          <button
            type="button"
            className="button button-small"
            onClick={() =>
              run(() => opened.session.invite(name, { role: member.role === 'moderator' ? 'member' : 'moderator' }))
            }
          >
            {member.role === 'moderator' ? 'Make a member' : 'Make a moderator'}
            <span className="visually-hidden"> of {name}</span>
          </button>
        )}
        {mayManage && member && !isOwner && (
          <button type="button" className="button button-small" onClick={() => run(() => opened.session.remove(name))}>
            Remove<span className="visually-hidden"> {name}</span>
          </button>
        )}
      </span>
    </li>
  );
}

/** Whether somebody may stop what is this speaker's; a press changes it. */
function Delegation({ name, room, speaker, run }: RoomProps & Pick<Managed, 'run'> & { readonly name: string }) {
  const { opened } = useSession();
  const { gatewayTime } = useConnection();
  const now = gatewayTime.now();
  const mayStop = room.delegations.some(
    ({ by, to, target, until }) =>
      by === speaker && to === name && target === 'mine' && (until === null || now === null || until > now),
  );
  return (
    <button
      type="button"
      className="button button-small"
      aria-pressed={mayStop}
      onClick={() => run(() => opened.session.delegate(name, mayStop ? { until: 0 } : {}))}
    >
      {mayStop ? 'May stop what is mine' : 'Let them stop what is mine'}
      <span className="visually-hidden">: {name}</span>
    </button>
  );
}

const RoleField = () => (
  <label className="room-field">
    Role
    <select className="field" name="role" defaultValue="member">
      <option value="member">member</option>
      <option value="moderator">moderator</option>
    </select>
  </label>
);

const roleIn = (form: FormData): Role => (form.get('role') === 'moderator' ? 'moderator' : 'member');

function InviteByName({ run }: Pick<Managed, 'run'>) {
  const { opened } = useSession();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const role = roleIn(data);
    const named = role === 'member' ? {} : { role };
    run(() => opened.session.invite(String(data.get('name')).trim(), named).then(() => form.reset()));
  };
  return (
    <form className="room-form" aria-label="Invite by name" onSubmit={submit}>
      <label className="room-field">
        Name
        <input className="field" name="name" required autoComplete="off" />
      </label>
      <RoleField />
      <button type="submit" className="button">
        Invite
      </button>
    </form>
  );
}

interface OpenLinksProps {
  /** The invite links that let somebody in. */
  readonly openLinks: RoomSnapshot['invites'];
}

/** Makes a link. It is shown here and nowhere else, until the panel is left or the link lets nobody in any more. */
function InviteByLink({ openLinks, run }: OpenLinksProps & Pick<Managed, 'run'>) {
  const { opened } = useSession();
  const [made, setMade] = useState<{ readonly invite: string; readonly href: string; readonly until: number } | null>(
    null,
  );
  const link = openLinks.some(({ invite }) => invite === made?.invite) ? made : null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    run(async () => {
      const { invite, secret, until } = await opened.session.inviteLink({
        ms: Number(data.get('ms')),
        role: roleIn(data),
      });
      setMade({ invite, href: inviteHref(document.baseURI, opened.id, secret), until });
    });
  };
  return (
    <form className="room-form" aria-label="Invite by a link" onSubmit={submit}>
      <label className="room-field">
        Works for
        <select className="field" name="ms" defaultValue={linkTimes[1].ms}>
          {linkTimes.map(({ name, ms }) => (
            <option key={ms} value={ms}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <RoleField />
      <button type="submit" className="button">
        Make a link
      </button>
      {link !== null && (
        <div className="made-link">
          <label className="room-field">
            The link lets one person in, once, until {dateText(link.until)}. It is shown only here.
            <input className="field" readOnly value={link.href} onFocus={({ target }) => target.select()} />
          </label>
          <CopyButton text={link.href} what="the link" />
        </div>
      )}
    </form>
  );
}

function OpenLinks({ openLinks, mayManage, run }: OpenLinksProps & Managed) {
  const { opened } = useSession();
  return (
    <ul className="people" aria-label="Invite links">
      {openLinks.map(({ invite, role, until, by }) => (
        <li key={invite}>
          <span>
            Link of {by ?? 'the host'} for a {role}, until {dateText(until)}
          </span>
          {mayManage && (
            <button
              type="button"
              className="button button-small"
              onClick={() => run(() => opened.session.revoke(invite))}
            >
              Revoke<span className="visually-hidden"> {invite}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
