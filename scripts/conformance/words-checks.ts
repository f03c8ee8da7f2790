// Checks what becomes of words beside a SAY that opens a turn: STEER and its fates, RESUME and its refusals, stop phrases, READ.

import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import type { GatewayUnderTest, JoinedClient } from './gateway-under-test.ts';
import { assertThat } from './verdict.ts';
import { listOf, turnMs, type WireFrame } from './wire-client.ts';

/** Starts a turn and says something to it. */
async function steerTurn(gateway: GatewayUnderTest) {
  const member = await gateway.enter();
  const turn = await gateway.startTurn(member);
  const steer = { type: 'STEER', ref: 's2', text: 'and more words' };
  const deferred = await member.client.ask(steer);
  assertThat(deferred.type === 'input_deferred', `The reply was ${JSON.stringify(deferred)}.`);
  return { ...member, turn, steer, input: String(deferred['input']), deferred };
}

/** Starts a turn and stops it. */
async function interruptTurn(gateway: GatewayUnderTest, member: JoinedClient): Promise<string> {
  const turn = await gateway.startTurn(member);
  await gateway.stopTurn(member, turn);
  return turn;
}

/** Sends a command that resumes an interrupted turn, and its repeat. Resolves with the reply to the first one. */
async function assertResumes(
  gateway: GatewayUnderTest,
  {
    member,
    command,
    turn,
  }: { readonly member: JoinedClient; readonly command: WireFrame & { ref: string }; readonly turn: string },
): Promise<WireFrame> {
  const opened = await member.client.ask(command);
  assertThat(opened.type === 'turn_opened' && opened['resumes'] === turn, `The reply was ${JSON.stringify(opened)}.`);
  const again = await member.client.ask(command);
  const isSame = again['repeated'] === true && again['turn'] === opened['turn'];
  assertThat(isSame, `The reply to the repeat was ${JSON.stringify(again)}.`);
  await gateway.stopTurn(member, String(opened['turn']));
  return opened;
}

async function assertRefused({ client }: JoinedClient, command: WireFrame & { ref: string }, code: string) {
  const reply = await client.ask(command);
  assertThat(reply.type === 'say_refused' && reply['code'] === code, `Not ${code}, but ${JSON.stringify(reply)}.`);
}

