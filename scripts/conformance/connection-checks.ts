// Checks what a gateway does with connections and frames, before anything is said.

import { fieldsOf } from '../../src/core/collections/fields.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { assertThat, type Requirement, Violation } from './verdict.ts';

export interface GatewayCheck extends Requirement {
  /** Rejects with a Violation, or with NotApplicable. */
  run(gateway: GatewayUnderTest): Promise<void>;
}

const limitNames = [
  'frameBytes',
  'framesPerSecond',
  'frameBurst',
  'cancelsPerSecond',
  'cancelBurst',
  'sessions',
  'unanswered',
  'heartbeatMs',
];

export const connectionChecks: readonly GatewayCheck[] = [
  {
    id: 'hello.subprotocol',
    must: 'answer `400` to an upgrade that does not offer `belay.v1`',
    async run(gateway) {
      const refused = await gateway.connect({ protocols: [] }).then(
        () => 'It was accepted.',
        (error: unknown) => String(error),
      );
      assertThat(refused.includes('400'), refused);
    },
  },
  {
    id: 'hello.first',
    must: 'refuse a command before `HELLO` (`hello_expected`), and keep the connection open',
    async run(gateway) {
      const client = await gateway.connect();
      client.send({ type: 'PING', ref: 'p1' });
      await client.next({ type: 'error', code: 'hello_expected', ref: 'p1' });
      client.send(gateway.hello);
      await client.next({ type: 'welcome' });
    },
  },
  {
    id: 'hello.welcome',
    must: 'reply to `HELLO` with `welcome`: the protocol, the connection, the speaker, its roles and all limits',
    async run(gateway) {
      const client = await gateway.open();
      const welcome = await client.next({ type: 'welcome', protocol: 'belay.v1' });
      const limits = fieldsOf(welcome['limits']);
      const missing = limitNames.filter((name) => typeof limits[name] !== 'number');
      assertThat(missing.length === 0, `Limits without a number: ${missing.join(', ')}`);
      assertThat(typeof welcome['speaker'] === 'string' && Array.isArray(welcome['roles']), 'No speaker, or no roles.');
    },
  },
  {
    id: 'hello.once',
    must: 'refuse a second `HELLO` (`hello_repeated`)',
    async run(gateway) {
      const client = await gateway.open();
      client.send(gateway.hello);
      await client.next({ type: 'error', code: 'hello_repeated' });
    },
  },
  {
    id: 'hello.early',
    must: 'handle what is sent before `welcome` and before `joined`, in its order',
    async run(gateway) {
      const client = await gateway.connect();
      const session = gateway.name();
      client.send(gateway.hello, { type: 'JOIN', ref: 'j', session }, { type: 'LEAVE', ref: 'l', session });
      client.send({ type: 'JOIN', ref: 'k', session });
      await client.next({ type: 'joined', ref: 'k' });
      const types = client.frames.map(({ type }) => type).filter((type) => /welcome|joined|left/.test(type));
      assertThat(types.join() === 'welcome,joined,left,joined', `The replies came as ${types.join()}.`);
    },
  },
  {
    id: 'frames.invalid',
    must: 'refuse by name what is no frame (`not_text`, `not_json`, `not_a_frame`, `unknown_type`, `unknown_field`, `missing_field`, `bad_field`), and keep the connection open',
    async run(gateway) {
      const { client } = await gateway.enter();
      const cases: readonly (readonly [string, object | string | Uint8Array])[] = [
        ['not_text', new Uint8Array([1])],
        ['not_json', '{'],
        ['not_a_frame', '[]'],
        ['unknown_type', { type: 'SHOUT', ref: 'x1' }],
        ['unknown_field', { type: 'CANCEL', ref: 'x2', target: 'mine', froce: true }],
        ['missing_field', { type: 'CANCEL', ref: 'x3' }],
        ['bad_field', { type: 'SAY', ref: 'x4', text: '  ' }],
      ];
      for (const [code, message] of cases) {
        client.send(message);
        const error = await client.next({ type: 'error', code });
        const ref = typeof message === 'object' && 'ref' in message ? message.ref : undefined;
        assertThat(error['ref'] === ref, `${code} has the ref ${String(error['ref'])} instead of ${String(ref)}.`);
      }
      await client.settle();
    },
  },
  {
    id: 'frames.large',
    must: 'refuse a frame over `frameBytes` (`frame_too_large`), and keep the connection open',
    async run(gateway) {
      const { client } = await gateway.enter();
      const limits = fieldsOf((await client.next({ type: 'welcome' }))['limits']);
      client.send({ type: 'SAY', ref: 's1', text: 'x'.repeat(Number(limits['frameBytes'])) });
      await client.next({ type: 'error', code: 'frame_too_large' });
      await client.settle();
    },
  },
  {
    id: 'frames.as',
    must: 'refuse `as` from a speaker without the role `bridge` (`as_not_allowed`), with no effect',
    async run(gateway) {
      const { client } = await gateway.enter();
      const { roles } = await client.next({ type: 'welcome' });
      if (Array.isArray(roles) && roles.includes('bridge')) return;
      client.send({ type: 'SAY', ref: 's1', text: 'words', as: 'somebody-else' });
      await client.next({ type: 'error', code: 'as_not_allowed', ref: 's1' });
      await client.settle();
      assertThat(client.all({ type: 'turn_opened' }).length === 0, 'A turn was opened.');
    },
  },
  {
    id: 'frames.reply',
    must: 'send exactly one reply to each command, with its `ref`',
    async run(gateway) {
      const { client, session } = await gateway.enter();
      const refs = ['a', 'b', 'c', 'd', 'e'];
      client.send({ type: 'PING', ref: 'a' }, { type: 'CANCEL', ref: 'b', target: 'no-such-node' });
      client.send({ type: 'JOIN', ref: 'c', session }, { type: 'APPROVE', ref: 'd', target: 'no-such-call' });
      client.send({ type: 'SAY', ref: 'e', text: '' });
      for (const ref of refs) await client.next({ ref });
      await client.settle();
      const counts = refs.filter((ref) => client.all({ ref }).length !== 1);
      assertThat(counts.length === 0, `Not one reply each: ${counts.join(', ')}`);
    },
  },
  {
    id: 'frames.session',
    must: 'refuse a command for a session that is not joined (`not_joined`), and one without `session` when several are joined (`session_required`)',
    async run(gateway) {
      const { client } = await gateway.enter();
      client.send({ type: 'CANCEL', ref: 'c1', target: 'mine', session: gateway.name() });
      await client.next({ type: 'error', code: 'not_joined', ref: 'c1' });
      client.send({ type: 'JOIN', ref: 'j2', session: gateway.name() });
      await client.next({ type: 'joined', ref: 'j2' });
      client.send({ type: 'CANCEL', ref: 'c2', target: 'mine' });
      await client.next({ type: 'error', code: 'session_required', ref: 'c2' });
    },
  },
  {
    id: 'limits.cancel',
    must: 'accept a `CANCEL` from a client that has used up its rate of frames',
    async run(gateway) {
      const { client } = await gateway.enter();
      const limits = fieldsOf((await client.next({ type: 'welcome' }))['limits']);
      const burst = Number(limits['frameBurst']);
      // a few more than the rate, and fewer than the errors that close the connection
      client.send(...Array.from({ length: burst + 8 }, (_, i) => ({ type: 'PING', ref: `p${i}` })));
      client.send({ type: 'CANCEL', ref: 'c1', target: 'no-such-node' });
      const reply = await client.next({ ref: 'c1' });
      if (reply.type !== 'unknown_target') throw new Violation(`The reply was ${JSON.stringify(reply)}.`);
    },
  },
];
