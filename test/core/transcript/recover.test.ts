// Recovery: whatever a crash leaves open is closed, once, truthfully, and in an order in which each prefix is sound.
import { describe, expect, test } from 'vitest';
import type { Fact, FactOf, FactType, RecordedFact } from '../../../machines/facts.ts';
import { closingOf, lateEndsOf } from '../../../src/core/transcript/close-turns.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { fc } from '../../support/property.ts';
import { broken, unclosed } from './judge.ts';
import { numbers, plausibleLog, plausibleLogs } from './plausible.ts';

const at = (facts: readonly Fact[], start = 1_000): RecordedFact[] =>
  facts.map((fact, i) => ({ ...fact, at: start + i }));
const of = <T extends FactType>(facts: readonly Fact[], type: T): FactOf<T>[] =>
  facts.filter((fact): fact is FactOf<T> => fact.type === type);

describe('after a crash at any prefix of a log', () => {
  test('the generated logs keep the rules themselves', () => {
    fc.assert(fc.property(plausibleLogs, (log) => void expect(broken(log)).toEqual([])));
  });

  test('all is closed, and recovering again adds nothing [store.durable]', () => {
    fc.assert(
      fc.property(plausibleLogs, (log) => {
        for (let length = 0; length <= log.length; length++) {
          const prefix = log.slice(0, length);
          const whole = [...prefix, ...recover(prefix)];
          expect([...broken(whole), ...unclosed(whole)]).toEqual([]);
          expect(recover(whole)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a crash in the middle of a recovery is recovered from like any other [store.durable]', () => {
    fc.assert(
      fc.property(plausibleLogs, fc.nat(), (log, cut) => {
        const prefix = log.slice(0, cut % (log.length + 1));
        const missing = at(recover(prefix), 5_000);
        for (let length = 0; length <= missing.length; length++) {
          const torn = [...prefix, ...missing.slice(0, length)];
          const whole = [...torn, ...recover(torn)];
          expect([...broken(whole), ...unclosed(whole)]).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a second life after a recovery is recovered like the first', () => {
    fc.assert(
      fc.property(numbers, numbers, fc.nat(), (first, second, cut) => {
        const log = plausibleLog(first);
        const prefix = log.slice(0, cut % (log.length + 1));
        const lives = [...prefix, ...at(recover(prefix)), ...plausibleLog(second, 'b')];
        const whole = [...lives, ...recover(lives)];
        expect([...broken(whole), ...unclosed(whole)]).toEqual([]);
      }),
    );
  });

  test('the effect is `unknown` for a call that was entered, and `not_started` for any other [history.effect]', () => {
    fc.assert(
      fc.property(plausibleLogs, fc.nat(), (log, cut) => {
        const prefix = log.slice(0, cut % (log.length + 1));
        const started = new Set(of(prefix, 'tool_started').map(({ node }) => node));
        for (const { node, effect } of of(recover(prefix), 'tool_result'))
          expect(effect).toBe(started.has(node) ? 'unknown' : 'not_started');
      }),
    );
  });
});

describe('one machine that threw', () => {
  test('its turn and all below it are closed; the others are not touched', () => {
    fc.assert(
      fc.property(plausibleLogs, fc.nat(), fc.nat(), (log, cut, which) => {
        const prefix = log.slice(0, cut % (log.length + 1));
        const turns = [...of(prefix, 'turn_opened'), ...of(prefix, 'turn_started')].map(({ turn }) => turn);
        const turn = turns[which % turns.length];
        if (turn === undefined) return;
        const closing = closingOf(prefix, turn, 'machine_failed');
        const whole = [...prefix, ...closing, ...lateEndsOf([...prefix, ...closing], turn)];
        expect(broken(whole)).toEqual([]);
        expect(closingOf(whole, turn)).toEqual([]);
        expect(lateEndsOf(whole, turn)).toEqual([]);
        const rest = [...whole, ...recover(whole)];
        expect([...broken(rest), ...unclosed(rest)]).toEqual([]);
      }),
    );
  });
});
