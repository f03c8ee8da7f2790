// Runs the machines of a gateway's connections, and ties the actions of the chart to the connection that has the machine's id.
//
// 1. No action throws: what a connection throws is reported, and closes that connection alone.
// 2. What a token has opened is closed when the token is revoked.
// 3. All machines share one actor system, below one parent: a system of its own would cost each of them 1.8 KB. The machine arms no
//    timers (`after`), so that stopping one does not look at the others.
import {
  type Actor,
  type AnyEventObject,
  type CallbackActorLogic,
  createActor,
  fromCallback,
  fromPromise,
} from 'xstate';
import { connectionMachine, type Known, type NotKnown, type VerifyInput } from '../../machines/connection.ts';
import type { CommandFrame } from '../wire/client-frames.ts';
import type { CloseName } from '../wire/close-codes.ts';
import type { InspectedConnections } from '../wire/inspection-source.ts';
import type { Authenticator, Proof } from './auth/authenticator.ts';
import { addressShareOf } from './client-address.ts';
import type { Connection } from './connection.ts';
import type { ConnectionTable } from './connection-table.ts';
import { type CredentialCheck, type CredentialRefusal, usableProof } from './credential-check.ts';

export interface ConnectionMachinesOptions {
  readonly connections: ConnectionTable;
  readonly authenticator: Authenticator;
  readonly credentials: Pick<CredentialCheck, 'check'>;
  readonly report: (error: unknown) => void;
}

interface ActionArgs {
  readonly context: { readonly id: string };
  readonly event: unknown;
}

export class ConnectionMachines {
  readonly #connections: ConnectionTable;
  readonly #authenticator: Authenticator;
  readonly #credentials: Pick<CredentialCheck, 'check'>;
  readonly #report: (error: unknown) => void;
  readonly #machine: typeof connectionMachine;
  readonly #parent: Actor<CallbackActorLogic<AnyEventObject>>;
  /** What has proven the speaker of each connection. */
  readonly #proofs = new Map<string, Proof>();

  constructor({ connections, authenticator, credentials, report }: ConnectionMachinesOptions) {
    this.#connections = connections;
    this.#authenticator = authenticator;
    this.#credentials = credentials;
    this.#report = report;
    this.#machine = connectionMachine.provide({
      actors: { verify: fromPromise<Known | NotKnown, VerifyInput>(({ input }) => this.#verify(input)) },
      actions: {
        welcome: this.#action((connection, known) => connection.welcome(known)),
        // the machine is sent whole frames: it declares what it needs itself
        queue: this.#action((connection, _, frame) => connection.queue(frame as CommandFrame)),
        perform: this.#action((connection, _, frame) => connection.perform(frame as CommandFrame)), // for the same reason
        refuse: this.#action((connection, { code, ref }) => connection.refuse(code, ref)),
        leaveSessions: this.#action((connection, how) => connection.leaveSessions(how)),
        // machines/ knows no close codes; those that it names itself are among them
        close: this.#action((connection, because) => connection.close(because as CloseName)),
        terminate: this.#action((connection) => connection.terminate()),
      },
    });
    this.#parent = createActor(fromCallback<AnyEventObject>(({ receive }) => receive((event) => this.#onEnd(event))));
    this.#parent.start();
    authenticator.onRevoked?.((proof) => this.#closeProvenBy(proof));
  }

  /** Starts the machine of a connection. */
  start(id: string): Actor<typeof connectionMachine> {
    return createActor(this.#machine, { id, input: { id }, parent: this.#parent }).start();
  }

  /** The connections as an inspector sees them. */
  get inspected(): InspectedConnections {
    return {
      parent: this.#parent,
      list: () => [...this.#connections.byId.values()].map(({ actor }) => actor),
      sessionsOf: (id) => this.#connections.byId.get(id)?.joined ?? [],
      speakerOf: (id) => this.#connections.byId.get(id)?.speaker?.id ?? null,
    };
  }

  #action<P>(act: (connection: Connection, params: P, event: unknown) => void) {
    return ({ context, event }: ActionArgs, params: P): void => {
      const connection = this.#connections.byId.get(context.id);
      if (!connection) return;
      try {
        act(connection, params, event);
      } catch (error) {
        this.#report(error);
        connection.requestClose('gateway_failed');
      }
    };
  }

  async #verify({ id, token, sound }: VerifyInput): Promise<Known | NotKnown> {
    const connection = this.#connections.byId.get(id);
    const secret = token ?? connection?.upgradeToken ?? null;
    try {
      const proof = await this.#proofOf(secret, connection?.address ?? '');
      if (typeof proof === 'object') {
        if (connection) this.#proofs.set(id, proof);
        if (sound) await connection?.openSound(sound);
        return { kind: 'known', ...proof };
      }
      if (proof === 'bad_speaker') connection?.refuseToken();
      return { kind: 'refused', because: proof === 'rate_limited' ? 'flood' : 'unauthorized' };
    } catch (error) {
      this.#report(error);
      return { kind: 'refused', because: 'gateway_failed' };
    }
  }

  /** Verifies a token. Without tokens the upgrade has shown the key. */
  async #proofOf(secret: string | null, address: string): Promise<Proof | CredentialRefusal> {
    if (this.#authenticator.kind === 'local') return usableProof(await this.#authenticator.verify(secret));
    return this.#credentials.check({ secret, address: addressShareOf(address) });
  }

  #closeProvenBy(revoked: Proof): void {
    for (const [id, proof] of this.#proofs)
      if (proof === revoked) this.#connections.byId.get(id)?.requestClose('unauthorized');
  }

  /** A machine has reached `closed`, or has thrown: then nothing of its connection can be trusted. */
  #onEnd(event: AnyEventObject): void {
    const id = String(event['actorId']);
    this.#proofs.delete(id);
    if (event.type === `xstate.done.actor.${id}`) return this.#connections.delete(id);
    this.#report(event['error']);
    this.#connections.byId.get(id)?.terminate();
  }
}
