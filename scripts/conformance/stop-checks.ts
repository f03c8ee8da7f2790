// Checks what a gateway does with a CANCEL: the receipt, repeats, late copies, races.

import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { assertThat, NotApplicable } from './verdict.ts';
import { listOf, type WireClient, type WireFrame } from './wire-client.ts';

const nodesOf = (settled: Omit<WireFrame, 'type'>) => listOf(settled, 'nodes').map((each) => fieldsOf(each)['node']);

/** Starts a turn under the ref `s1`, then sends a CANCEL of `mine` that had seen only what was there before. */
async function cancelSeenBefore(gateway: GatewayUnderTest, says: readonly string[]) {
  const member = await gateway.enter();
  const seen = Number(member.joined['seq']);
  const turn = await gateway.startTurn(member, 's1');
  member.client.send({ type: 'CANCEL', ref: 'c1', target: 'mine', seen, says });
  const reply = await member.client.next({ ref: 'c1' });
  return { member, turn, reply };
}

/** Opens a turn under the ref `s1` whose call asks for an approval, at a gateway that can stop tools. */
async function askForApproval(gateway: GatewayUnderTest) {
  const text = gateway.need('askingWords', '--ask');
  const { client } = await gateway.enter();
  await assertStopsTools(client);
  client.send({ type: 'SAY', ref: 's1', text });
  const { node, turn } = await client.next({ type: 'approval_requested' });
  return { client, node, turn };
}

/** Throws `NotApplicable` at a gateway that does not announce the feature. */
async function assertStopsTools(client: WireClient): Promise<void> {
  const { features } = await client.next({ type: 'welcome' });
  if (!Array.isArray(features) || !features.includes('cancel_tools'))
    throw new NotApplicable('It needs `cancel_tools` in `features` of `welcome`.');
}

