// A gateway under test: opens connections and sessions for a check, and closes them after it.
import { randomUUID } from 'node:crypto';
import { defaultReplyMs, WireClient, type WireFrame } from './wire-client.ts';

export interface TestedGatewayOptions {
  readonly url: string;
  /** The token that clients show. Left out: the gateway needs none. */
  readonly token?: string | undefined;
  /** Words to which the model replies with text that streams for at least a second. */
  readonly words: string;
  /** Words to which the model replies with a call that asks for an approval. Left out: what needs one is not checked. */
  readonly askingWords?: string | undefined;
  /** How long a check waits for a reply, in milliseconds. */
  readonly replyMs?: number | undefined;
}

/** A client that has joined a session. */
export interface JoinedClient {
  readonly client: WireClient;
  readonly joined: WireFrame;
  readonly session: string;
}

export class GatewayUnderTest {
  readonly options: TestedGatewayOptions;
  readonly #clients: WireClient[] = [];
  /** Frames that were not as docs/protocol.md has them, over all checks. */
  readonly invalid = new Set<string>();

  constructor(options: TestedGatewayOptions) {
    this.options = options;
  }

  /** Returns a name that was never used. */
  name(): string {
    return `conformance-${randomUUID().slice(0, 13)}`;
  }

  async connect(protocols?: readonly string[]): Promise<WireClient> {
    const client = await WireClient.connect(this.options.url, this.options.replyMs, protocols);
    this.#clients.push(client);
    return client;
  }

  get hello(): WireFrame {
    const { token } = this.options;
    return { type: 'HELLO', ...(token !== undefined && { token }) };
  }

  /** Connects and says HELLO. */
  async open(): Promise<WireClient> {
    const client = await this.connect();
    client.send(this.hello);
    await client.next({ type: 'welcome' });
    return client;
  }

  /** Connects and joins a session, of its own if none is named. */
  async enter(session = this.name(), after?: number): Promise<JoinedClient> {
    const client = await this.open();
    client.send({ type: 'JOIN', ref: 'join', session, ...(after !== undefined && { after }) });
    return { client, session, joined: await client.next({ type: 'joined' }) };
  }

  /** Says something, and resolves with the turn when its text streams. */
  async startTurn({ client }: JoinedClient, ref = this.name()): Promise<string> {
    client.send({ type: 'SAY', ref, text: this.options.words });
    const { turn } = await client.next({ type: 'turn_opened', ref });
    await client.next({ type: 'text_delta', turn }, 2 * (this.options.replyMs ?? defaultReplyMs));
    return String(turn);
  }

  /** Stops the turn, and resolves with its receipt. */
  async stopTurn({ client }: JoinedClient, turn: string): Promise<void> {
    const ref = this.name();
    client.send({ type: 'CANCEL', ref, target: turn });
    await client.next({ type: 'turn_ended', turn });
    await client.next({ type: 'cancel_settled', ref });
  }

  /** Closes the connections of a check. */
  release(): void {
    for (const client of this.#clients.splice(0)) {
      for (const issue of client.invalid) this.invalid.add(issue);
      client.close();
    }
  }
}
