// The soak under virtual time: an hour of one session, in which people say things, stop them, answer, and lose their connections by chance.
import { seededRandom } from '../../../src/core/sources/virtual.ts';
import { heapMB } from '../../../test/support/leaks.ts';
import { judge } from '../laws/judge.ts';
import { playRun } from '../runs/play.ts';
import { warmUp } from '../sweeps/scenario-sweep.ts';
import { askFor, helper, type Scenario, type ScenarioStage, sayText, scenarioPeople } from '../world/scenario.ts';

const hourMs = 3_600_000;
/** A short one before it: what is kept for ever is there after it. */
const warmUpMs = 300_000;
/** The longest pause between two acts. */
const maxPauseMs = 45_000;
const maxHeapGrowthMB = 16;

const model: Scenario['model'] = {
  talk: [sayText('It ', 'is ', 'a ', 'long ', 'story.')],
  work: [askFor(['wait', { ms: 400 }], ['keyed'], ['keyed', { ms: 90 }], ['latest'], ['latest']), sayText('done')],
  ask: [askFor(['asker'], ['risky']), sayText('asked')],
  commit: [askFor(['committing', { ms: 40 }], ['sender'], ['short', { ms: 60 }]), sayText('kept')],
  resist: [askFor(['stubborn', { ms: 2_500 }], ['nested']), sayText('done')],
  delegate: [
    askFor(['spawn_agent', { task: 'help' }], ['spawn_agent', { task: 'help', detached: true }]),
    sayText('all'),
  ],
  help: [askFor(['wait', { ms: 300 }]), sayText('helped')],
};
const words = Object.keys(model).filter((word) => word !== 'help');

class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  oneOf<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.below(list.length)] as T; // no list is empty
  }
}

async function act(stage: ScenarioStage, chance: Chance, forMs: number): Promise<void> {
  const { pause, lose, door } = stage;
  for (const person of scenarioPeople) {
    const session = stage[person];
    session.on('question_asked', ({ node, to }) => {
      if (to === person && chance.below(2) === 0) session.answer(node, 'this one').catch(() => {});
    });
    session.on('approval_requested', ({ node, to }) => {
      if (to === person && chance.below(2) === 0) session.approve(node).catch(() => {});
    });
  }
  let acts = 0;
  for (let ms = 0; ms < forMs; ) {
    const person = chance.oneOf(scenarioPeople);
    const session = stage[person];
    const ref = `copy ${acts++}`;
    const target = chance.oneOf(['mine', 'session']);
    chance.oneOf([
      () => session.say(chance.oneOf(words)),
      () => session.say(chance.oneOf(words)),
      () => session.say(chance.oneOf(words)),
      () => session.steer(chance.oneOf(words)),
      () => session.say('stop'),
      () => session.cancel(target),
      () => session.cancel(target, { force: true }),
      () => Promise.all([door(person).cancel({ target, ref }), door(person).cancel({ target, ref })]),
      () => lose(person),
    ])();
    // half of the acts meet what the one before has started
    const next = chance.below(2) === 0 ? chance.below(600) : chance.below(maxPauseMs);
    await pause(next);
    ms += next;
  }
}

/** Resolves with what is wrong, one line each. */
export async function soakVirtually(seed: number): Promise<readonly string[]> {
  const conversation = (forMs: number): Scenario => ({
    name: 'an hour',
    agents: helper,
    limits: { contextTurns: 6 },
    model,
    play: (stage) => act(stage, new Chance(seed), forMs),
  });
  await warmUp({ ...conversation(0), play: ({ alice }) => alice.say('work').ended });
  const bounds = { maxSteps: 1_000_000, maxVirtualMs: 2 * hourMs, quietMs: 2 * maxPauseMs };
  const wrong: string[] = [];
  const heaps: number[] = [];
  for (const forMs of [warmUpMs, hourMs]) {
    const { evidence, steps, slowestMs } = await playRun({
      scenario: conversation(forMs),
      seed,
      injections: [],
      bounds,
    });
    const count = (type: string) => evidence.log.filter((fact) => fact.type === type).length;
    const figures = [
      `${count('turn_opened')} turns`,
      `${count('tool_call')} calls`,
      `${count('cancel_accepted')} stops`,
      `${evidence.log.length} facts`,
      `${steps} steps`,
      `slowest stop ${slowestMs} ms`,
    ];
    console.log(`${forMs / 60_000} minutes of virtual time, seed ${seed}: ${figures.join(', ')}`);
    wrong.push(...judge(evidence).map(({ law, what }) => `seed ${seed}: ${law}: ${what}`));
    heaps.push(await heapMB());
  }
  const [first = 0, second = 0] = heaps;
  console.log(`heap before the hour ${first.toFixed(1)} MB, after it ${second.toFixed(1)} MB`);
  if (second > first + maxHeapGrowthMB) wrong.push(`The heap grows from ${first} to ${second} MB.`);
  return wrong;
}
