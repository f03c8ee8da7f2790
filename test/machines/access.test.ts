// Access: who may open, read and use a session, as a table of its verdicts.
import { describe, expect, test } from 'vitest';
import {
  type AccessAction,
  type AccessRule,
  type AccessSession,
  type AccessSpeaker,
  access,
  accessRules,
  type BuiltinAccess,
  matchesName,
} from '../../machines/access.ts';
import type { Role } from '../../machines/vocabulary.ts';

const speakerOf = (id: string, sessions: readonly string[] | null = null, roles: readonly Role[] = ['member']) => ({
  id,
  roles,
  sessions,
});
const session: AccessSession = { id: 'team-a', owner: 'ann', isMember: false };
const actions: readonly AccessAction[] = ['open', 'read', 'speak', 'cancel', 'invite'];
const allowed = (speaker: AccessSpeaker, rule: BuiltinAccess | AccessRule, about: Partial<AccessSession> = {}) =>
  actions.filter((action) => access(action, speaker, { ...session, ...about }, rule).may);

describe('the rule', () => {
  test('open lets everybody in, and only the owner or a moderator invite [access.join]', () => {
    expect(allowed(speakerOf('bob'), 'open')).toEqual(['open', 'read', 'speak', 'cancel']);
    expect(allowed(speakerOf('bob', []), 'open')).toEqual(['open', 'read', 'speak', 'cancel']);
    expect(allowed(speakerOf('ann'), 'open')).toEqual(actions);
  });

  test.each([
    ['the owner', speakerOf('ann', []), {}, ['read', 'speak', 'cancel', 'invite']],
    ['who was invited', speakerOf('bob', []), { isMember: true }, ['read', 'speak', 'cancel']],
    ['a pattern of the token', speakerOf('bob', ['team-*']), {}, ['open', 'read', 'speak', 'cancel']],
    ['a token that names no session opens, and enters none', speakerOf('bob'), {}, ['open']],
    ['a token of other sessions', speakerOf('bob', ['other']), {}, []],
    ['a moderator outside', speakerOf('mo', [], ['moderator']), {}, []],
    ['a moderator inside', speakerOf('mo', ['team-a'], ['moderator']), {}, actions],
    ['a bridge outside', speakerOf('discord', ['room-*'], ['bridge']), {}, []],
    ['an emergency', speakerOf('guard', [], ['emergency']), {}, ['cancel']],
  ])('members: %s [access.join]', (_, speaker, about, expected) => {
    expect(allowed(speaker, 'members', about)).toEqual(expected);
  });

  test('private is for the owner: no invitation, no pattern and no role counts [access.join]', () => {
    expect(allowed(speakerOf('ann'), 'private')).toEqual(actions);
    expect(allowed(speakerOf('bob', []), 'private', { isMember: true })).toEqual([]);
    expect(allowed(speakerOf('mo', ['*'], ['moderator']), 'private')).toEqual(['open']);
    expect(allowed(speakerOf('guard', [], ['emergency']), 'private')).toEqual(['cancel']);
  });

  test('nobody owns a session without an owner [access.join]', () => {
    for (const rule of accessRules) expect(allowed(speakerOf('null'), rule, { owner: null })).not.toContain('invite');
  });

  test("an embedder's rule decides everything but the CANCEL of an emergency [access.join]", () => {
    const readers: AccessRule = (action) => (action === 'read' ? { may: true, because: 'rule' } : { may: false });
    expect(allowed(speakerOf('ann'), readers)).toEqual(['read']);
    expect(allowed(speakerOf('guard', null, ['emergency']), readers)).toEqual(['read', 'cancel']);
  });
});

describe('a pattern', () => {
  test.each([
    ['team-a', 'team-a', true],
    ['team-a', 'team-ab', false],
    ['*', 'anything', true],
    ['team-*', 'team-', true],
    ['team-*', 'team', false],
    ['*-a', 'team-a', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['aa*aa', 'aaa', false],
    ['', 'a', false],
    ['a.c', 'abc', false],
  ])('%j and %j: %s [access.join]', (pattern, name, matches) => {
    expect(matchesName(pattern, name)).toBe(matches);
  });

  test('of many stars takes no time', () => {
    expect(matchesName(`${'a*'.repeat(60)}b`, 'a'.repeat(128))).toBe(false);
  });
});
