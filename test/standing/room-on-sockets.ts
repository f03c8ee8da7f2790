// A room over real sockets: a gateway with tokens, and a model whose calls run until a test releases them.
import { expect, onTestFinished } from 'vitest';
import { replayDecision } from '../../machines/decision-replay.ts';
import type { Fact } from '../../machines/facts.ts';
import type { Role } from '../../machines/vocabulary.ts';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { builtinTools } from '../../src/adapters/tools/builtin/builtin-tools.ts';
import type { ToolEnd } from '../../src/core/contracts/tool.ts';
import { factOf } from '../../src/core/session/read-log.ts';
import type { SessionSpec } from '../../src/core/session/session-spec.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { createRuntime, type EmbeddedRuntime } from '../../src/embed/runtime.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import { startGateway } from '../support/gateway.ts';
import { callsResponse, textResponse, toolOf } from '../support/harness.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

const { clock } = systemSources;
export type Name = 'ann' | 'bob' | 'eve' | 'mo' | 'discord' | 'irc';
const tokens: Readonly<Record<Name, { readonly speaker: string; readonly roles?: readonly Role[] }>> = {
  ann: { speaker: 'ann' },
  bob: { speaker: 'bob' },
  eve: { speaker: 'eve' },
  mo: { speaker: 'mo', roles: ['moderator'] },
  discord: { speaker: 'discord', roles: ['bridge', 'moderator'] },
  irc: { speaker: 'irc', roles: ['bridge'] },
};
export const roomTokenOf = (name: Name): string => `a-token-of-${name}-0001`;
/** The roles of a speaker, as its token has them. */
export const rolesOf = (name: Name): readonly Role[] => tokens[name].roles ?? ['member'];

/** The session of every room. */
export const roomId = 'room';

/** A call of a room that runs. */
interface HeldCall {
  readonly words: string;
  end(kind: ToolEnd['kind']): void;
}

/** What a room stands on. */
interface RoomParts {
  /** The address of its gateway. */
  readonly url: string;
  readonly runtime: EmbeddedRuntime;
  readonly held: HeldCall[];
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly stops: { held: boolean };
}

export class SocketRoom {
  readonly url: string;
  readonly runtime: EmbeddedRuntime;
  readonly #held: HeldCall[];
  readonly #log: ReturnType<typeof createMemoryLog>;
  readonly #stops: { held: boolean };

  constructor({ url, runtime, held, log, stops }: RoomParts) {
    this.url = url;
    this.runtime = runtime;
    this.#held = held;
    this.#stops = stops;
    this.#log = log;
  }

  /** The words whose calls run now. */
  get running(): readonly string[] {
    return this.#held.map(({ words }) => words).toSorted();
  }

  async enter(name: Name): Promise<RawClient> {
    const client = await this.connect(name);
    await client.join(roomId);
    return client;
  }

  /** Connects, and joins nothing. */
  async connect(name: Name): Promise<RawClient> {
    const client = await connectRaw(this.url);
    await client.hello(roomTokenOf(name));
    return client;
  }

  /** Says words that the model makes a call for; resolves with the turn when the call runs. */
  async work(client: RawClient, words: string, as?: string): Promise<string> {
    client.send({ type: 'SAY', ref: `say-${words}`, text: `work: ${words}`, ...(as !== undefined && { as }) });
    const { turn } = await client.waitFor('turn_opened', { ref: `say-${words}` });
    await until(() => this.running.includes(words), { what: `the call for ${words}` });
    return String(turn);
  }

  /** Calls that are stopped run on from now on, until they are let go. */
  holdStops(): void {
    this.#stops.held = true;
  }

  /** Lets the calls that run end by themselves. `words`: only the call for these. */
  letGo(words?: string): void {
    for (const call of [...this.#held]) if (words === undefined || call.words === words) call.end('completed');
  }

  /** The stored facts of a session. */
  async facts(session = roomId): Promise<readonly Fact[]> {
    return (await this.#log.read(session, 0)).map((event) => factOf(event).fact);
  }

  /** The recorded decisions; each must give the same verdicts again. */
  async decisions() {
    const decided = (await this.facts()).filter((fact) => fact.type === 'cancel_decided');
    expect(decided.map((fact) => replayDecision(fact))).toEqual(decided.map(() => []));
    return decided;
  }
}

let opened = 0;
/** The rooms that were opened so far. */
export const roomCount = (): number => opened;

export async function openSocketRoom(spec: Partial<SessionSpec> = {}): Promise<SocketRoom> {
  opened += 1;
  const held: HeldCall[] = [];
  const stops = { held: false };
  const hold = toolOf(
    'hold',
    (input, { signal }) =>
      new Promise<ToolEnd>((resolve) => {
        const call: HeldCall = {
          words: String(input['words']),
          end(kind) {
            held.splice(held.indexOf(call), 1);
            resolve({ kind, output: kind });
          },
        };
        held.push(call);
        signal.addEventListener('abort', () => stops.held || call.end('stopped'));
      }),
  );
  const provider = createScriptedProvider({
    clock,
    respond({ messages }) {
      const last = messages.at(-1);
      if (last?.role !== 'user') return textResponse('ok');
      const [, verb, object] = /(work: |stop the call )(\w+)$/.exec(last.content) ?? [];
      if (object === undefined) return textResponse('ok');
      return callsResponse(verb === 'work: ' ? ['hold', { words: object }] : ['cancel_call', { call: object }]);
    },
  });
  const log = createMemoryLog();
  const runtime = await createRuntime({
    acknowledge: 'off',
    log,
    provider,
    tools: [hold, ...builtinTools().filter(({ name }) => name === 'cancel_call')],
    session: () => ({ access: 'open', ...spec }),
  });
  onTestFinished(() => runtime.close({ force: true }));
  const entries = Object.entries(tokens).map(([name, entry]) => [
    roomTokenOf(name as Name),
    JSON.parse(JSON.stringify(entry)),
  ]);
  const authenticator = createTokenAuthenticator(Object.fromEntries(entries));
  const { url } = await startGateway({ runtime, authenticator });
  return new SocketRoom({ url, runtime, held, log, stops });
}