export const stopChecks: readonly GatewayCheck[] = [
  {
    id: 'cancel.receipt',
    must: 'reply to a `CANCEL` of a running turn with `cancel_accepted`, then send `cancel_settled`, which lists exactly what was stopping and pending, after the ends of these nodes',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member);
      member.client.send({ type: 'CANCEL', ref: 'c1', target: turn });
      const accepted = await member.client.next({ type: 'cancel_accepted', ref: 'c1' });
      const settled = await member.client.next({ type: 'cancel_settled', ref: 'c1' }, 30_000);
      const planned = [...listOf(accepted, 'stopping'), ...listOf(accepted, 'pending')];
      assertThat(planned.includes(turn), 'cancel_accepted does not list the turn.');
      assertThat(nodesOf(settled).toSorted().join() === planned.toSorted().join(), 'The two lists differ.');
      const types = member.client.frames.map(({ type }) => type);
      assertThat(
        types.indexOf('turn_ended') < types.indexOf('cancel_settled'),
        'cancel_settled comes before turn_ended.',
      );
    },
  },
  {
    id: 'cancel.quiet',
    must: 'send no `text_delta` of a turn in `stopping` after `cancel_accepted`',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member);
      await gateway.stopTurn(member, turn);
      await member.client.settle();
      const { frames } = member.client;
      const after = frames.slice(frames.findIndex(({ type }) => type === 'cancel_accepted'));
      const late = after.filter((frame) => frame.type === 'text_delta' && frame['turn'] === turn);
      assertThat(late.length === 0, `${late.length} deltas after it.`);
    },
  },
  {
    id: 'cancel.repeat',
    must: 'reply to a repeat of a `CANCEL` with its receipt: `cancel_accepted`, then `cancel_settled`, both `repeated: true`, without `seq` and `at`, to the sender only',
    async run(gateway) {
      const member = await gateway.enter();
      const other = await gateway.enter(member.session);
      const turn = await gateway.startTurn(member);
      const cancel = { type: 'CANCEL', ref: 'c1', target: turn };
      member.client.send(cancel);
      const first = await member.client.next({ type: 'cancel_settled', ref: 'c1' }, 30_000);
      member.client.send(cancel);
      for (const type of ['cancel_accepted', 'cancel_settled']) {
        const again = await member.client.next({ type, repeated: true });
        assertThat(
          again['cancel'] === first['cancel'] && again['ref'] === 'c1',
          `${type} is not of the first receipt.`,
        );
        assertThat(!('seq' in again) && !('at' in again), `${type} has \`seq\` or \`at\`.`);
      }
      await other.client.settle();
      assertThat(other.client.all({ repeated: true }).length === 0, 'Another member received the repeat.');
    },
  },
  {
    id: 'cancel.settled',
    must: 'reply to a `CANCEL` of what has ended with `already_settled`, and of what never was with `unknown_target`',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member);
      await gateway.stopTurn(member, turn);
      member.client.send({ type: 'CANCEL', ref: 'c2', target: turn });
      const reply = await member.client.next({ ref: 'c2' });
      assertThat(reply.type === 'already_settled', `The reply was ${reply.type}.`);
      const receipt = fieldsOf(reply['receipt']);
      assertThat(nodesOf(receipt).includes(turn), 'Its receipt is not that of the turn.');
      assertThat(!('seq' in receipt) && !('at' in receipt), 'Its receipt has `seq` or `at`.');
      member.client.send({ type: 'CANCEL', ref: 'c3', target: 'no-such-node' });
      await member.client.next({ type: 'unknown_target', ref: 'c3', target: 'no-such-node' });
    },
  },
  {
    id: 'cancel.late-copy',
    must: 'not stop, by a `CANCEL` whose ref was decided before, a root turn that was opened since; the reply lists it in `running`',
    async run(gateway) {
      for (const target of ['mine', 'session']) {
        const member = await gateway.enter();
        const cancel = { type: 'CANCEL', ref: `c-${target}`, target };
        member.client.send(cancel);
        await member.client.next({ type: 'already_settled', ref: cancel.ref });
        const turn = await gateway.startTurn(member);
        const reply = await member.client.ask(cancel);
        assertThat(reply.type === 'already_settled', `The reply was ${reply.type}.`);
        assertThat(listOf(reply, 'running').includes(turn), '`running` does not list the turn.');
        await gateway.stopTurn(member, turn);
      }
    },
  },
  {
    id: 'cancel.seen',
    must: 'not stop, by a `CANCEL` with `seen`, a root turn that was opened after `seen` by a SAY that is not in `says`',
    async run(gateway) {
      const { member, turn, reply } = await cancelSeenBefore(gateway, []);
      assertThat(reply.type === 'already_settled', `The reply was ${reply.type}.`);
      assertThat(listOf(reply, 'running').includes(turn), '`running` does not list the turn.');
      await gateway.stopTurn(member, turn);
    },
  },
  {
    id: 'cancel.says',
    must: 'stop, by a `CANCEL` with `seen`, what was opened up to `seen` or by a SAY in `says`',
    async run(gateway) {
      const { member, turn, reply } = await cancelSeenBefore(gateway, ['s1']);
      assertThat(listOf(reply, 'stopping').includes(turn), `The reply was ${JSON.stringify(reply)}.`);
      await member.client.next({ type: 'turn_ended', turn });
    },
  },
  {
    id: 'cancel.tools',
    must: 'not stop, by a `CANCEL` of `tools:<turn>`, the turn: it goes on, and without a call the reply is `already_settled`. Of gateways with `cancel_tools`',
    async run(gateway) {
      const member = await gateway.enter();
      await assertStopsTools(member.client);
      const turn = await gateway.startTurn(member);
      const reply = await member.client.ask({ type: 'CANCEL', ref: 'c1', target: `tools:${turn}` });
      const stopped = [...listOf(reply, 'stopping'), ...listOf(reply, 'pending')];
      assertThat(['already_settled', 'cancel_accepted'].includes(reply.type), `The reply was ${reply.type}.`);
      assertThat(!stopped.includes(turn), 'It stops the turn.');
      await member.client.settle();
      assertThat(member.client.all({ type: 'turn_ended', turn }).length === 0, 'The turn has ended.');
      await gateway.stopTurn(member, turn);
    },
  },
  {
    id: 'cancel.tools.call',
    must: 'stop, by a `CANCEL` of `tools:<turn>`, a call of the turn that asks for an approval, with its question withdrawn; the turn goes on. Of gateways with `cancel_tools`',
    async run(gateway) {
      const { client, node, turn } = await askForApproval(gateway);
      const reply = await client.ask({ type: 'CANCEL', ref: 'c1', target: `tools:${turn}` });
      assertThat(listOf(reply, 'stopping').includes(node), 'cancel_accepted does not list the call.');
      assertThat(!listOf(reply, 'stopping').includes(turn), 'It stops the turn.');
      await client.next({ type: 'approval_closed', node, answer: 'withdrawn' });
      await client.next({ type: 'cancel_settled', ref: 'c1' }, 30_000);
      const { outcome } = await client.next({ type: 'turn_ended', turn }, 30_000);
      assertThat(outcome !== 'cancelled', 'The turn was stopped.');
    },
  },
  {
    id: 'cancel.tools.targets',
    must: 'stop the same call by a `CANCEL` of `tools:mine` of its speaker, and of `tools:say:<ref>` of the connection that has sent the SAY. Of gateways with `cancel_tools`',
    async run(gateway) {
      for (const target of ['tools:mine', 'tools:say:s1']) {
        const { client, node, turn } = await askForApproval(gateway);
        const reply = await client.ask({ type: 'CANCEL', ref: 'c1', target });
        const stopping = listOf(reply, 'stopping');
        assertThat(stopping.includes(node) && !stopping.includes(turn), `By ${target}: ${JSON.stringify(reply)}.`);
        await client.next({ type: 'cancel_settled', ref: 'c1' }, 30_000);
      }
    },
  },
  {
    id: 'cancel.tools.repeat',
    must: 'reply to a repeat of a `CANCEL` of tools with its receipt, `repeated: true`, and stop no call that was made since. Of gateways with `cancel_tools`',
    async run(gateway) {
      const { client } = await askForApproval(gateway);
      const cancel = { type: 'CANCEL', ref: 'c1', target: 'tools:mine' };
      client.send(cancel);
      const first = await client.next({ type: 'cancel_settled', ref: 'c1' }, 30_000);
      client.send({ type: 'SAY', ref: 's2', text: gateway.need('askingWords', '--ask') });
      const { turn } = await client.next({ type: 'turn_opened', ref: 's2' });
      const { node } = await client.next({ type: 'approval_requested', turn }, 30_000);
      client.send(cancel);
      const again = await client.next({ type: 'cancel_accepted', ref: 'c1', repeated: true });
      assertThat(again['cancel'] === first['cancel'], 'It is not the first receipt.');
      assertThat(listOf(again, 'running').includes(node), '`running` does not list the later call.');
      await client.settle();
      assertThat(client.all({ type: 'approval_closed', node }).length === 0, 'The later call was stopped.');
      await gateway.stopTurn({ client }, String(turn));
    },
  },
  {
    id: 'cancel.lane',
    must: 'stop, by a `CANCEL` of `lane:<turn>`, a turn and the words of its speaker that wait behind it: none of those starts. Of gateways with `cancel_lane`',
    async run(gateway) {
      const member = await gateway.enter();
      const { client } = member;
      const { features } = await client.next({ type: 'welcome' });
      if (!Array.isArray(features) || !features.includes('cancel_lane'))
        throw new NotApplicable('It needs `cancel_lane` in `features` of `welcome`.');
      const turn = await gateway.startTurn(member);
      const { turn: behind } = await client.ask({ type: 'SAY', ref: 's2', text: gateway.options.words });
      if (client.all({ type: 'turn_started', turn: behind }).length > 0)
        throw new NotApplicable('It needs a session in which the turns of a speaker wait for each other.');
      const reply = await client.ask({ type: 'CANCEL', ref: 'c1', target: `lane:${turn}` });
      for (const id of [turn, behind])
        assertThat(listOf(reply, 'stopping').includes(id), `The reply does not list ${id}: ${JSON.stringify(reply)}.`);
      for (const id of [turn, behind]) await client.next({ type: 'turn_ended', turn: id }, 30_000);
      assertThat(
        client.all({ type: 'turn_started', turn: behind }).length === 0,
        'The words behind the turn have started.',
      );
    },
  },
  {
    id: 'cancel.early',
    must: 'reply to a `CANCEL` of `say:<ref>` that comes before its SAY with `unknown_target`, and refuse that SAY (`cancelled_before_start`)',
    async run(gateway) {
      const { client } = await gateway.enter();
      client.send({ type: 'CANCEL', ref: 'c1', target: 'say:s1' }, { type: 'SAY', ref: 's1', text: 'words' });
      await client.next({ type: 'unknown_target', ref: 'c1', target: 'say:s1' });
      await client.next({ type: 'say_refused', ref: 's1', code: 'cancelled_before_start' });
    },
  },
  {
    id: 'cancel.say',
    must: 'stop, by a `CANCEL` of `say:<ref>` that comes after its SAY, the turn of that SAY',
    async run(gateway) {
      const { client } = await gateway.enter();
      client.send({ type: 'SAY', ref: 's1', text: gateway.options.words });
      client.send({ type: 'CANCEL', ref: 'c1', target: 'say:s1' });
      const { turn } = await client.next({ type: 'turn_opened', ref: 's1' });
      const reply = await client.next({ type: 'cancel_accepted', ref: 'c1' });
      assertThat(listOf(reply, 'stopping').includes(turn), 'cancel_accepted does not list the turn.');
      await client.next({ type: 'turn_ended', turn, outcome: 'cancelled' });
    },
  },
  {
    id: 'cancel.members',
    must: 'send `cancel_accepted` and `cancel_settled` to every member',
    async run(gateway) {
      const member = await gateway.enter();
      const other = await gateway.enter(member.session);
      await gateway.stopTurn(member, await gateway.startTurn(member));
      const accepted = await other.client.next({ type: 'cancel_accepted' });
      await other.client.next({ type: 'cancel_settled', cancel: accepted['cancel'] });
    },
  },
  {
    id: 'cancel.lost-client',
    must: 'not stop a turn because the connection of its speaker breaks, unless the session is configured so',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member);
      member.client.terminate();
      const next = await gateway.enter(member.session);
      const node = listOf(next.joined, 'nodes').find((each) => fieldsOf(each)['node'] === turn);
      assertThat(fieldsOf(node)['state'] === 'running', `The turn is ${fieldsOf(node)['state'] ?? 'gone'}.`);
      await gateway.stopTurn(next, turn);
    },
  },
];
