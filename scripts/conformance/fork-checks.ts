// Checks FORK: what a fork is, its repeat, and what cannot be forked.
import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { assertThat, NotApplicable } from './verdict.ts';
import { turnMs } from './wire-client.ts';

/** Joins a session, if the gateway has the feature. */
async function enter(gateway: GatewayUnderTest) {
  const member = await gateway.enter();
  const { features } = await member.client.next({ type: 'welcome' });
  if (!Array.isArray(features) || !features.includes('fork'))
    throw new NotApplicable('The gateway does not announce `fork`.');
  return member;
}

/** Forks a session from a turn that was stopped. */
async function forkTurn(gateway: GatewayUnderTest) {
  const member = await enter(gateway);
  const turn = await gateway.startTurn(member);
  await gateway.stopTurn(member, turn);
  const command = { type: 'FORK', ref: 'f1', turn, to: gateway.name() };
  const forked = await member.client.ask(command);
  assertThat(forked.type === 'forked' && forked['fork'] === command.to, `The reply was ${JSON.stringify(forked)}.`);
  return { ...member, turn, command, forked, fork: command.to };
}

export const forkChecks: readonly GatewayCheck[] = [
  {
    id: 'fork.reply',
    must: 'reply to a `FORK` of a settled turn with `forked`, to the sender alone; the session that it names belongs to its sender, begins with what was said, and says in `forked` of its first fact where it comes from. Only of a gateway with `fork`',
    async run(gateway) {
      const { client, session, turn, forked, fork } = await forkTurn(gateway);
      const other = await gateway.enter(session);
      const { speaker } = await client.next({ type: 'welcome' });
      await client.ask({ type: 'JOIN', ref: 'j2', session: fork, after: 0 });
      const opened = await client.next({ type: 'session_opened', session: fork });
      const origin = fieldsOf(opened['forked']);
      assertThat(origin['session'] === session && origin['turn'] === turn, `It begins with ${JSON.stringify(opened)}.`);
      assertThat(opened['by'] === speaker, `It belongs to ${JSON.stringify(opened['by'])}.`);
      const said = await client.next({ type: 'turn_opened', session: fork, turn: forked['turn'] });
      assertThat(said['text'] === gateway.options.words, `It begins with the words ${JSON.stringify(said['text'])}.`);
      await client.next({ type: 'turn_ended', session: fork, turn: forked['turn'] }, turnMs);
      await other.client.settle();
      assertThat(other.client.all({ type: 'forked' }).length === 0, 'Another member received the reply.');
    },
  },
  {
    id: 'fork.repeat',
    must: 'reply to a repeat of a `FORK` with the same fork, `repeated: true`',
    async run(gateway) {
      const { client, command, forked } = await forkTurn(gateway);
      const again = await client.ask(command);
      const isSame = again['repeated'] === true && again['fork'] === forked['fork'] && again['turn'] === forked['turn'];
      assertThat(isSame, `The reply to the repeat was ${JSON.stringify(again)}.`);
    },
  },
  {
    id: 'fork.refused',
    must: 'refuse a `FORK` of what is no settled turn (`turn_not_forkable`), and make nothing',
    async run(gateway) {
      const member = await enter(gateway);
      const { client } = member;
      const turn = await gateway.startTurn(member);
      const to = gateway.name();
      for (const [i, named] of ['no-such-turn', turn].entries()) {
        const { code } = await client.ask({ type: 'FORK', ref: `f${i}`, turn: named, to });
        assertThat(code === 'turn_not_forkable', `The FORK of ${named} got ${JSON.stringify(code)}.`);
      }
      await gateway.stopTurn(member, turn);
      const forked = await client.ask({ type: 'FORK', ref: 'f9', turn, to });
      assertThat(forked.type === 'forked' && !('repeated' in forked), `Then it got ${JSON.stringify(forked)}.`);
    },
  },
];
