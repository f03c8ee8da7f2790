// Checks what a gateway does in a session: joining, saying, text, replay, questions.
import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import type { GatewayUnderTest, JoinedClient } from './gateway-under-test.ts';
import { assertThat, NotApplicable } from './verdict.ts';
import { turnMs, type WireClient, type WireFrame } from './wire-client.ts';

const seqsOf = (frames: readonly WireFrame[]) =>
  frames.flatMap(({ type, seq }) => (type !== 'joined' && typeof seq === 'number' ? [seq] : []));

/** Says something and resolves when the turn has ended: the facts of a whole turn. */
async function wholeTurn(gateway: GatewayUnderTest, member: JoinedClient): Promise<string> {
  const turn = await gateway.startTurn(member, 's1');
  await member.client.next({ type: 'turn_ended', turn }, turnMs);
  return turn;
}

/** The turns that words have opened: a stop may be acknowledged by one of its own. */
const saidTurns = (client: WireClient) => client.all({ type: 'turn_opened', kind: 'say' });

export const sessionChecks: readonly GatewayCheck[] = [
  {
    id: 'join.once',
    must: 'refuse a second `JOIN` of a session that the connection has joined (`already_joined`)',
    async run(gateway) {
      const { client, session } = await gateway.enter();
      client.send({ type: 'JOIN', ref: 'j2', session });
      await client.next({ type: 'error', code: 'already_joined', ref: 'j2' });
    },
  },
  {
    id: 'join.replay',
    must: 'replay each fact after `after` once, in the order of a strictly increasing `seq`, before `replayed`',
    async run(gateway) {
      const first = await gateway.enter(undefined, 0);
      await gateway.stopTurn(first, await gateway.startTurn(first));
      await first.client.settle();
      const live = seqsOf(first.client.frames);
      assertThat(
        live.length > 3 && live.every((seq, i) => i === 0 || seq > (live[i - 1] ?? 0)),
        `Live: ${live.join()}`,
      );
      const after = live[1] ?? 0;
      const late = await gateway.enter(first.session, after);
      await late.client.next({ type: 'replayed' });
      const until = late.client.frames.findIndex(({ type }) => type === 'replayed');
      // an acknowledgement may have gone on after the receipt
      const last = live.at(-1) ?? 0;
      const replayed = seqsOf(late.client.frames.slice(0, until)).filter((seq) => seq <= last);
      const wanted = live.filter((seq) => seq > after);
      assertThat(replayed.join() === wanted.join(), `Replayed ${replayed.join()} instead of ${wanted.join()}.`);
    },
  },
  {
    id: 'join.last',
    must: 'replay the last turns to a `JOIN` with `last`: all facts from `start` of its `tail` on, where so many turns were opened. Only of a gateway with `last_turns`',
    async run(gateway) {
      const first = await gateway.enter(undefined, 0);
      const { features } = await first.client.next({ type: 'welcome' });
      if (!Array.isArray(features) || !features.includes('last_turns'))
        throw new NotApplicable('It needs `last_turns` in `features` of `welcome`.');
      await wholeTurn(gateway, first);
      const { turn } = await first.client.ask({ type: 'SAY', ref: 's2', text: gateway.options.words });
      await first.client.next({ type: 'turn_ended', turn }, turnMs);
      await first.client.ask({ type: 'LEAVE', ref: 'l1', session: first.session });
      const late = await gateway.open();
      const joined = await late.ask({ type: 'JOIN', ref: 'j1', session: first.session, last: 1 });
      await late.next({ type: 'replayed' });
      const start = Number(fieldsOf(joined['tail'])['start']);
      const opened = saidTurns(late).map((frame) => frame['turn']);
      assertThat(opened.join() === String(turn), `It replayed the turns ${opened.join()} instead of ${String(turn)}.`);
      const wanted = seqsOf(first.client.frames).filter((seq) => seq >= start);
      const replayed = seqsOf(late.frames).filter((seq) => seq >= start && seq <= (wanted.at(-1) ?? 0));
      assertThat(replayed.join() === wanted.join(), `Replayed ${replayed.join()} instead of ${wanted.join()}.`);
    },
  },
  {
    id: 'join.blocks',
    must: 'give a client that joins in mid-stream the text so far in `blocks`, and go on where it ends',
    async run(gateway) {
      const first = await gateway.enter();
      const turn = await gateway.startTurn(first);
      const { client, joined } = await gateway.enter(first.session);
      const blocks: readonly WireFrame[] = Array.isArray(joined['blocks']) ? joined['blocks'] : [];
      const block = blocks.find((each) => each['turn'] === turn);
      assertThat(block !== undefined, 'The turn has no block.');
      const delta = await client.next({ type: 'text_delta', turn });
      const end = Number(block['offset']) + String(block['text']).length;
      assertThat(delta['offset'] === end, `The next delta begins at ${delta['offset']}, the block ends at ${end}.`);
      await gateway.stopTurn(first, turn);
    },
  },
  {
    id: 'leave.silent',
    must: 'reply to `LEAVE` with `left`, and send no frame of the session after it',
    async run(gateway) {
      const stays = await gateway.enter();
      const member = await gateway.enter(stays.session);
      const turn = await gateway.startTurn(stays);
      await member.client.next({ type: 'text_delta', turn });
      member.client.send({ type: 'LEAVE', ref: 'l1', session: stays.session });
      await member.client.next({ type: 'left', ref: 'l1' });
      await gateway.stopTurn(stays, turn);
      await member.client.settle();
      const after = member.client.frames.slice(member.client.frames.findIndex(({ type }) => type === 'left') + 1);
      const late = after.filter((frame) => frame['session'] === stays.session);
      assertThat(late.length === 0, `${late.length} frames after it, the first one ${late[0]?.type}.`);
    },
  },
  {
    id: 'say.turn',
    must: 'open one turn for a `SAY`, tell every member of it, and end it once, with no frame of it after its end',
    async run(gateway) {
      const member = await gateway.enter();
      const other = await gateway.enter(member.session);
      const turn = await wholeTurn(gateway, member);
      for (const { client } of [member, other]) {
        await client.next({ type: 'turn_ended', turn });
        await client.settle();
        const own = client.frames.filter((frame) => frame['turn'] === turn);
        for (const type of ['turn_opened', 'turn_started', 'turn_ended'])
          assertThat(own.filter((frame) => frame.type === type).length === 1, `Not one ${type}.`);
        assertThat(own.at(-1)?.type === 'turn_ended', `${own.at(-1)?.type} after turn_ended.`);
      }
    },
  },
  {
    id: 'say.text',
    must: 'send the text of a block in deltas without a gap, and all of it in `model_ended`',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await wholeTurn(gateway, member);
      const { frames } = member.client;
      const index = frames.find((frame) => frame.type === 'model_ended' && frame['turn'] === turn)?.['index'];
      const whole = frames.find((frame) => frame.type === 'model_ended' && frame['turn'] === turn)?.['text'];
      let text = '';
      for (const delta of member.client.all({ type: 'text_delta', turn, index })) {
        assertThat(
          Number(delta['offset']) <= text.length,
          `A delta at ${delta['offset']}, after ${text.length} characters.`,
        );
        text = text.slice(0, Number(delta['offset'])) + String(delta['text']);
      }
      assertThat(text === whole, `The deltas have ${text.length} characters, model_ended ${String(whole).length}.`);
    },
  },
  {
    id: 'say.repeat',
    must: 'reply to a repeat of a `SAY` with its turn, `repeated: true`, without `seq` and `at`, and open no other',
    async run(gateway) {
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member, 's1');
      const again = await gateway.enter(member.session);
      again.client.send({ type: 'SAY', ref: 's1', text: gateway.options.words });
      const reply = await again.client.next({ ref: 's1' });
      assertThat(reply['repeated'] === true && reply['turn'] === turn, `The reply was ${JSON.stringify(reply)}.`);
      assertThat(!('seq' in reply) && !('at' in reply), 'It has `seq` or `at`.');
      await gateway.stopTurn(member, turn);
      assertThat(saidTurns(member.client).length === 1, 'Another turn was opened.');
    },
  },
  {
    id: 'ref.reused',
    must: 'refuse a command under a ref that its speaker has used in the session for another one (`ref_reused`), with no effect',
    async run(gateway) {
      const member = await gateway.enter();
      const { client } = member;
      const turn = await gateway.startTurn(member, 's1');
      client.send({ type: 'SAY', ref: 's1', text: 'other words' });
      await client.next({ type: 'error', code: 'ref_reused', ref: 's1' });
      client.send({ type: 'STEER', ref: 's1', text: gateway.options.words });
      client.send({ type: 'CANCEL', ref: 'c1', target: turn });
      await client.next({ type: 'cancel_settled', ref: 'c1' });
      const refused = client.all({ type: 'error', code: 'ref_reused', ref: 's1' }).length;
      assertThat(refused === 2, `Of a SAY with other words and a STEER with the same ones ${refused} were refused.`);
      client.send({ type: 'CANCEL', ref: 'c1', target: 'mine' });
      await client.next({ type: 'error', code: 'ref_reused', ref: 'c1' });
      assertThat(saidTurns(client).length === 1, 'A turn was opened.');
    },
  },
  {
    id: 'ref.none',
    must: 'accept `SAY` and `CANCEL` without a `ref`, and reply without one (`null` in a fact)',
    async run(gateway) {
      const member = await gateway.enter();
      const { client } = member;
      client.send({ type: 'SAY', text: gateway.options.words });
      const opened = await client.next({ type: 'turn_opened' });
      assertThat(opened['ref'] === null, `turn_opened has the ref ${JSON.stringify(opened['ref'])}.`);
      client.send({ type: 'CANCEL', target: opened['turn'] });
      await client.next({ type: 'cancel_settled', ref: null });
      assertThat((await client.next({ type: 'cancel_accepted' }))['ref'] === null, 'cancel_accepted has a ref.');
      client.send({ type: 'CANCEL', target: 'no-such-node' });
      assertThat(!('ref' in (await client.next({ type: 'unknown_target' }))), 'unknown_target has a ref.');
    },
  },
  {
    id: 'answer.question',
    must: 'name each question (`question`), and not let an answer that names another one close it (`expired`)',
    async run(gateway) {
      const text = gateway.options.askingWords;
      if (text === undefined) throw new NotApplicable('It needs words that lead to an approval: `--ask`.');
      const { client } = await gateway.enter();
      client.send({ type: 'SAY', ref: 's1', text });
      const { node: target, question } = await client.next({ type: 'approval_requested' }, turnMs);
      assertThat(typeof question === 'string', 'approval_requested has no `question`.');
      client.send({ type: 'APPROVE', ref: 'a1', target, question: 'no-such-question' });
      await client.next({ type: 'answer_refused', ref: 'a1', code: 'expired' });
      client.send({ type: 'DENY', ref: 'a2', target, question });
      await client.next({ type: 'approval_closed', ref: 'a2', question, answer: 'denied' });
    },
  },
  {
    id: 'answer.expired',
    must: 'refuse an answer to what is not asked (`expired`)',
    async run(gateway) {
      const { client } = await gateway.enter();
      client.send({ type: 'APPROVE', ref: 'a1', target: 'no-such-call', question: 'no-such-question' });
      await client.next({ type: 'answer_refused', ref: 'a1', code: 'expired' });
    },
  },
];
