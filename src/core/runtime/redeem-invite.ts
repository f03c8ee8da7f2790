// Lets a speaker into a session by an invite link, which may be asleep or not exist. A wrong link opens nothing, wakes nothing and writes nothing.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import type { Log } from '../contracts/log.ts';
import type { RedeemReply, Runtime } from '../session/api.ts';
import { assertName } from '../session/member-commands.ts';
import { hasInvite } from '../session/read-log.ts';
import type { Session } from '../session/session.ts';
import type { Admission } from './admission.ts';

/** See `Runtime.redeemInvite`. `sessions`: those that are awake; `awake`: wakes a session that exists. */
export async function redeemShownInvite(
  [id, caller, secret]: Parameters<Runtime['redeemInvite']>,
  log: Log,
  admission: Admission,
  sessions: ReadonlyMap<string, Session>,
  awake: (id: string) => Promise<Session>,
): Promise<RedeemReply> {
  assertName(caller.speaker.id);
  return admission.tryInvite(caller, async () => {
    const isAwake = sessions.get(id)?.state.kind === 'open';
    if (!isAwake && !(await hasInvite(log, id, secret))) return { type: 'bad_invite' };
    const session = await awake(id);
    const { access, members } = session.guarded;
    // where no member is let in, the link is not used up for nothing
    const asMember = { owner: members.owner, has: () => true, moderators: new Set<SpeakerId>() };
    if (!admission.may('read', caller, { id, access, members: asMember })) return { type: 'bad_invite' };
    return session.commands.redeemInvite(caller.speaker.id, secret);
  });
}
