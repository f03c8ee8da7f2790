// Checks what a gateway does for a bridge: words of others, who is in a room, and voice.
import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayCheck } from './connection-checks.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { assertThat } from './verdict.ts';
import type { WireClient, WireFrame } from './wire-client.ts';

const as = 'cleo';

const enterVoice = (gateway: GatewayUnderTest) => gateway.enter(gateway.name('voice'), undefined, 'bridge');

/** Lets a speaker of a room say something, and resolves with the turn when its text streams. */
async function startSpokenTurn(gateway: GatewayUnderTest, client: WireClient): Promise<unknown> {
  const words = { text: gateway.options.words, final: true, confidence: 0.9 };
  const { turn } = await client.ask({ type: 'TRANSCRIPT', ref: gateway.name(), as, ...words });
  await client.next({ type: 'text_delta', turn });
  return turn;
}

async function assertError(client: WireClient, command: WireFrame & { ref: string }, code: string): Promise<void> {
  const reply = await client.ask(command);
  assertThat(reply['code'] === code, `The reply to ${command.type} was ${JSON.stringify(reply)}.`);
}

const voiceCommands = [
  { type: 'TRANSCRIPT', ref: 'v1', as, text: 'words', final: true },
  { type: 'BARGE_IN', ref: 'v2', as },
  { type: 'PLAYED', ref: 'v3', turn: 'turn_1', index: 0, offset: 0 },
] as const;

