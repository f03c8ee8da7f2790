// Random conversations with moments of rest, at which the next request of the session is compared with that of a second one, which wakes up from the same log.
import type { RecordedFact } from '../../machines/facts.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import { Dice } from './dice.ts';
import { LivingWorld, makeMembers, type Seams } from './living-world.ts';
import { PlannedModel } from './planned-model.ts';
import { logAfter, RandomConversation, repeat } from './random-conversation.ts';

/** The requests of one question at a moment of rest: that for a summary, if there is one, and that for the answer. */
export interface Compared {
  readonly rest: number;
  readonly awake: readonly ModelRequest['messages'][];
  readonly woken: readonly ModelRequest['messages'][];
  /** The types of all facts of the log by then. */
  readonly met: ReadonlySet<string>;
  /** The words of the turn that ended last, where the limits have room for it; null: they may have none. */
  readonly lastWords: string | null;
}

const question = 'What was said?';

const rules = (dice: Dice) => ({
  spec: {
    policy: 'owner',
    acknowledge: dice.pick(['on', 'on', 'reaction', 'off'] as const),
    whileRunning: dice.pick(['queue', 'interrupt', 'steer', 'parallel', 'parallel'] as const),
  } as const,
  limits: {
    acknowledgeEveryMs: 0,
    contextTurns: dice.pick([1, 2, 3, 4, 6, 50]),
    contextBytes: dice.pick([1_000, 3_000, 8_000, 262_144, 262_144]),
    compactAboveBytes: dice.pick([0, 0, 0, 2_000, 6_000]),
    summaryChars: 200,
  },
});

/** Lets a speaker ask what was said. Resolves with the requests up to that for the answer. */
async function ask({ harness }: LivingWorld, speaker: number, resumes: string | undefined) {
  const { caller } = makeMembers()[speaker] as ReturnType<typeof makeMembers>[number];
  const from = harness.provider.requests.length;
  const reply = resumes
    ? harness.session.resume(caller, { turn: resumes, text: question })
    : harness.session.say(caller, { text: question });
  await harness.clock.advance(30_000);
  const { type } = await reply;
  const requests = harness.provider.requests.slice(from).map(({ messages }) => messages);
  const answered = requests.findIndex((messages) => messages.at(-1)?.content.endsWith(question));
  return type === 'turn_opened' ? requests.slice(0, answered + 1) : [];
}

/** Returns the words, or the task, of the turn that ended last. */
function lastWordsIn(facts: readonly RecordedFact[]): string | null {
  const opened = new Map(
    facts.flatMap((fact) =>
      fact.type === 'turn_opened' && fact.kind !== 'acknowledgement' ? [[fact.turn, fact.text]] : [],
    ),
  );
  const last = facts.findLast((fact) => fact.type === 'turn_ended' && opened.has(fact.turn));
  return last?.type === 'turn_ended' ? (opened.get(last.turn) ?? null) : null;
}

/** Plays a conversation of a few waves in virtual time, each with a moment of rest after it. */
export async function playWithRests(seed: number, seams: Seams): Promise<readonly Compared[]> {
  const dice = new Dice(seed);
  const model = new PlannedModel(dice);
  const members = makeMembers();
  const world = { ...rules(dice), model, seams, members };
  let life = await LivingWorld.open(world, 1);
  const conversation = new RandomConversation(dice, model, members, () => life);
  const compared: Compared[] = [];
  const waves = 2 + dice.int(4);
  for (let rest = 0; rest < waves; rest++) {
    repeat(2 + dice.int(8), () => conversation.say(dice.int(4_000)));
    repeat(dice.int(4), () => conversation.cancel(dice.int(5_000)));
    repeat(dice.int(3), () => conversation.answer(dice.int(4_000)));
    repeat(dice.int(3), () => conversation.steer(dice.int(4_000)));
    repeat(dice.int(3), () => conversation.resume(dice.int(6_000)));
    if (dice.maybe(0.1)) conversation.poison(dice.int(3_000));
    let passed = 0;
    for (let moment = conversation.next(); moment; moment = conversation.next()) {
      await life.harness.clock.advance(moment.at - passed);
      passed = moment.at;
      await moment.act();
    }
    if (dice.maybe(0.2)) life = await LivingWorld.open(world, 2 + rest, await logAfter(life)); // a process that has died
    await life.harness.clock.advance(30_000);
    if (life.tree.size > 0) continue; // something that nobody stops still runs
    const log = await logAfter(life);
    const sleeper = { ...world, model: new PlannedModel(new Dice(seed)), members: makeMembers() };
    const woken = await LivingWorld.open(sleeper, 100 + rest, log);
    const opened = members.flatMap((member) => member.opened);
    const resumes = dice.maybe(0.3) && opened.length > 0 ? dice.pick(opened) : undefined;
    const speaker = dice.int(2);
    const facts = (await log.read('s', 0)).map(({ body }) => body as RecordedFact);
    const met = new Set(facts.map(({ type }) => type));
    const { contextTurns, contextBytes, compactAboveBytes } = world.limits;
    const hasRoom = contextTurns >= 4 && contextBytes > 100_000 && compactAboveBytes === 0 && resumes === undefined;
    const lastWords = hasRoom ? lastWordsIn(facts) : null;
    compared.push({
      rest,
      met,
      lastWords,
      awake: await ask(life, speaker, resumes),
      woken: await ask(woken, speaker, resumes),
    });
    await woken.harness.runtime.close();
  }
  return compared;
}
