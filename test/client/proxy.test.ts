// Clients over a proxy that cuts, delays, reorders and repeats, in random rounds: each client receives the whole session once.
//
// CLIENT_ROUNDS sets the number of rounds, CLIENT_SEED the first seed.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Script } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { platformSources } from '../../src/client/client-sources.ts';
import type { Turn, TurnEvent } from '../../src/client/turn-in-flight.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import { seededRandom } from '../../src/core/sources/virtual.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { createCheckedClient } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { callsResponse, type Harness, startHarness, textResponse, toolOf } from '../support/harness.ts';
import { type Faults, type FaultyProxy, noFaults, startProxy } from '../support/proxy.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { wrapLog } from '../support/wrap-log.ts';
import { judgeTexts, judgeView, seqsOf, truthOf, type View } from './judge-view.ts';

const rounds = Number(process.env['CLIENT_ROUNDS'] ?? 200);
const firstSeed = Number(process.env['CLIENT_SEED'] ?? 1);

const faults: Faults = {
  cut: 0.02,
  cutClient: 0.02,
  cutGateway: 0.02,
  hole: 0.0015,
  repeat: 0.15,
  delay: 0.3,
  refuse: 0.15,
};
const tokens = { ann: 'token-of-ann-000001', bob: 'token-of-bob-000001' };
type Who = keyof typeof tokens;

const risky = { ...toolOf('risky', async () => 'done it'), approval: () => ({ text: 'May I?' }) };

/** The model's response depends on the words of the turn. */
function respond({ messages }: ModelRequest): Script {
  const lastWords = messages.findLastIndex(({ role }) => role === 'user');
  const words = messages[lastWords]?.content ?? '';
  const isFirst = !messages.slice(lastWords).some(({ role }) => role === 'assistant');
  if (words.startsWith('work') && isFirst) return callsResponse(['wait', { ms: 150 }], ['wait', { ms: 400 }], ['note']);
  if (words.startsWith('risk') && isFirst) return callsResponse(['risky']);
  return textResponse(...Array.from({ length: 7 }, (_, i) => `${words} ${i}. `));
}

/** A store that is slow now and then, so that replies come before their commit. */
function slowLog(chance: () => number): Log {
  const log = createMemoryLog();
  return wrapLog(log, {
    async append(...appended) {
      if (chance() < 0.1) await pause(Math.ceil(chance() * 40));
      return log.append(...appended);
    },
  });
}

/** A turn that a view has opened, with the events that its loop received. */
interface SaidTurn {
  readonly turn: Turn;
  readonly events: TurnEvent[];
  readonly done: Promise<'ended' | 'withdrawn'>;
}

/** One session with two speakers, in which random things are said, cancelled and answered. */
class Round {
  readonly #harness: Harness;
  readonly #proxy: FaultyProxy;
  readonly #seed: number;
  readonly #chance: () => number;
  readonly #views: View[] = [];
  readonly #turns: SaidTurn[] = [];
  readonly #cancels: Promise<unknown>[] = [];
  /** The result of each answer to an approval: the answer in the fact, or `expired`. */
  readonly #answers: Promise<{ readonly node: string; readonly answer: string }>[] = [];

  constructor(harness: Harness, proxy: FaultyProxy, seed: number) {
    this.#harness = harness;
    this.#proxy = proxy;
    this.#seed = seed;
    this.#chance = seededRandom(seed);
    proxy.chance = seededRandom(seed + 1_000_000);
  }

