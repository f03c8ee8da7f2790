// Checks what a gateway keeps over the end of its process, and what it does while its store is slow.

import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import { assertThat } from './verdict.ts';
import { turnMs } from './wire-client.ts';

export const restartChecks: readonly GatewayCheck[] = [
  {
    id: 'durable.false',
    must: 'send `cancel_accepted` with `durable: false`, without `seq` and `at`, when its commit takes longer than 250 ms, and the same receipt with both after the commit',
    async run(gateway) {
      const holdStore = gateway.need('holdStore', '--hold-store COMMAND');
      const member = await gateway.enter();
      const turn = await gateway.startTurn(member);
      const release = await holdStore();
      let early: Awaited<ReturnType<typeof member.client.ask>>;
      try {
        early = await member.client.ask({ type: 'CANCEL', ref: 'c1', target: turn });
      } finally {
        release();
      }
      assertThat(early.type === 'cancel_accepted' && early['durable'] === false, JSON.stringify(early));
      assertThat(!('seq' in early) && !('at' in early), 'It has `seq` or `at`.');
      const from = member.client.frames.indexOf(early) + 1;
      const late = await member.client.next({ type: 'cancel_accepted', ref: 'c1' }, turnMs, from);
      assertThat(late['cancel'] === early['cancel'] && 'seq' in late, `Then came ${JSON.stringify(late)}.`);
      await member.client.next({ type: 'cancel_settled', ref: 'c1' }, turnMs);
    },
  },
  {
    id: 'restart.refs',
    must: 'know the refs of a session after a restart: a repeat gets the turn or the receipt of the first one, and another command is refused (`ref_reused`)',
    async run(gateway) {
      const restart = gateway.need('restart', '--restart COMMAND');
      const before = await gateway.enter();
      const turn = await gateway.startTurn(before, 's1');
      const cancel = { type: 'CANCEL', ref: 'c1', target: turn };
      const { cancel: receipt } = await before.client.ask(cancel);
      await before.client.next({ type: 'cancel_settled', ref: 'c1' });
      await restart();
      const { client } = await gateway.enter(before.session);
      const said = await client.ask({ type: 'SAY', ref: 's1', text: gateway.options.words });
      assertThat(said['repeated'] === true && said['turn'] === turn, `The SAY got ${JSON.stringify(said)}.`);
      const stopped = await client.ask(cancel);
      const isSame = stopped['cancel'] === receipt || fieldsOf(stopped['receipt'])['cancel'] === receipt;
      assertThat(isSame, `The CANCEL got ${JSON.stringify(stopped)}.`);
      const reused = await client.ask({ type: 'STEER', ref: 's1', text: gateway.options.words });
      assertThat(reused['code'] === 'ref_reused', `A STEER under the ref of the SAY got ${JSON.stringify(reused)}.`);
    },
  },
  {
    id: 'restart.shutdown',
    must: 'stop what runs when it shuts down (source `shutdown`), tell its members (`left`, reason `shutdown`), and close their connections with 4450',
    async run(gateway) {
      const restart = gateway.need('restart', '--restart COMMAND');
      const before = await gateway.enter(undefined, 0);
      const turn = await gateway.startTurn(before);
      await restart();
      const { code, reason } = await before.client.nextClose();
      assertThat(code === 4450 && reason === 'shutdown', `It was closed with ${code} ${reason}.`);
      await before.client.next({ type: 'left', session: before.session, reason: 'shutdown' });
      const { client } = await gateway.enter(before.session, 0);
      await client.next({ type: 'cancel_accepted', source: 'shutdown' });
      await client.next({ type: 'turn_ended', turn, outcome: 'cancelled' });
    },
  },
  {
    id: 'recovery.closes',
    must: 'close, after the end of its process, each turn that was open as `failed` with the code `crash`, and then append `session_recovered`, which lists them',
    async run(gateway) {
      const crash = gateway.need('crash', '--crash COMMAND');
      const before = await gateway.enter();
      const turn = await gateway.startTurn(before);
      await crash();
      const { client, joined } = await gateway.enter(before.session, 0);
      const ended = await client.next({ type: 'turn_ended', turn, outcome: 'failed', code: 'crash' });
      const recovered = await client.next({ type: 'session_recovered' });
      const { turns } = recovered;
      assertThat(Array.isArray(turns) && turns.includes(turn), `It lists ${JSON.stringify(turns)}.`);
      assertThat(Number(ended['seq']) < Number(recovered['seq']), 'session_recovered comes first.');
      assertThat(Array.isArray(joined['nodes']) && joined['nodes'].length === 0, 'joined has live nodes.');
    },
  },
  {
    id: 'recovery.questions',
    must: 'withdraw, after the end of its process, each open approval (`approval_closed`, `withdrawn`), and close the call that asked as `failed` with the code `crash`, `not_started`',
    async run(gateway) {
      const crash = gateway.need('crash', '--crash COMMAND');
      const text = gateway.need('askingWords', '--ask');
      const before = await gateway.enter();
      before.client.send({ type: 'SAY', ref: 's1', text });
      const { node } = await before.client.next({ type: 'approval_requested' }, turnMs);
      await crash();
      const { client, joined } = await gateway.enter(before.session, 0);
      await client.next({ type: 'approval_closed', node, answer: 'withdrawn' });
      const result = await client.next({ type: 'tool_result', node });
      const { outcome, code, effect } = result;
      const isClosed = outcome === 'failed' && code === 'crash' && effect === 'not_started';
      assertThat(isClosed, `Its result is ${JSON.stringify(result)}.`);
      assertThat(Array.isArray(joined['questions']) && joined['questions'].length === 0, 'joined has questions.');
    },
  },
];