export const wordsChecks: readonly GatewayCheck[] = [
  {
    id: 'steer.deferred',
    must: 'reply to a `STEER` of a turn that runs with `input_deferred`, and to its repeat with the same one, `repeated: true`',
    async run(gateway) {
      const { client, turn, steer, input, deferred, ...member } = await steerTurn(gateway);
      assertThat(deferred['turn'] === turn, `It names the turn ${String(deferred['turn'])}.`);
      const again = await client.ask(steer);
      assertThat(again['repeated'] === true && again['input'] === input, `The repeat got ${JSON.stringify(again)}.`);
      await gateway.stopTurn({ client, ...member }, turn);
    },
  },
  {
    id: 'steer.consumed',
    must: 'let the next model call of the turn read the words of a `STEER` (`input_settled`, fate `consumed`), and open no turn for them',
    async run(gateway) {
      const text = gateway.need('askingWords', '--ask');
      const { client } = await gateway.enter();
      client.send({ type: 'SAY', ref: 's1', text });
      const { node: target, question, turn } = await client.next({ type: 'approval_requested' }, turnMs);
      const { input } = await client.ask({ type: 'STEER', ref: 's2', text: 'and more words' });
      client.send({ type: 'DENY', ref: 'a1', target, question });
      const settled = await client.next({ type: 'input_settled', input }, turnMs);
      assertThat(settled['fate'] === 'consumed', `Its fate is ${String(settled['fate'])}.`);
      await client.next({ type: 'model_started', turn, index: settled['index'] });
      await client.next({ type: 'turn_ended', turn }, turnMs);
      assertThat(client.all({ type: 'turn_opened', turn: input }).length === 0, 'A turn was opened.');
    },
  },
  {
    id: 'steer.queued',
    must: 'open a turn of their own for words that a turn has ended without reading (fate `queued`), under the id of the input',
    async run(gateway) {
      const { client, turn, input } = await steerTurn(gateway);
      await client.next({ type: 'turn_ended', turn }, turnMs);
      const settled = await client.next({ type: 'input_settled', input });
      if (settled['fate'] === 'consumed') return; // the turn has made another model call
      assertThat(settled['fate'] === 'queued', `Its fate is ${String(settled['fate'])}.`);
      const opened = await client.next({ type: 'turn_opened', turn: input });
      assertThat(Number(opened['seq']) > Number(settled['seq']), 'turn_opened comes before input_settled.');
    },
  },
  {
    id: 'steer.cancelled',
    must: 'stop words that wait with the turn that they wait for (fate `cancelled`), and list them in `queue` of the receipt, and in its end as `cancelled`, `not_started`',
    async run(gateway) {
      const { client, turn, input } = await steerTurn(gateway);
      const accepted = await client.ask({ type: 'CANCEL', ref: 'c1', target: turn });
      const queue = listOf(accepted, 'queue').map(fieldsOf);
      const isListed = queue.some((each) => each['input'] === input && each['fate'] === 'cancelled');
      assertThat(isListed, `\`queue\` is ${JSON.stringify(accepted['queue'])}.`);
      await client.next({ type: 'input_settled', input, fate: 'cancelled' });
      const settled = await client.next({ type: 'cancel_settled', ref: 'c1' });
      const end = listOf(settled, 'nodes')
        .map(fieldsOf)
        .find((each) => each['node'] === input);
      const { outcome, effect } = end ?? {};
      assertThat(outcome === 'cancelled' && effect === 'not_started', `It ended as ${JSON.stringify(end)}.`);
    },
  },
  {
    id: 'steer.say',
    must: 'take a `STEER` as a `SAY` where no turn of its speaker runs',
    async run(gateway) {
      const member = await gateway.enter();
      const reply = await member.client.ask({ type: 'STEER', ref: 's1', text: gateway.options.words });
      assertThat(reply.type === 'turn_opened', `The reply was ${JSON.stringify(reply)}.`);
      await gateway.stopTurn(member, String(reply['turn']));
    },
  },
  {
    id: 'steer.refused',
    must: 'refuse a `STEER` of a turn that its speaker may not stop, with the reason of a refused `CANCEL`',
    async run(gateway) {
      const [owner, guest] = await gateway.enterTwo('ownerPolicy');
      const target = await gateway.startTurn(owner);
      await assertRefused(guest, { type: 'STEER', ref: 's1', text: 'other words', target }, 'not_owner');
      await gateway.stopTurn(owner, target);
    },
  },
  {
    id: 'resume.turn',
    must: 'open one turn for a `RESUME` of an interrupted turn, which names it in `resumes`; reply to a repeat with that turn, `repeated: true`',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await interruptTurn(gateway, member);
      await assertResumes(gateway, { member, command: { type: 'RESUME', ref: 'r1', turn }, turn });
    },
  },
  {
    id: 'resume.words',
    must: "take words that go on, said after the stop of their speaker's newest turn, as a `RESUME` of it: `turn_opened` with `resumes` and the command `SAY`; reply to a repeat with that turn",
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await interruptTurn(gateway, member);
      const command = { type: 'SAY', ref: 'r1', text: 'please continue' };
      const opened = await assertResumes(gateway, { member, command, turn });
      assertThat(opened['command'] === 'SAY', `The fact was ${JSON.stringify(opened)}.`);
    },
  },
  {
    id: 'resume.refused',
    must: "refuse a `RESUME` of what is no turn (`unknown_turn`), runs (`turn_not_settled`), has completed (`not_interrupted`), was resumed (`already_resumed`), or is another speaker's (`turn_of_another`)",
    async run(gateway) {
      const member = await gateway.enter();
      const { client } = member;
      await assertRefused(member, { type: 'RESUME', ref: 'r1', turn: 'no-such-turn' }, 'unknown_turn');
      const whole = await gateway.startTurn(member);
      await assertRefused(member, { type: 'RESUME', ref: 'r2', turn: whole }, 'turn_not_settled');
      await client.next({ type: 'turn_ended', turn: whole }, turnMs);
      await assertRefused(member, { type: 'RESUME', ref: 'r3', turn: whole }, 'not_interrupted');
      const turn = await interruptTurn(gateway, member);
      const { turn: resumed } = await client.ask({ type: 'RESUME', ref: 'r4', turn });
      await assertRefused(member, { type: 'RESUME', ref: 'r5', turn }, 'already_resumed');
      await gateway.stopTurn(member, String(resumed));
      if (!gateway.options.tokens?.other) return;
      const [owner, guest] = await gateway.enterTwo();
      const others = await interruptTurn(gateway, owner);
      await assertRefused(guest, { type: 'RESUME', ref: 'r6', turn: others }, 'turn_of_another');
    },
  },
  {
    id: 'phrase.cancel',
    must: 'take a stop phrase, while something runs, as a `CANCEL` of `session`: `cancel_accepted` with the source `phrase`, its words and its `ref` to every member, then the reply `stop_phrase`, and no turn',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member);
      const { client } = member;
      client.send({ type: 'SAY', ref: 's2', text: 'stop' });
      const reply = await client.next({ type: 'stop_phrase', ref: 's2' });
      const accepted = await client.next({ type: 'cancel_accepted', ref: 's2', source: 'phrase', target: 'session' });
      assertThat(accepted['reason'] === 'stop', `Its reason is ${JSON.stringify(accepted['reason'])}.`);
      assertThat(accepted['cancel'] === reply['cancel'], 'stop_phrase names another receipt.');
      assertThat(client.frames.indexOf(accepted) < client.frames.indexOf(reply), 'stop_phrase comes first.');
      await client.next({ type: 'turn_ended', turn, outcome: 'cancelled' });
      assertThat(client.all({ type: 'turn_opened', ref: 's2' }).length === 0, 'A turn was opened.');
    },
  },
  {
    id: 'phrase.repeat',
    must: 'reply to the repeat of a stop phrase with its receipt (`stop_phrase`, `repeated: true`), and refuse a `CANCEL` under its `ref` (`ref_reused`)',
    async run(gateway) {
      const member = await gateway.enter();
      await gateway.startTurn(member);
      const { client } = member;
      client.send({ type: 'SAY', ref: 's2', text: 'stop' });
      const { cancel } = await client.next({ type: 'stop_phrase', ref: 's2' });
      await client.next({ type: 'cancel_settled', cancel });
      const again = await client.ask({ type: 'SAY', ref: 's2', text: 'stop' });
      assertThat(again['repeated'] === true && again['cancel'] === cancel, `The repeat got ${JSON.stringify(again)}.`);
      const reused = await client.ask({ type: 'CANCEL', ref: 's2', target: 'session' });
      assertThat(reused['code'] === 'ref_reused', `The CANCEL got ${JSON.stringify(reused)}.`);
    },
  },
  {
    id: 'phrase.words',
    must: 'take a stop phrase as words where nothing runs: it opens a turn',
    async run(gateway) {
      const member = await gateway.enter();
      const reply = await member.client.ask({ type: 'SAY', ref: 's1', text: 'stop' });
      assertThat(reply.type === 'turn_opened', `The reply was ${JSON.stringify(reply)}.`);
      await gateway.stopTurn(member, String(reply['turn']));
    },
  },
  {
    id: 'read.reply',
    must: 'reply to a `READ` with `read`, or `not_readable`, to the sender alone, and log nothing of it',
    async run(gateway) {
      const member = await gateway.enter();
      const { client, session } = member;
      const other = await gateway.enter(session);
      const offers = await client.ask({ type: 'READ', ref: 'r1' }, turnMs);
      assertThat(offers.type === 'read' && Array.isArray(offers['offers']), `The reply was ${JSON.stringify(offers)}.`);
      const none = await client.ask(
        { type: 'READ', ref: 'r2', server: 'no-such-server', resource: 'file:///none' },
        turnMs,
      );
      assertThat(none['code'] === 'not_readable', `The reply was ${JSON.stringify(none)}.`);
      await other.client.settle();
      const seen = other.client.frames.filter(({ ref }) => ref === 'r1' || ref === 'r2');
      assertThat(seen.length === 0, 'Another member received it.');
      // what was logged of it stands before the next words
      const said = await client.ask({ type: 'SAY', ref: 's1', text: 'Wait for me.' });
      assertThat(said['seq'] === Number(other.joined['seq']) + 1, 'It was logged.');
      await gateway.stopTurn(member, String(said['turn']));
    },
  },
];