export const roomChecks: readonly GatewayCheck[] = [
  {
    id: 'bridge.as',
    must: 'name the speaker of `as` in the facts of what a bridge relays (`owner`, `by`), and the bridge in `via`',
    async run(gateway) {
      const { client } = await gateway.enter(undefined, undefined, 'bridge');
      const { speaker: via } = await client.next({ type: 'welcome' });
      const opened = await client.ask({ type: 'SAY', ref: 's1', text: gateway.options.words, as });
      assertThat(opened['owner'] === as && opened['via'] === via, `The reply was ${JSON.stringify(opened)}.`);
      const accepted = await client.ask({ type: 'CANCEL', ref: 'c1', target: 'mine', as });
      assertThat(accepted['by'] === as && accepted['via'] === via, `The reply was ${JSON.stringify(accepted)}.`);
      await client.next({ type: 'cancel_settled', ref: 'c1' });
    },
  },
  {
    id: 'bridge.only',
    must: 'refuse `SPEAKER`, `TRANSCRIPT` and `BARGE_IN` with `as`, `OPEN_CALL`, `addressed` and `replyToBot` from a speaker without the role `bridge` (`as_not_allowed`), with no effect',
    async run(gateway) {
      const { client } = await gateway.enter();
      const commands = [
        { type: 'SPEAKER', ref: 'v0', as, present: true },
        ...voiceCommands.filter((command) => 'as' in command),
        { type: 'OPEN_CALL', ref: 'v6', name: 'job' },
        { type: 'SAY', ref: 'v4', text: 'words', addressed: 1 },
        { type: 'STEER', ref: 'v5', text: 'words', replyToBot: true },
      ];
      for (const command of commands) await assertError(client, command, 'as_not_allowed');
      assertThat(client.all({ type: 'turn_opened' }).length === 0, 'A turn was opened.');
    },
  },
  {
    id: 'speaker.reply',
    must: 'reply to `SPEAKER` with `speaker`, and refuse a role that the bridge does not have (`role_not_allowed`)',
    async run(gateway) {
      const { client } = await gateway.enter(undefined, undefined, 'bridge');
      const reply = await client.ask({ type: 'SPEAKER', ref: 'p1', as, present: true });
      const { speaker, present, roles } = reply;
      const isKept = speaker === as && present === true && JSON.stringify(roles) === '["member"]';
      assertThat(reply.type === 'speaker' && isKept, `The reply was ${JSON.stringify(reply)}.`);
      const own = (await client.next({ type: 'welcome' }))['roles'];
      if (Array.isArray(own) && own.includes('moderator')) return;
      await assertError(
        client,
        { type: 'SPEAKER', ref: 'p2', as, present: true, roles: ['moderator'] },
        'role_not_allowed',
      );
    },
  },
  {
    id: 'voice.text',
    must: 'refuse `TRANSCRIPT`, `BARGE_IN` and `PLAYED` in a text session (`not_voice`)',
    async run(gateway) {
      const { client } = await gateway.enter(undefined, undefined, 'bridge');
      for (const command of voiceCommands) await assertError(client, command, 'not_voice');
    },
  },
  {
    id: 'voice.transcript',
    must: 'ignore a `TRANSCRIPT` that is not final (`partial`) or has no words (`no_speech`), and take a final one as the words of its speaker, a stop phrase only from `confidenceFrom` on',
    async run(gateway) {
      const { client, joined } = await enterVoice(gateway);
      const confidenceFrom = Number(fieldsOf(joined['voice'])['confidenceFrom']);
      assertThat(joined['kind'] === 'voice' && confidenceFrom >= 0, `joined has ${JSON.stringify(joined['voice'])}.`);
      const partial = await client.ask({ type: 'TRANSCRIPT', ref: 't1', as, text: 'words', final: false });
      assertThat(partial['reason'] === 'partial', `The reply to a partial one was ${JSON.stringify(partial)}.`);
      const blank = await client.ask({ type: 'TRANSCRIPT', ref: 't2', as, text: ' ', final: true });
      assertThat(blank['reason'] === 'no_speech', `The reply to a blank one was ${JSON.stringify(blank)}.`);
      const turn = await startSpokenTurn(gateway, client);
      const stop = { type: 'TRANSCRIPT', as, text: 'Stop?', final: true, addressed: 1 };
      const unsure = await client.ask({ ...stop, ref: 't4', confidence: confidenceFrom / 2 });
      assertThat(unsure.type !== 'stop_phrase', 'A stop phrase of low confidence has stopped something.');
      const sure = await client.ask({ ...stop, ref: 't5', confidence: 1 });
      const isFact = sure.type === 'cancel_accepted' && sure['source'] === 'phrase';
      assertThat(isFact || sure.type === 'stop_phrase', `The reply to a stop phrase was ${JSON.stringify(sure)}.`);
      await client.next({ type: 'turn_ended', turn, outcome: 'cancelled' });
    },
  },
  {
    id: 'voice.barge-in',
    must: 'pause speech at a `BARGE_IN` that is long enough: `speech_stop` to every member, then `barge_in` (`paused`), while the turn runs on; else say why not (`too_short`, `nothing_spoken`)',
    async run(gateway) {
      const { client, session, joined } = await enterVoice(gateway);
      const least = Number(fieldsOf(joined['voice'])['minBargeInMs']);
      const other = await gateway.enter(session, undefined, 'bridge');
      const silent = await client.ask({ type: 'BARGE_IN', ref: 'b1', as, durationMs: least });
      assertThat(silent['result'] === 'nothing_spoken', `In silence the reply was ${JSON.stringify(silent)}.`);
      const turn = await startSpokenTurn(gateway, client);
      const short = await client.ask({ type: 'BARGE_IN', ref: 'b2', as, durationMs: 0 });
      assertThat(short['result'] === 'too_short', `The reply to a short one was ${JSON.stringify(short)}.`);
      const paused = await client.ask({ type: 'BARGE_IN', ref: 'b3', as, durationMs: least });
      assertThat(paused['result'] === 'paused' && paused['turn'] === turn, `The reply was ${JSON.stringify(paused)}.`);
      for (const member of [client, other.client]) await member.next({ type: 'speech_stop', turn, why: 'barge_in' });
      const types = client.frames.map(({ type }) => type);
      assertThat(types.indexOf('speech_stop') < types.lastIndexOf('barge_in'), 'barge_in comes first.');
      assertThat(client.all({ type: 'turn_ended', turn }).length === 0, 'The turn was ended.');
      await client.ask({ type: 'CANCEL', ref: 'c1', target: 'session', as });
      await client.next({ type: 'cancel_settled', ref: 'c1' });
    },
  },
  {
    id: 'voice.played',
    must: 'reply to `PLAYED` with how much counts as heard (`played`), which never becomes less, and for a block that it does not know with `unknown_target`',
    async run(gateway) {
      const { client } = await enterVoice(gateway);
      const turn = await startSpokenTurn(gateway, client);
      const played = { type: 'PLAYED', turn, index: 0 };
      for (const [ref, offset] of [
        ['p1', 0],
        ['p2', 1],
        ['p3', 0],
      ] as const) {
        const reply = await client.ask({ ...played, ref, offset });
        const heard = ref === 'p1' ? 0 : 1;
        assertThat(reply.type === 'played' && reply['offset'] === heard, `The reply was ${JSON.stringify(reply)}.`);
      }
      const unknown = await client.ask({ ...played, ref: 'p4', turn: 'no-such-turn', offset: 0 });
      assertThat(unknown.type === 'unknown_target', `The reply was ${JSON.stringify(unknown)}.`);
      await client.ask({ type: 'CANCEL', ref: 'c1', target: 'session', as });
      await client.next({ type: 'cancel_settled', ref: 'c1' });
    },
  },
];
