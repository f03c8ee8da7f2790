// Checks who may join a session and stop what runs there: access, invitations, roles, policies, delegations.

import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import type { GatewayUnderTest, JoinedClient } from './gateway-under-test.ts';
import { assertThat } from './verdict.ts';
import { listOf, type WireFrame } from './wire-client.ts';

/** The text of a refusal without what belongs to one command. */
function refusalText({ ref: _, session, ...refusal }: WireFrame): string {
  return JSON.stringify(refusal).replaceAll(String(session), '…');
}

async function speakerOf({ client }: Pick<JoinedClient, 'client'>): Promise<string> {
  return String((await client.next({ type: 'welcome' }))['speaker']);
}

/** Asserts that a speaker opens the session, which nobody has opened before. */
async function assertUnopened(gateway: GatewayUnderTest, session: string): Promise<void> {
  const { client } = await gateway.enter(session, 0);
  const opened = await client.next({ type: 'session_opened' });
  assertThat(opened['by'] === (await speakerOf({ client })), `${String(opened['by'])} has opened the session.`);
}

export const accessChecks: readonly GatewayCheck[] = [
  {
    id: 'access.join',
    must: 'refuse a `JOIN` of a speaker who may not join (`access_denied`), and send it nothing of the session',
    async run(gateway) {
      const owner = await gateway.enter();
      const client = await gateway.open('other');
      const reply = await client.ask({ type: 'JOIN', ref: 'j1', session: owner.session });
      assertThat(
        reply.type === 'error' && reply['code'] === 'access_denied',
        `The reply was ${JSON.stringify(reply)}.`,
      );
      await gateway.stopTurn(owner, await gateway.startTurn(owner));
      await client.settle();
      const seen = client.frames.filter((frame) => frame['session'] === owner.session && frame !== reply);
      assertThat(seen.length === 0, `It was sent ${seen[0]?.type}.`);
    },
  },
  {
    id: 'access.same',
    must: 'refuse such a `JOIN` by the same reply whether the session exists or not, and open none by it',
    async run(gateway) {
      const owner = await gateway.enter();
      const client = await gateway.open('other');
      const free = gateway.name();
      const taken = await client.ask({ type: 'JOIN', ref: 'j1', session: owner.session });
      const other = await client.ask({ type: 'JOIN', ref: 'j2', session: free });
      assertThat(refusalText(taken) === refusalText(other), `${refusalText(taken)} and ${refusalText(other)} differ.`);
      await assertUnopened(gateway, free);
    },
  },
  {
    id: 'invite.join',
    must: 'tell every member of an `INVITE` (`member_invited`), and let the speaker join from then on; reply to one of a member with `repeated: true`, to its sender alone',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      const speaker = await speakerOf(guest);
      const again = await owner.client.ask({ type: 'INVITE', ref: 'i2', speaker });
      assertThat(again.type === 'member_invited' && again['repeated'] === true, JSON.stringify(again));
      const invited = await owner.client.ask({ type: 'INVITE', ref: 'i3', speaker: 'somebody-else' });
      assertThat(invited.type === 'member_invited' && invited['by'] !== undefined, JSON.stringify(invited));
      await guest.client.next({ type: 'member_invited', ref: 'i3', speaker: 'somebody-else' });
      assertThat(guest.client.all({ ref: 'i2' }).length === 0, 'Another member received the repeat.');
    },
  },
  {
    id: 'invite.owner',
    must: 'refuse an `INVITE` or `REMOVE` by a member who neither owns the session nor moderates it (`access_denied`)',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      for (const type of ['INVITE', 'REMOVE']) {
        const reply = await guest.client.ask({ type, ref: `${type}-1`, speaker: 'somebody-else' });
        assertThat(reply['code'] === 'access_denied', `The reply to ${type} was ${JSON.stringify(reply)}.`);
      }
      await owner.client.settle();
      assertThat(owner.client.all({ speaker: 'somebody-else' }).length === 0, 'It has had an effect.');
    },
  },
  {
    id: 'remove.leaves',
    must: 'tell every member of a `REMOVE` (`member_removed`), end the membership of the speaker (`left`, reason `removed`) with its connection open, let its turns run on, and refuse its next `JOIN`',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      const turn = await gateway.startTurn(guest);
      const speaker = await speakerOf(guest);
      const removed = await owner.client.ask({ type: 'REMOVE', ref: 'r1', speaker });
      assertThat(removed.type === 'member_removed', `The reply was ${JSON.stringify(removed)}.`);
      await guest.client.next({ type: 'left', session: owner.session, reason: 'removed' });
      const refused = await guest.client.ask({ type: 'JOIN', ref: 'j2', session: owner.session });
      assertThat(refused['code'] === 'access_denied', `The reply to its JOIN was ${JSON.stringify(refused)}.`);
      assertThat(owner.client.all({ type: 'turn_ended', turn }).length === 0, 'Its turn was ended.');
      const again = await owner.client.ask({ type: 'REMOVE', ref: 'r2', speaker });
      assertThat(again.type === 'member_removed' && again['repeated'] === true, JSON.stringify(again));
      await gateway.stopTurn(owner, turn);
    },
  },
  {
    id: 'remove.owner',
    must: 'not remove the owner of a session (`access_denied`)',
    async run(gateway) {
      const owner = await gateway.enter();
      const { roles } = await owner.client.next({ type: 'welcome' });
      const reply = await owner.client.ask({ type: 'REMOVE', ref: 'r1', speaker: await speakerOf(owner) });
      assertThat(reply['code'] === 'access_denied', `${JSON.stringify(roles)}: ${JSON.stringify(reply)}`);
    },
  },
  {
    id: 'roles.moderator',
    must: 'let a moderator stop what every speaker has started, under every policy',
    async run(gateway) {
      const owner = await gateway.enter(gateway.name('ownerPolicy'));
      const turn = await gateway.startTurn(owner);
      const moderator = await gateway.enter(owner.session, undefined, 'moderator');
      const reply = await moderator.client.ask({ type: 'CANCEL', ref: 'c1', target: turn });
      assertThat(reply.type === 'cancel_accepted', `The reply was ${JSON.stringify(reply)}.`);
      await owner.client.next({ type: 'turn_ended', turn, outcome: 'cancelled' });
    },
  },
  {
    id: 'roles.emergency',
    must: 'accept the `CANCEL` of an `emergency` for a session that it has not joined, reply to it without `seq` and `at`, and open no session by it',
    async run(gateway) {
      const owner = await gateway.enter(gateway.name('ownerPolicy'));
      const turn = await gateway.startTurn(owner);
      const client = await gateway.open('emergency');
      client.send({ type: 'CANCEL', ref: 'c1', session: owner.session, target: 'session' });
      for (const type of ['cancel_accepted', 'cancel_settled']) {
        const frame = await client.next({ type, ref: 'c1' });
        assertThat(!('seq' in frame) && !('at' in frame), `${type} has \`seq\` or \`at\`.`);
      }
      await owner.client.next({ type: 'turn_ended', turn, outcome: 'cancelled' });
      const free = gateway.name('ownerPolicy');
      const reply = await client.ask({ type: 'CANCEL', ref: 'c2', session: free, target: 'session' });
      assertThat(['already_settled', 'unknown_target'].includes(reply.type), `The reply was ${JSON.stringify(reply)}.`);
      await assertUnopened(gateway, free);
    },
  },
  {
    id: 'standing.refused',
    must: 'refuse a `CANCEL` of a speaker without standing (`cancel_refused`, which names each node and why), to every member, and stop nothing',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo('ownerPolicy');
      const turn = await gateway.startTurn(owner);
      guest.client.send({ type: 'CANCEL', ref: 'c1', target: turn });
      for (const { client } of [owner, guest]) {
        const refused = await client.next({ type: 'cancel_refused', ref: 'c1' });
        const nodes = listOf(refused, 'refused').map(fieldsOf);
        const isNamed = nodes.some((each) => each['node'] === turn && each['reason'] === 'not_owner');
        assertThat(isNamed, `It names ${JSON.stringify(nodes)}.`);
      }
      await owner.client.settle();
      assertThat(owner.client.all({ type: 'turn_ended', turn }).length === 0, 'The turn was stopped.');
      await gateway.stopTurn(owner, turn);
    },
  },
  {
    id: 'delegate.stop',
    must: "let the speaker whom a `DELEGATE` names stop what is its sender's, until its `until`, and tell every member (`stop_delegated`)",
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo('ownerPolicy');
      const speaker = await speakerOf(guest);
      const delegated = await owner.client.ask({ type: 'DELEGATE', ref: 'd1', speaker });
      assertThat(delegated.type === 'stop_delegated', `The reply was ${JSON.stringify(delegated)}.`);
      await guest.client.next({ type: 'stop_delegated', ref: 'd1', to: speaker });
      const again = await owner.client.ask({ type: 'DELEGATE', ref: 'd2', speaker });
      assertThat(again['repeated'] === true, `The reply to the same one again was ${JSON.stringify(again)}.`);
      await gateway.stopTurn(guest, await gateway.startTurn(owner));
      await owner.client.ask({ type: 'DELEGATE', ref: 'd3', speaker, until: 1 });
      const turn = await gateway.startTurn(owner);
      const refused = await guest.client.ask({ type: 'CANCEL', ref: 'c2', target: turn });
      assertThat(refused.type === 'cancel_refused', `After its end the reply was ${JSON.stringify(refused)}.`);
      await gateway.stopTurn(owner, turn);
    },
  },
  {
    id: 'delegate.own',
    must: 'refuse a `DELEGATE` over a node of another speaker (`not_yours`)',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      const target = await gateway.startTurn(owner);
      const reply = await guest.client.ask({ type: 'DELEGATE', ref: 'd1', speaker: 'somebody-else', target });
      assertThat(reply['code'] === 'not_yours', `The reply was ${JSON.stringify(reply)}.`);
      await gateway.stopTurn(owner, target);
    },
  },
  {
    id: 'timeout.set',
    must: 'tell every member of a `SET_TIMEOUT` of the owner (`tool_timeout_set`), name it in the next `joined`, and reply to the same one again with `repeated: true`, if `features` has `tool_timeouts`',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      if (!(await announces(owner, 'tool_timeouts'))) return;
      const frame = { type: 'SET_TIMEOUT', tool: 'spawn_agent', ms: 60_000 };
      const set = await owner.client.ask({ ...frame, ref: 'o1' });
      assertThat(set.type === 'tool_timeout_set' && set['ms'] === frame.ms, `The reply was ${JSON.stringify(set)}.`);
      await guest.client.next({ type: 'tool_timeout_set', ref: 'o1', tool: frame.tool });
      const again = await owner.client.ask({ ...frame, ref: 'o2' });
      assertThat(again['repeated'] === true, `The reply to the same one again was ${JSON.stringify(again)}.`);
      await guest.client.ask({ type: 'LEAVE', ref: 'o3', session: guest.session });
      const joined = await guest.client.ask({ type: 'JOIN', ref: 'o4', session: guest.session });
      const held = fieldsOf(joined['toolTimeouts']);
      assertThat(held[frame.tool] === frame.ms, `\`joined\` names ${JSON.stringify(held)}.`);
      await owner.client.ask({ ...frame, ms: null, ref: 'o5' });
    },
  },
  {
    id: 'timeout.refused',
    must: 'refuse a `SET_TIMEOUT` of a member who neither owns the session nor moderates it (`access_denied`), of a tool that there is not (`no_such_tool`), and below 1 000 ms (`timeout_out_of_range`)',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      if (!(await announces(owner, 'tool_timeouts'))) return;
      const codeOf = async (from: typeof owner, tool: string, ms: number) =>
        (await from.client.ask({ type: 'SET_TIMEOUT', ref: `o${ms}`, tool, ms }))['code'];
      const codes = [
        await codeOf(guest, 'spawn_agent', 2_000),
        await codeOf(owner, 'a-tool-that-there-is-not', 2_001),
        await codeOf(owner, 'spawn_agent', 999),
      ];
      const wanted = ['access_denied', 'no_such_tool', 'timeout_out_of_range'];
      assertThat(codes.join() === wanted.join(), `The codes were ${codes.join(', ')}.`);
    },
  },
  {
    id: 'rename',
    must: 'tell every member of a `RENAME` of the owner (`session_renamed`), name the title in the next `joined`, reply to the same one again with `repeated: true`, and refuse that of a member who neither owns the session nor moderates it (`access_denied`), if `features` has `rename`',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo();
      if (!(await announces(owner, 'rename'))) return;
      const frame = { type: 'RENAME', title: 'A title' };
      const renamed = await owner.client.ask({ ...frame, ref: 'n1' });
      assertThat(renamed.type === 'session_renamed', `The reply was ${JSON.stringify(renamed)}.`);
      await guest.client.next({ type: 'session_renamed', ref: 'n1', title: frame.title });
      const again = await owner.client.ask({ ...frame, ref: 'n2' });
      assertThat(again['repeated'] === true, `The reply to the same one again was ${JSON.stringify(again)}.`);
      const refused = await guest.client.ask({ ...frame, title: 'Another', ref: 'n3' });
      assertThat(refused['code'] === 'access_denied', `The reply to a member was ${JSON.stringify(refused)}.`);
      await guest.client.ask({ type: 'LEAVE', ref: 'n4', session: guest.session });
      const joined = await guest.client.ask({ type: 'JOIN', ref: 'n5', session: guest.session });
      assertThat(joined['title'] === frame.title, `\`joined\` names ${JSON.stringify(joined['title'])}.`);
    },
  },
];

/** Whether the gateway announces a feature. */
async function announces({ client }: JoinedClient, feature: string): Promise<boolean> {
  const { features } = await client.next({ type: 'welcome' });
  return Array.isArray(features) && features.includes(feature);
}
