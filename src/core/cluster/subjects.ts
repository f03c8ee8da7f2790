// The subjects of the bus. A session is named by a hash: names of sessions may have what a subject may not, and are nobody's business who runs the bus.
import { createHash } from 'node:crypto';

const hashChars = 32;

/** The subject on which the holder of a session answers. */
export const sessionSubject = (session: string): string => `belay.session.${hashOf(session)}`;

/** The subject of the sound of a session. */
export const soundSubject = (session: string): string => `belay.sound.${hashOf(session)}`;

const hashOf = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, hashChars);

/** The subject of one host: events of sessions that it has joined elsewhere, and what others ask it. */
export const hostSubject = (host: string): string => `belay.host.${host}`;

/** The subject on which a host answers for sessions that nobody holds: a host that drains asks it to open them. */
export const offersSubject = (host: string): string => `belay.offers.${host}`;

/** The subject on which each host says that it lives. */
export const hostsSubject = 'belay.hosts';
