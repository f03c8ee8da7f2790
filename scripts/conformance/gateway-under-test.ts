// A gateway under test: opens connections and sessions for a check, and closes them after it.
import { randomUUID } from 'node:crypto';
import { NotApplicable } from './verdict.ts';
import { defaultReplyMs, WireClient, type WireFrame, type WireOptions } from './wire-client.ts';

/** How the sessions of each kind begin: by these names a gateway gives them their rules. */
export const sessionNames = { plain: 'conformance-', ownerPolicy: 'conformance-owner-', voice: 'conformance-voice-' };

/** Speakers beside the one of `token`: a second member, who may not open the sessions of the first, and one of each other role. */
export type FurtherSpeaker = 'other' | 'moderator' | 'bridge' | 'emergency';

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
  /** The tokens of further speakers. What needs one that is left out is not checked, and so with the other fields below. */
  readonly tokens?: Readonly<Partial<Record<FurtherSpeaker, string | undefined>>>;
  /** Makes a token that ends within a few seconds. */
  readonly endingToken?: (() => Promise<string>) | undefined;
  /** Whether sessions of the name `conformance-owner-…` have the policy `owner`. */
  readonly hasOwnerPolicy?: boolean;
  /** Whether sessions of the name `conformance-voice-…` are voice sessions. */
  readonly hasVoice?: boolean;
  /** Kills the gateway and starts it again, at the same address. */
  readonly crash?: (() => Promise<void>) | undefined;
  /** Shuts the gateway down and starts it again, at the same address. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** Keeps the commits of the gateway's store waiting, until the function that it resolves with is called. */
  readonly holdStore?: (() => Promise<() => void>) | undefined;
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

  /** Returns a name that was never used, of a session of this kind. */
  name(kind: keyof typeof sessionNames = 'plain'): string {
    if (kind === 'ownerPolicy' && !this.options.hasOwnerPolicy)
      throw new NotApplicable('It needs sessions with the policy `owner`: `--owner-policy`.');
    if (kind === 'voice' && !this.options.hasVoice) throw new NotApplicable('It needs voice sessions: `--voice`.');
    return `${sessionNames[kind]}${randomUUID().slice(0, 13)}`;
  }

  /** Returns what the options have under this name, or throws NotApplicable. */
  need<Name extends 'crash' | 'restart' | 'holdStore' | 'endingToken' | 'askingWords'>(
    name: Name,
    flag: string,
  ): NonNullable<TestedGatewayOptions[Name]> {
    const found = this.options[name];
    if (found === undefined) throw new NotApplicable(`It needs \`${flag}\`.`);
    return found;
  }

  async connect(options?: WireOptions): Promise<WireClient> {
    const client = await WireClient.connect(this.options.url, this.options.replyMs, options);
    this.#clients.push(client);
    return client;
  }

  get hello(): WireFrame {
    return this.helloOf(this.options.token);
  }

  helloOf(token: string | undefined): WireFrame {
    return { type: 'HELLO', ...(token !== undefined && { token }) };
  }

  /** Connects and says HELLO, as the speaker of `token` if no other one is named. */
  async open(as?: FurtherSpeaker): Promise<WireClient> {
    const token = as ? this.options.tokens?.[as] : this.options.token;
    if (as && token === undefined) throw new NotApplicable(`It needs a further speaker: \`--${as} TOKEN\`.`);
    const client = await this.connect();
    client.send(this.helloOf(token));
    await client.next({ type: 'welcome' });
    return client;
  }

  /** Connects and joins a session, of its own if none is named. */
  async enter(session = this.name(), after?: number, as?: FurtherSpeaker): Promise<JoinedClient> {
    const client = await this.open(as);
    client.send({ type: 'JOIN', ref: 'join', session, ...(after !== undefined && { after }) });
    return { client, session, joined: await client.next({ type: 'joined' }) };
  }

  /** Opens a session as the speaker of `token`, invites a second member, and lets it join. */
  async enterTwo(kind?: keyof typeof sessionNames): Promise<readonly [JoinedClient, JoinedClient]> {
    const owner = await this.enter(this.name(kind));
    const { speaker } = await (await this.open('other')).next({ type: 'welcome' });
    owner.client.send({ type: 'INVITE', ref: 'invite', speaker });
    await owner.client.next({ type: 'member_invited', ref: 'invite' });
    return [owner, await this.enter(owner.session, undefined, 'other')];
  }

  /** Says something, and resolves with the turn when its text streams. */
  async startTurn({ client }: JoinedClient, ref = this.name()): Promise<string> {
    client.send({ type: 'SAY', ref, text: this.options.words });
    const { turn } = await client.next({ type: 'turn_opened', ref });
    await client.next({ type: 'text_delta', turn }, 2 * (this.options.replyMs ?? defaultReplyMs));
    return String(turn);
  }

  /** Stops the turn, and resolves with its receipt. */
  async stopTurn({ client }: Pick<JoinedClient, 'client'>, turn: string): Promise<void> {
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
