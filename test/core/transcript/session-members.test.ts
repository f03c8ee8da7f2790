// The members of a session, folded from its facts.
import { expect, test } from 'vitest';
import type { Fact } from '../../../machines/facts.ts';
import { SessionMembers } from '../../../src/core/transcript/session-members.ts';
import { opening } from './facts-of-turns.ts';

/** The members of a session of a version that kept no owner. */
function membersOf(facts: readonly Fact[]): SessionMembers {
  const members = new SessionMembers();
  const opened: Fact = { type: 'session_opened', kind: 'text', policy: 'anyone' };
  members.add([opened, ...facts].map((fact, i) => ({ seq: i + 1, fact: { ...fact, at: 0 } })));
  return members;
}

const removed: Fact = { type: 'member_removed', speaker: 'bob', by: 'ann', ref: null };
const said = [...opening('t1', 'hello', 'ann'), ...opening('t2', 'hello', 'bob')];

test('a turn that what is left of a removed speaker opens makes nobody a member again [access.join]', () => {
  const agent: Fact = {
    type: 'turn_opened',
    turn: 't3',
    kind: 'agent',
    owner: 'bob',
    lane: 't3',
    text: 'x',
    ref: null,
  };
  expect(membersOf(said).has('bob')).toBe(true);
  expect(membersOf([...said, removed, agent]).has('bob')).toBe(false);
  const invited: Fact = { type: 'member_invited', speaker: 'bob', by: 'ann', ref: null };
  expect(membersOf([...said, removed, agent, invited]).has('bob')).toBe(true);
});
