// Random conversations under the virtual clock, checked by invariants over the log alone.
// FUZZ_ROUNDS=5000 for a long run, FUZZ_SEED=17 for one round.
import { expect, test, vi } from 'vitest';
import type { FactOf, FactType, RecordedFact } from '../../machines/facts.ts';
import type { LiveTree } from '../../src/live/tree.ts';
import { recover } from '../../src/transcript/recover.ts';
import { pairingProblems } from '../support/message-pairing.ts';
import { type ConversationRecord, playConversation } from '../support/random-conversation.ts';

const made = vi.hoisted(() => ({ trees: [] as LiveTree[] }));
vi.mock('../../src/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../src/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    constructor() {
      super();
      made.trees.push(this);
    }
  }
  return { ...real, LiveTree };
});

interface View extends ConversationRecord {
  of<T extends FactType>(type: T): readonly FactOf<T>[];
  indexOf(match: (fact: RecordedFact) => boolean): number;
}

function idOf(fact: RecordedFact): string {
  if ('node' in fact) return fact.node;
  if ('turn' in fact) return 'index' in fact ? `${fact.turn}/${fact.index}` : fact.turn;
  return 'cancel' in fact ? fact.cancel : '';
}

const invariants: Record<string, (trial: View) => readonly string[]> = {
  'nothing is left alive': ({ lives }) => lives.at(-1)?.left ?? [],

  'each fact that may occur once occurs once': ({ log }) => {
    const once: FactType[] = [
      'turn_opened',
      'turn_started',
      'turn_ended',
      'tool_call',
      'tool_started',
      'tool_result',
      'late_result',
      'abandoned_ended',
      'cancel_accepted',
      'cancel_settled',
    ];
    const seen = new Set<string>();
    return log.flatMap((fact) => {
      const key = `${fact.type} ${idOf(fact)}`;
      const again = once.includes(fact.type) && seen.has(key);
      seen.add(key);
      return again ? [`${key} twice`] : [];
    });
  },

  'each start has its end after it': ({ log, indexOf }) => {
    const ends: [(fact: RecordedFact) => boolean, FactType][] = [
      [({ type }) => type === 'turn_opened' || type === 'turn_started', 'turn_ended'],
      [({ type }) => type === 'tool_call', 'tool_result'],
      [({ type }) => type === 'model_started', 'model_ended'],
      [({ type }) => type === 'cancel_accepted', 'cancel_settled'],
      [(fact) => fact.type === 'tool_result' && fact.outcome === 'continues', 'late_result'],
      [
        (fact) => (fact.type === 'tool_result' || fact.type === 'late_result') && fact.outcome === 'abandoned',
        'abandoned_ended',
      ],
    ];
    return ends.flatMap(([isStart, end]) =>
      log.flatMap((fact, i) =>
        isStart(fact) && indexOf((other) => other.type === end && idOf(other) === idOf(fact)) < i
          ? [`${fact.type} ${idOf(fact)} without ${end}`]
          : [],
      ),
    );
  },

  'a result comes before the end of its turn': ({ of, indexOf }) =>
    of('tool_result').flatMap(({ node, turn }) =>
      indexOf((fact) => fact.type === 'tool_result' && fact.node === node) >
      indexOf((fact) => fact.type === 'turn_ended' && fact.turn === turn)
        ? [node]
        : [],
    ),

  'a receipt lists exactly the nodes that it stopped, with their outcomes, and follows their closing': ({
    of,
    log,
    indexOf,
  }) =>
    of('cancel_accepted').flatMap(({ cancel, stopping, pending }) => {
      const settled = of('cancel_settled').find((fact) => fact.cancel === cancel);
      const at = indexOf((fact) => fact === (settled as unknown));
      const named = settled?.nodes.map(({ node }) => node) ?? [];
      if ([...named].sort().join() !== [...stopping, ...pending].sort().join()) return [`${cancel} lists ${named}`];
      return (settled?.nodes ?? []).flatMap(({ node, outcome, effect }) => {
        const endIndex = log.findIndex(
          (fact) =>
            (fact.type === 'turn_ended' && fact.turn === node) ||
            (fact.type === 'tool_result' && fact.node === node && fact.outcome !== 'continues') ||
            (fact.type === 'late_result' && fact.node === node),
        );
        const end = log[endIndex] as { outcome?: string; effect?: string } | undefined;
        return endIndex > at || end?.outcome !== outcome || end.effect !== effect
          ? [`${cancel} gives ${outcome}/${effect} of ${node}, the log ${end?.outcome}/${end?.effect}`]
          : [];
      });
    }),

  'only a speaker with standing stops a node, and such a speaker is not refused': ({ of, poisoned }) => {
    if (poisoned) return []; // nodes that a crash has cut are in later plans of every speaker
    const owners = new Map([
      ...of('turn_opened').map(({ turn, owner }) => [turn, owner] as const),
      ...of('turn_started').map(({ turn, owner }) => [turn, owner] as const),
      ...of('tool_call').map(({ node, owner }) => [node, owner] as const),
    ]);
    const stopped = new Set<string>();
    return of('cancel_accepted').flatMap(({ cancel, by, source, stopping, refused }) => {
      const may = (id: string) => source !== 'client' || by === 'carol' || owners.get(id) === by || stopped.has(id);
      const wrong = [
        ...stopping.filter((id) => !may(id)),
        ...refused.filter(({ node }) => may(node)).map(({ node }) => node),
      ];
      for (const id of stopping) stopped.add(id);
      return wrong.map((id) => `${cancel} by ${by}: ${id}`);
    });
  },

  'nothing starts after the cut': ({ lives }) =>
    lives.flatMap(({ cuts, ran }) =>
      [...cuts].flatMap(([id, cut]) => ((ran.get(id) ?? -1) >= cut.at && !cut.ran ? [id] : [])),
    ),

  'a stopped node was listed by an acceptance': ({ of, log, poisoned, killed }) => {
    if (poisoned || killed) return [];
    const touched = new Set<string | null>(of('cancel_accepted').flatMap(({ stopping }) => stopping));
    for (const { turn, parent } of of('turn_started')) if (touched.has(turn)) touched.add(parent); // a sub-agent has the outcome of its turn
    return log.flatMap((fact) => {
      if (fact.type !== 'turn_ended' && fact.type !== 'tool_result' && fact.type !== 'late_result') return [];
      const under = fact.type === 'tool_result' && fact.effect === 'not_started' && touched.has(fact.turn);
      return ['cancelled', 'abandoned'].includes(fact.outcome) && !touched.has(idOf(fact)) && !under
        ? [idOf(fact)]
        : [];
    });
  },

  'a cut turn does not complete': ({ of, lives, poisoned }) =>
    poisoned
      ? []
      : of('turn_ended').flatMap(({ turn, outcome }) =>
          outcome === 'completed' && lives.some(({ cuts }) => cuts.has(turn)) ? [turn] : [],
        ),

  'a call that ran does not have the effect not_started': ({ of, lives }) =>
    of('tool_result').flatMap(({ node, effect }) =>
      effect === 'not_started' && lives.some(({ ran }) => ran.has(node)) ? [node] : [],
    ),

  'a call runs only after its start was written': ({ of, lives }) => {
    const started = new Set(of('tool_started').map(({ node }) => node));
    return lives.flatMap(({ ran }) => [...ran.keys()].filter((id) => !started.has(id)));
  },

  'turns of one lane do not overlap': ({ of, indexOf }) => {
    const began = (turn: string) => indexOf((fact) => fact.type === 'turn_started' && fact.turn === turn);
    const ended = (turn: string) => indexOf((fact) => fact.type === 'turn_ended' && fact.turn === turn);
    const turns = of('turn_opened').filter(({ kind }) => kind === 'say');
    return turns.flatMap((a) =>
      turns.flatMap((b) =>
        a !== b &&
        a.lane === b.lane &&
        began(a.turn) >= 0 &&
        began(b.turn) > began(a.turn) &&
        began(b.turn) < ended(a.turn)
          ? [`${a.turn} ${b.turn}`]
          : [],
      ),
    );
  },

  // the time counts from the last plan that includes a node of this one
  'a stop settles within its budget': ({ of, poisoned, killed }) => {
    if (poisoned || killed) return [];
    const at = (fact: object) => (fact as RecordedFact).at;
    return of('cancel_accepted').flatMap((accepted) => {
      const settled = of('cancel_settled').find(({ cancel }) => cancel === accepted.cancel);
      const touching = of('cancel_accepted').filter(
        (other) =>
          at(other) <= at(settled ?? accepted) &&
          [...other.stopping, ...other.refused.map(({ node }) => node)].some((id) => accepted.stopping.includes(id)),
      );
      const last = Math.max(...touching.map(at));
      return settled && at(settled) > last + 1_500 + 250 ? [`${accepted.cancel} took ${at(settled) - last} ms`] : [];
    });
  },

  'every request pairs its calls and results': ({ lives }) =>
    lives.flatMap(({ requests }) => requests.flatMap(({ messages }) => pairingProblems(messages))),

  'recovery appends nothing to a log whose turns have all ended': ({ log }) => recover(log).map(({ type }) => type),
};

