// Judges a log: the rules of every log, and those of a log that was closed. Imports nothing of src/core/transcript.
import type { Fact, FactOf, FactType } from '../../../machines/facts.ts';

type Named = { readonly [key: string]: unknown };

/** The fields that identify a fact among those of its type, for types that are written once for each node. */
const keys: Partial<Record<FactType, readonly string[]>> = {
  turn_opened: ['turn'],
  input_deferred: ['input'],
  input_settled: ['input'],
  turn_started: ['turn'],
  turn_ended: ['turn'],
  model_started: ['turn', 'index'],
  model_ended: ['turn', 'index'],
  tool_call: ['node'],
  tool_started: ['node'],
  tool_result: ['node'],
  late_result: ['node'],
  abandoned_ended: ['node'],
  cancel_accepted: ['cancel'],
  cancel_settled: ['cancel'],
};

const nameOf = (fact: Fact, type: FactType = fact.type): string =>
  [type, ...(keys[fact.type] ?? []).map((key) => (fact as unknown as Named)[key])].join(' ');

/** Beginnings, and the end that has to come after each. */
const pairs: readonly (readonly [(fact: Fact) => boolean, FactType])[] = [
  [(fact) => fact.type === 'turn_opened' || fact.type === 'turn_started', 'turn_ended'],
  [(fact) => fact.type === 'model_started', 'model_ended'],
  [(fact) => fact.type === 'input_deferred', 'input_settled'],
  [(fact) => fact.type === 'tool_call', 'tool_result'],
  [(fact) => fact.type === 'tool_result' && fact.outcome === 'continues', 'late_result'],
  [
    (fact) => (fact.type === 'tool_result' || fact.type === 'late_result') && fact.outcome === 'abandoned',
    'abandoned_ended',
  ],
  [(fact) => fact.type === 'cancel_accepted', 'cancel_settled'],
];

/** Returns what breaks the rules in a log that may still be open. */
export function broken(facts: readonly Fact[]): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  const ended = new Set<string>();
  const calls = new Map<string, FactOf<'tool_call'>>();
  for (const fact of facts) {
    const name = nameOf(fact);
    if (keys[fact.type] && seen.has(name)) wrong.push(`${name}: twice`);
    seen.add(name);
    if (fact.type === 'tool_call') calls.set(fact.node, fact);
    // a call that was spared while it waited may start after the end of its turn, and what it has not read has its fate there; nothing else of the turn comes
    if ('turn' in fact && fact.type !== 'tool_started' && fact.type !== 'input_settled' && ended.has(fact.turn))
      wrong.push(`${name}: after the end of its turn`);
    if (fact.type === 'input_settled' && fact.fate === 'consumed' && ended.has(fact.turn))
      wrong.push(`${name}: consumed after the end of its turn`);
    if (fact.type === 'turn_ended') ended.add(fact.turn);
    if (fact.type === 'tool_result' && calls.get(fact.node)?.turn !== fact.turn)
      wrong.push(`${name}: no such call in ${fact.turn}`);
  }
  return wrong;
}

/** Returns what a closed log has left open, or has in the wrong order. */
export function unclosed(facts: readonly Fact[]): string[] {
  const wrong: string[] = [];
  const at = new Map(facts.map((fact, i) => [nameOf(fact), i]));
  for (const [i, fact] of facts.entries()) {
    for (const [opens, end] of pairs) {
      if (opens(fact) && (at.get(nameOf(fact, end)) ?? -1) < i) wrong.push(`${nameOf(fact)}: no ${end} after it`);
    }
  }
  for (const [i, fact] of facts.entries()) {
    if (fact.type !== 'cancel_settled') continue;
    const accepted = facts.find((one) => one.type === 'cancel_accepted' && one.cancel === fact.cancel);
    const listed = accepted?.type === 'cancel_accepted' ? [...accepted.stopping, ...accepted.pending] : [];
    if (`${fact.nodes.map(({ node }) => node)}` !== `${listed}`) wrong.push(`${nameOf(fact)}: another list of nodes`);
    for (const { node, outcome, effect } of fact.nodes) {
      const ends = facts.findIndex(
        (one) =>
          (one.type === 'turn_ended' && one.turn === node) ||
          (one.type === 'tool_result' && one.node === node && one.outcome !== 'continues') ||
          (one.type === 'late_result' && one.node === node) ||
          (one.type === 'input_settled' && one.input === node && one.fate === 'cancelled'),
      );
      const found = facts[ends] as FactOf<'turn_ended' | 'tool_result' | 'late_result' | 'input_settled'> | undefined;
      const end = found?.type === 'input_settled' ? ({ outcome: 'cancelled', effect: 'not_started' } as const) : found;
      if (end?.outcome !== outcome || end.effect !== effect)
        wrong.push(`${nameOf(fact)}: ${node} ${outcome} (${effect}), its own fact ${end?.outcome} (${end?.effect})`);
      if (ends > i) wrong.push(`${nameOf(fact)}: before the end of ${node}`);
    }
  }
  return wrong;
}
