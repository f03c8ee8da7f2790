// The bus of hosts on several machines, over a NATS server (2.9 or newer). NATS keeps nothing: what is lost while it is away is found in the log.
import { readFileSync } from 'node:fs';
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { Bus } from '../../core/contracts/bus.ts';
import { errorText } from '../../core/text/error-text.ts';
import { type Carrier, CarrierState } from './carrier.ts';
import { ControlBus } from './control-bus.ts';
import { assertKey, type BusOptions, SealedBus } from './sealed-bus.ts';

export interface NatsBusOptions extends BusOptions {
  /** Like `nats.example.org:4222`, without a name or a password. */
  readonly servers: string | readonly string[];
  readonly user?: string | undefined;
  /** A file with the password of the user, or with the token if there is no user. */
  readonly passwordFile?: string | undefined;
  /** A file with credentials (`.creds`), instead of a user. */
  readonly credentialsFile?: string | undefined;
  /** Whether the connections are encrypted, or with which files. Default: as the server wants it. */
  readonly tls?: boolean | NatsTlsFiles | undefined;
}

/** Files in PEM. */
export interface NatsTlsFiles {
  /** The authorities of the server's certificate. Left out: those of Node. */
  readonly caFile?: string | undefined;
  /** The certificate of this host, for a server that asks for one. */
  readonly certFile?: string | undefined;
  /** The key of that certificate. */
  readonly keyFile?: string | undefined;
}

/** A ping that two seconds leave without an answer: the server is gone. */
const pings = { pingInterval: 1_000, maxPingOut: 2 };
const reconnects = { maxReconnectAttempts: -1, reconnectTimeWait: 250 };
/** The status of a message for which nobody listens. */
const noResponders = 503;
/** What the server must take as one message, in bytes: its default. */
const minPayload = 1_048_576;
/** Texts that the server may find nobody for: the oldest are forgotten. */
const maxUnanswered = 10_000;

interface NatsMessage {
  readonly subject: string;
  readonly headers?: { readonly code: number } | undefined;
  string(): string;
}

/** The part of a connection that the bus uses. */
interface NatsConnection {
  readonly info?: { readonly max_payload: number } | undefined;
  publish(subject: string, text: string, options?: { readonly reply: string }): void;
  subscribe(
    subject: string,
    options: { callback(error: Error | null, message: NatsMessage): void },
  ): { unsubscribe(): void };
  status(): AsyncIterable<{ readonly type: string }>;
  close(): Promise<void>;
  isClosed(): boolean;
}

class NatsCarrier extends CarrierState implements Carrier {
  readonly #connection: NatsConnection;
  /** The subject below which the server says that nobody listens. */
  readonly #inbox: string;
  readonly #unanswered = new BoundedMap<string, () => void>(maxUnanswered);
  #count = 0;

  constructor(connection: NatsConnection, id: string) {
    super();
    this.#connection = connection;
    this.#inbox = `belay.nobody.${id}`;
    connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => error ?? this.#onInbox(message) });
    void this.#follow();
  }

  send(subject: string, text: string, onNobody?: () => void): void {
    if (!onNobody) return this.#connection.publish(subject, text);
    this.#count += 1;
    const reply = `${this.#inbox}.${this.#count}`;
    this.#unanswered.set(reply, onNobody);
    this.#connection.publish(subject, text, { reply });
  }

  listen(subject: string, listener: (text: string) => void): () => void {
    if (this.#connection.isClosed()) return () => {}; // by the server, for good
    const subscription = this.#connection.subscribe(subject, {
      callback: (error, message) => void (error ?? listener(message.string())),
    });
    return () => {
      if (!this.#connection.isClosed()) subscription.unsubscribe();
    };
  }

  async close(): Promise<void> {
    this.enter('down');
    await this.#connection.close();
  }

  #onInbox({ subject, headers }: NatsMessage): void {
    if (headers?.code === noResponders) this.#unanswered.get(subject)?.();
    this.#unanswered.delete(subject);
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect' || type === 'close') this.enter('down');
      if (type === 'reconnect' && !this.#connection.isClosed()) this.enter('up');
    }
  }
}

/** The part of the package that the bus uses. */
interface NatsPackage {
  connect(options: object): Promise<NatsConnection>;
  credsAuthenticator(credentials: Uint8Array): unknown;
}

/** Loads the package, which is for users to install. */
async function loadPackage(): Promise<NatsPackage> {
  try {
    return await import('@nats-io/transport-node');
  } catch (cause) {
    const install = 'npm install @nats-io/transport-node';
    throw new Error(`A bus over NATS needs a package: ${install}. ${errorText(cause)}`, { cause });
  }
}

/** Reads the first line of a file. */
const lineOf = (file: string): string => readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? '';

function accountOf({ user, passwordFile, credentialsFile }: NatsBusOptions, nats: NatsPackage): object {
  if (credentialsFile !== undefined) return { authenticator: nats.credsAuthenticator(readFileSync(credentialsFile)) };
  if (passwordFile === undefined) return user === undefined ? {} : { user };
  return user === undefined ? { token: lineOf(passwordFile) } : { user, pass: lineOf(passwordFile) };
}

function encryptionOf({ tls }: NatsBusOptions): object {
  if (!tls) return {};
  if (tls === true) return { tls: {} };
  const read = (file: string | undefined) => file && readFileSync(file, 'utf8');
  return { tls: { ca: read(tls.caFile), cert: read(tls.certFile), key: read(tls.keyFile) } };
}

/** Resolves with a connection to a server. Rejects with an error that names the servers, if none can be reached, lets this host in, or takes messages of 1 MiB. */
async function openConnection(nats: NatsPackage, options: NatsBusOptions, name: string): Promise<NatsConnection> {
  const servers = [options.servers].flat();
  const access = { ...accountOf(options, nats), ...encryptionOf(options) };
  const connecting = nats.connect({ servers, name, ...access, ...pings, ...reconnects });
  const connection = await connecting.catch((error: unknown) => {
    throw new Error(`The NATS server ${servers.join(', ')} is not reached: ${errorText(error)}`, { cause: error });
  });
  const { max_payload: most = minPayload } = connection.info ?? {};
  if (most < minPayload) {
    await connection.close();
    throw new RangeError(
      `The NATS server ${servers.join(', ')} takes messages of ${most} bytes at most: set its max_payload to ${minPayload} or more.`,
    );
  }
  return connection;
}

/**
 * Connects to a NATS server, by two connections: one for questions and answers, and one for what is published.
 *
 * @throws RangeError if the key is too short, an address has a password, or the server takes no messages of 1 MiB. An `Error` that names the servers, if none can be reached or lets this host in.
 */
export async function createNatsBus(options: NatsBusOptions): Promise<Bus> {
  assertKey('createNatsBus', options);
  if ([options.servers].flat().some((server) => server.includes('@')))
    throw new RangeError('An address of a NATS server has no name and no password: give user and passwordFile.');
  const nats = await loadPackage();
  const control = await openConnection(nats, options, 'belay control');
  const texts = await openConnection(nats, options, 'belay texts').catch(async (error: unknown) => {
    await control.close();
    throw error;
  });
  const busOver = (connection: NatsConnection) => new SealedBus((id) => new NatsCarrier(connection, id), options);
  return new ControlBus(busOver(control), busOver(texts));
}