const judge = (trial: ConversationRecord) => {
  const view: View = {
    ...trial,
    of: <T extends FactType>(type: T) => trial.log.filter((fact) => fact.type === type) as unknown as FactOf<T>[],
    indexOf: (match) => trial.log.findIndex(match),
  };
  return Object.entries(invariants).flatMap(([name, rule]) =>
    rule(view).map((what) => `seed ${trial.seed}: ${name}: ${what}`),
  );
};

const only = process.env['FUZZ_SEED'];
const rounds = only ? 1 : Number(process.env['FUZZ_ROUNDS'] ?? 150);

test(`${rounds} random conversations break no invariant [cancel.reach] [cancel.fence] [history.paired]`, {
  timeout: 600_000,
}, async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // XState warns of events to machines that threw
  const wrong: string[] = [];
  const seen = { cancelled: 0, refused: 0, continues: 0, abandoned: 0, poisoned: 0, killed: 0 };
  for (let i = 0; i < rounds && wrong.length < 12; i++) {
    made.trees.length = 0;
    const trial = await playConversation(only ? Number(only) : i + 1, made);
    wrong.push(...judge(trial));
    seen.poisoned += Number(trial.poisoned);
    seen.killed += Number(trial.killed);
    for (const fact of trial.log) {
      if (fact.type === 'cancel_refused') seen.refused++;
      if (fact.type === 'tool_result' && fact.outcome in seen) seen[fact.outcome as keyof typeof seen]++;
    }
  }
  expect(wrong).toEqual([]);
  // each case must have occurred at least once
  if (!only) for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});
