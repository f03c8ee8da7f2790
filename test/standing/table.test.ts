// The table of standing: at most sixty rows, disjoint and complete, and what the function says of each case.
import { expect, test } from 'vitest';
import { type Evidence, type StandingNode, standing } from '../../machines/standing.ts';
import { type Role, roles, type Speaker } from '../../machines/vocabulary.ts';
import { type Addressing, allCases, type Case, kindsOfSource, rows, rowsOf, type Strongest } from './table.ts';

const threshold = 0.6;
const confidence: Record<Addressing, number | undefined> = { above: 0.9, at: 0.6, below: 0.59, none: undefined };

/** Every set of roles whose strongest is this one. */
function roleSets(strongest: Strongest): readonly (readonly Role[])[] {
  if (strongest === 'none') return [];
  const weaker = { emergency: ['member', 'moderator', 'bridge'], moderator: ['member', 'bridge'], bridge: ['member'] };
  const below = strongest === 'member' ? [] : weaker[strongest];
  return [[strongest], [strongest, ...below] as Role[]];
}

const speakersOf = ({ role }: Case): readonly (Speaker | null)[] =>
  role === 'none' ? [null] : roleSets(role).map((set) => ({ id: 'bob', roles: set }));

const nodeOf = ({ node, initiator, addressee, delegate }: Case): StandingNode => ({
  id: 'n',
  kind: node,
  owner: initiator === 'owner' ? 'bob' : 'ann',
  ...(initiator === 'requester' && { requester: 'bob' }),
  addressee: addressee ? 'bob' : 'carl',
  isDelegated: delegate,
});

const evidenceOf = ({ kind, alone, addressed }: Case, source: Evidence['source']): Evidence => ({
  source,
  kind,
  participants: alone ? 1 : 2,
  addressed: confidence[addressed],
  addressedFrom: threshold,
});

test('the table has at most sixty rows, each case matches exactly one, and each row matches a case [owner.guard]', () => {
  expect(rows.length).toBeLessThanOrEqual(60);
  const used = new Set();
  let cases = 0;
  for (const one of allCases()) {
    cases += 1;
    const matching = rowsOf(one);
    if (matching.length !== 1) expect(matching, JSON.stringify(one)).toHaveLength(1);
    used.add(matching[0]);
  }
  expect(used.size).toBe(rows.length);
  console.log(`standing table: ${rows.length} rows, ${cases} cases`);
});

test('the function gives the verdict of the table in every case [owner.guard] [owner.voice] [owner.text]', () => {
  const wrong: unknown[] = [];
  for (const one of allCases()) {
    const expected = rowsOf(one)[0]?.verdict;
    for (const source of kindsOfSource[one.source])
      for (const speaker of speakersOf(one)) {
        const verdict = standing(nodeOf(one), speaker, evidenceOf(one, source), one.policy);
        if (verdict.may !== expected?.may || verdict.because !== expected.because)
          wrong.push({ ...one, source, verdict, expected });
      }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
});

test('every role is in the table', () => {
  expect([...new Set([...allCases()].map(({ role }) => role))].toSorted()).toEqual([...roles, 'none'].toSorted());
});