  async play(): Promise<void> {
    this.#proxy.faults = noFaults;
    for (const who of ['ann', 'bob'] as const) this.#views.push(await this.#enter(who));
    this.#proxy.faults = faults;
    for (const view of this.#views) this.#answerApprovals(view);
    const steps = 4 + this.#int(5);
    for (let step = 0; step < steps; step++) {
      const view = this.#views[this.#int(2)] as View;
      if (this.#turns.length === 0 || this.#chance() < 0.55) this.#say(view);
      else this.#cancel(view);
      for (let i = this.#int(8); i > 0; i--) {
        await this.#harness.clock.advance(5 + this.#int(40));
        if (this.#chance() < 0.5) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await this.#settle();
    await this.#judge();
    await Promise.all(this.#views.map(({ client }) => client.close()));
  }

  get #name(): string {
    return `round-${this.#seed}`;
  }

  #int(n: number): number {
    return Math.floor(this.#chance() * n);
  }

  async #enter(who: Who): Promise<View> {
    const client = createCheckedClient({
      url: this.#proxy.url,
      token: async () => tokens[who],
      reconnect: { minMs: 1, maxMs: 12 },
      welcomeMs: 250,
      sources: { clock: platformSources.clock, random: seededRandom(this.#seed) },
    });
    await until(() => client.state.kind === 'open', { what: 'the first welcome' });
    const after = this.#chance() < 0.5 ? 0 : null;
    const session = client.session(this.#name, after === null ? {} : { after });
    const frames: ServerFrame[] = [];
    session.on('*', (frame) => frames.push(frame));
    return { who, after, client, session, frames };
  }

  #say(view: View): void {
    const words = ['work', 'risk', 'talk', 'talk'][this.#int(4)];
    const turn = view.session.say(`${words} ${this.#turns.length}`, { whileDisconnected: 'wait' });
    const events: TurnEvent[] = [];
    const read = async () => {
      for await (const event of turn) events.push(event);
    };
    const done = Promise.all([read(), turn.ended]).then(
      () => 'ended' as const,
      (error) => {
        // cancelled while it waited for a connection: it was never sent
        expect(error).toMatchObject({ name: 'CommandRefused', message: 'It was cancelled before it was sent.' });
        return 'withdrawn' as const;
      },
    );
    this.#turns.push({ turn, events, done });
  }

  #cancel(view: View): void {
    const { turn } = this.#turns[this.#int(this.#turns.length)] ?? {};
    const tool = view.frames.findLast((frame) => frame.type === 'tool_call');
    const cancel =
      this.#chance() < 0.3 && tool?.type === 'tool_call'
        ? view.session.cancel(tool.node)
        : this.#chance() < 0.2
          ? view.session.cancel('mine')
          : turn?.cancel({ reason: 'by chance' });
    if (cancel) this.#cancels.push(cancel.accepted, cancel.settled);
  }

  #answerApprovals({ who, session }: View): void {
    session.on('approval_requested', ({ node, to }) => {
      if (to !== who) return;
      const how = this.#chance() < 0.5 ? 'approve' : 'deny';
      const given = session[how](node, { whileDisconnected: 'wait' });
      this.#answers.push(
        given.then(
          ({ answer }) => ({ node, answer }),
          ({ code }) => ({ node, answer: code }),
        ),
      );
    });
  }

  /** Resolves when every turn has ended. The proxy makes faults for a while, then none. */
  async #settle(): Promise<void> {
    let settled = false;
    let passes = 0;
    const all = Promise.all([...this.#turns.map(({ done }) => done), ...this.#cancels]);
    const over = all
      .then(() => Promise.all(this.#answers))
      .then(() => {
        settled = true;
      });
    const isOver = async () => {
      await this.#harness.clock.advance(120);
      passes += 1;
      if (passes === 18) this.#proxy.faults = { ...noFaults, delay: 0.3, repeat: 0.15 };
      return settled;
    };
    await until(isOver, { ms: 15_000, what: 'the end of the round' }).catch((cause: unknown) => {
      throw new Error(`${cause} ${this.#describe()}`, { cause });
    });
    await over;
  }

  #describe(): string {
    const states = this.#views.map(({ who, after, client: { state }, session, frames }) => {
      const failure = state.kind === 'reconnecting' ? [state.failures, state.because.message] : [];
      return [who, [state.kind, ...failure, session.state, after, session.seq, frames.map(({ type }) => type)]];
    });
    const turns = this.#turns.map(({ turn, events }) => [turn.id, events.at(-1)?.type]);
    return JSON.stringify({ seed: this.#seed, ...Object.fromEntries(states), turns });
  }

  async #judge(): Promise<void> {
    const about = `seed ${this.#seed}`;
    const truth = await truthOf(this.#harness.log, this.#name);
    const last = truth.at(-1)?.seq ?? 0;
    this.#proxy.faults = noFaults;
    // a view that joined after a fact that is withheld has a higher sequence number
    const haveAll = () => this.#views.every(({ session }) => session.seq >= last);
    await until(haveAll, { what: `all views to have ${last}` }).catch((cause: unknown) => {
      throw new Error(`${cause} ${this.#describe()}`, { cause });
    });

    for (const view of this.#views) judgeView(view, truth, `${about}, ${view.who}`);
    for (const { turn, events, done } of this.#turns) {
      const opened = truth.filter(({ fact }) => fact.type === 'turn_opened' && fact.ref === turn.ref);
      if ((await done) === 'withdrawn') {
        expect(opened).toEqual([]);
        continue;
      }
      expect(opened, `${about}: one SAY is one turn`).toHaveLength(1);
      expect(events[0], about).toMatchObject({ type: 'turn_opened', turn: turn.id });
      expect(events.at(-1), about).toMatchObject({ type: 'turn_ended', turn: turn.id });
      expect(seqsOf(events), about).toEqual([...new Set(seqsOf(events))]);
      judgeTexts(events, `${about}, a turn`);
    }
    for (const { node, answer } of await Promise.all(this.#answers)) {
      const closed = truth.flatMap(({ fact }) => (fact.type === 'approval_closed' && fact.node === node ? [fact] : []));
      const [expected] = closed.map((fact) => (fact.answer === 'withdrawn' ? 'expired' : fact.answer));
      expect(answer, `${about}: each answer is the one in the fact`).toBe(expected);
    }
  }
}

test(`${rounds} rounds over a faulty proxy: each view has the whole session without gaps, and every receipt once [ws.resume] [ws.protocol]`, {
  timeout: scaled(60_000 + rounds * 1_000),
}, async () => {
  const harness = await startHarness({ respond, tools: [risky], log: slowLog(seededRandom(firstSeed)) });
  const { url, reports } = await startGateway({
    runtime: harness.runtime,
    authenticator: createTokenAuthenticator({
      [tokens.ann]: { speaker: 'ann', sessions: ['*'] },
      [tokens.bob]: { speaker: 'bob', sessions: ['*'] },
    }),
    limits: {
      heartbeatMs: 80,
      connectionsPerSpeaker: 500,
      framesPerSecond: 1_000,
      frameBurst: 1_000,
      errorBurst: 500,
      errorsPerSecond: 500,
    },
  });
  const proxy = await startProxy({ target: url, delayMs: 6 });
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) await new Round(harness, proxy, seed).play();
  const done = Object.entries(proxy.done).map(([name, count]) => `${count} ${name}`);
  console.info(`the line: ${done.join(', ')}`);
  expect(reports).toEqual([]);
  for (const count of Object.values(proxy.done)) expect(count).toBeGreaterThan(0);
});
