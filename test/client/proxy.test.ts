// Clients behind a proxy that cuts, delays, reorders and repeats, in random rounds: what each of them sees is the session, whole and once.
//
// CLIENT_ROUNDS sets how many; CLIENT_SEED begins with another one.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Recorded } from '../../machines/facts.ts';
import type { EarlyClient } from '../../src/client/client.ts';
import { platformSources } from '../../src/client/client-sources.ts';
import type { ClientSession } from '../../src/client/joined-session.ts';
import type { Turn, TurnEvent } from '../../src/client/turn.ts';
import { createTokenAuthenticator } from '../../src/gateway/auth/token-file.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import type { Script } from '../../src/model/scripted.ts';
import type { ServerFrame, TextDelta } from '../../src/protocol/server-frames.ts';
import { withheldFacts } from '../../src/protocol/withheld-facts.ts';
import { seededRandom } from '../../src/sources/virtual.ts';
import type { Log } from '../../src/transcript/log.ts';
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { createClient } from '../support/checked-client.ts';
import { startGateway } from '../support/gateway.ts';
import { type Mischief, noMischief, startProxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { asks, createWorld, says, toolOf, type World } from '../support/world.ts';
import { wrapLog } from '../support/wrap-log.ts';

const rounds = Number(process.env['CLIENT_ROUNDS'] ?? 200);
const firstSeed = Number(process.env['CLIENT_SEED'] ?? 1);

const mischief: Mischief = {
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

/** The words of a turn say what its model does. */
function respond({ messages }: ModelRequest): Script {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const words = messages[asked]?.content ?? '';
  const isFirst = !messages.slice(asked).some(({ role }) => role === 'assistant');
  if (words.startsWith('work') && isFirst) return asks(['wait', { ms: 150 }], ['wait', { ms: 400 }], ['note']);
  if (words.startsWith('risk') && isFirst) return asks(['risky']);
  return says(...Array.from({ length: 7 }, (_, i) => `${words} ${i}. `));
}

/** A store that takes its time now and then, so that answers come before their commit. */
function slowLog(chance: () => number): Log {
  const log = createMemoryLog();
  return wrapLog(log, {
    async append(...appended) {
      if (chance() < 0.1) await pause(Math.ceil(chance() * 40));
      return log.append(...appended);
    },
  });
}

interface View {
  readonly who: Who;
  /** What it has joined with. */
  readonly after: 0 | null;
  readonly client: EarlyClient;
  readonly session: ClientSession;
  readonly heard: ServerFrame[];
}

const isFact = (frame: ServerFrame) => 'seq' in frame && frame.seq !== undefined && frame.type !== 'joined';
const seqsOf = (frames: readonly ServerFrame[]) =>
  frames.filter(isFact).map((frame) => ('seq' in frame ? Number(frame.seq) : 0));

async function truthOf(world: World, session: string): Promise<readonly { seq: number; fact: Recorded }[]> {
  const events = await world.log.read(session, 0);
  return events
    .map(({ seq, body }) => ({ seq, fact: body as Recorded }))
    .filter(({ fact }) => !(withheldFacts as readonly string[]).includes(fact.type));
}

/** Every text that was told continues the one before, and is the block's own. */
function judgeTexts(heard: readonly ServerFrame[], about: string, known: readonly TextDelta[] = []): void {
  const told = new Map(known.map(({ turn, index, text }) => [`${turn} ${index}`, text]));
  for (const frame of heard) {
    if (frame.type !== 'text_delta' && frame.type !== 'model_ended') continue;
    const key = `${frame.turn} ${frame.index}`;
    const before = told.get(key) ?? '';
    if (frame.type === 'text_delta') {
      expect(frame.offset, `${about}: a gap or a repetition in ${key}`).toBe(before.length);
      told.set(key, before + frame.text);
    } else if (frame.outcome === 'cancelled') {
      expect(frame.text.startsWith(before), `${about}: ${key} was cancelled at "${frame.text}", told "${before}"`).toBe(
        true,
      );
    } else expect(before, `${about}: ${key}`).toBe(frame.text);
  }
}

function judge({ who, after, heard }: View, truth: readonly { seq: number; fact: Recorded }[], seed: number): void {
  const about = `seed ${seed}, ${who}`;
  const seqs = seqsOf(heard);
  const [joined] = heard.flatMap((frame) => (frame.type === 'joined' ? [frame] : []));
  // an acceptance that was told before its commit is not told again
  const early = heard.flatMap((frame) => (frame.type === 'cancel_accepted' && !isFact(frame) ? [frame.cancel] : []));
  const known = truth
    .filter(({ seq }) => after !== null || seq > (joined?.seq ?? 0))
    .filter(({ fact }) => fact.type !== 'cancel_accepted' || !early.includes(fact.cancel))
    .map(({ seq }) => seq);
  expect(seqs, `${about}: all facts since it has joined, once and in order`).toEqual(known);
  judgeTexts(heard, about, after === null ? joined?.blocks : []);
  const joins = heard.flatMap((frame) => (frame.type === 'joined' ? [frame.ref] : []));
  expect(joins, `${about}: joins, once`).toEqual([...new Set(joins)]);
  const receipts = heard.flatMap((frame) =>
    frame.type === 'cancel_accepted' || frame.type === 'cancel_settled' ? [`${frame.type} ${frame.cancel}`] : [],
  );
  expect(receipts, `${about}: receipts, once`).toEqual([...new Set(receipts)]);
  expect(
    heard.filter(({ type }) => type === 'error'),
    `${about}: errors`,
  ).toEqual([]);
}

test(`${rounds} rounds behind a bad line: each view is the session, gapless, and every receipt is heard once [ws.resume] [ws.protocol]`, {
  timeout: 60_000 + rounds * 1_000,
}, async () => {
  const world = await createWorld({ respond, tools: [risky], log: slowLog(seededRandom(firstSeed)) });
  const { url, reports } = await startGateway({
    runtime: world.runtime,
    authenticator: createTokenAuthenticator({
      [tokens.ann]: { speaker: 'ann' },
      [tokens.bob]: { speaker: 'bob' },
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

  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    const chance = seededRandom(seed);
    const int = (n: number) => Math.floor(chance() * n);
    proxy.chance = seededRandom(seed + 1_000_000);
    const name = `round-${seed}`;
    proxy.mischief = noMischief;
    const enter = async (who: Who): Promise<View> => {
      const client = createClient({
        url: proxy.url,
        token: async () => tokens[who],
        reconnect: { minMs: 1, maxMs: 12 },
        welcomeMs: 250,
        sources: { clock: platformSources.clock, random: seededRandom(seed) },
      });
      await until(() => client.state.kind === 'open', { what: 'the first welcome' });
      const after = chance() < 0.5 ? 0 : null;
      const session = client.session(name, after === null ? {} : { after });
      const heard: ServerFrame[] = [];
      session.on('*', (frame) => heard.push(frame));
      return { who, after, client, session, heard };
    };
    const views = [await enter('ann'), await enter('bob')] as const;
    proxy.mischief = mischief;

    const turns: {
      readonly turn: Turn;
      readonly events: TurnEvent[];
      readonly done: Promise<'ended' | 'withdrawn'>;
    }[] = [];
    const cancels: Promise<unknown>[] = [];
    /** What has become of a yes or a no: the answer in the fact, or `expired`. */
    const answers: Promise<{ readonly node: string; readonly answer: string }>[] = [];
    const say = (view: View) => {
      const words = ['work', 'risk', 'talk', 'talk'][int(4)];
      const turn = view.session.say(`${words} ${turns.length}`, { whileDisconnected: 'wait' });
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
      turns.push({ turn, events, done });
    };
    const cancel = (view: View) => {
      const { turn } = turns[int(turns.length)] ?? {};
      const tool = view.heard.findLast((frame) => frame.type === 'tool_call');
      const wish =
        chance() < 0.3 && tool?.type === 'tool_call'
          ? view.session.cancel(tool.node)
          : chance() < 0.2
            ? view.session.cancel('mine')
            : turn?.cancel({ reason: 'by chance' });
      if (wish) cancels.push(wish.accepted, wish.settled);
    };
    for (const view of views) {
      view.session.on('approval_requested', (asked) => {
        if (asked.to !== view.who) return;
        const { node } = asked;
        const how = chance() < 0.5 ? 'approve' : 'deny';
        const given = view.session[how](node, { whileDisconnected: 'wait' });
        answers.push(
          given.then(
            ({ answer }) => ({ node, answer }),
            ({ code }) => ({ node, answer: code }),
          ),
        );
      });
    }

    const steps = 4 + int(5);
    for (let step = 0; step < steps; step++) {
      const view = views[int(2)] as View;
      if (turns.length === 0 || chance() < 0.55) say(view);
      else cancel(view);
      for (let i = int(8); i > 0; i--) {
        await world.clock.advance(5 + int(40));
        if (chance() < 0.5) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    // what remains is bounded: the line is bad for a while yet, then good
    let settled = false;
    let passes = 0;
    const all = Promise.all([...turns.map(({ done }) => done), ...cancels]).then(() => Promise.all(answers));
    const over = all.then(() => {
      settled = true;
    });
    const what = () =>
      JSON.stringify({
        seed,
        ...Object.fromEntries(
          views.map(({ who, client, session }) => [who, [client.state.kind, session.state, session.seq]]),
        ),
        turns: turns.map(({ turn, events }) => [turn.id, events.at(-1)?.type]),
      });
    try {
      await until(
        async () => {
          await world.clock.advance(120);
          passes += 1;
          if (passes === 18) proxy.mischief = { ...noMischief, delay: 0.3, repeat: 0.15 };
          return settled;
        },
        { ms: 15_000, what: 'the end of the round' },
      );
    } catch (error) {
      throw new Error(`${error} ${what()}`, { cause: error });
    }
    await over;
    const truth = await truthOf(world, name);
    const last = truth.at(-1)?.seq ?? 0;
    proxy.mischief = noMischief;
    await until(() => views.every(({ session }) => session.seq === last), { what: `${what()} all to hear ${last}` });

    for (const view of views) judge(view, truth, seed);
    for (const { turn, events, done } of turns) {
      const opened = truth.filter(({ fact }) => fact.type === 'turn_opened' && fact.ref === turn.ref);
      if ((await done) === 'withdrawn') {
        expect(opened).toEqual([]);
        continue;
      }
      expect(opened, `seed ${seed}: what was said once is said once`).toHaveLength(1);
      expect(events[0], `seed ${seed}`).toMatchObject({ type: 'turn_opened', turn: turn.id });
      expect(events.at(-1), `seed ${seed}`).toMatchObject({ type: 'turn_ended', turn: turn.id });
      expect(seqsOf(events), `seed ${seed}`).toEqual([...new Set(seqsOf(events))]);
      judgeTexts(events, `seed ${seed}, a turn`);
    }
    for (const { node, answer } of await Promise.all(answers)) {
      const closed = truth.flatMap(({ fact }) => (fact.type === 'approval_closed' && fact.node === node ? [fact] : []));
      const [told] = closed.map((fact) => (fact.answer === 'withdrawn' ? 'expired' : fact.answer));
      expect(answer, `seed ${seed}: an answer is what the fact says`).toBe(told);
    }
    await Promise.all(views.map(({ client }) => client.close()));
  }
  console.info(
    `the line: ${Object.entries(proxy.done)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
  );
  expect(reports).toEqual([]);
  for (const count of Object.values(proxy.done)) expect(count).toBeGreaterThan(0);
});
