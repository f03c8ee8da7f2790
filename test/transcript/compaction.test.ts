// What is shortened of a long conversation, and what its summary may take.
import { describe, expect, test } from 'vitest';
import { fitSummary } from '../../src/transcript/compaction.ts';

const bounds = { compactAboveBytes: 40_000, summaryChars: 100, contextBytes: 262_144 };

describe('a summary', () => {
  test('is cut to its characters, and no cut leaves half of one [history.bounded]', () => {
    const faces = '\u{1f600}'.repeat(20);
    for (let summaryChars = 1; summaryChars < 60; summaryChars++) {
      const cut = fitSummary(`a${faces}`, { ...bounds, summaryChars });
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(41, summaryChars) - 1);
      expect(cut.length).toBeLessThanOrEqual(summaryChars);
    }
  });

  test('that a model wrote with half a character is well-formed [history.bounded]', () => {
    expect(fitSummary('a\ud83d b', bounds)).toBe('a\ufffd b');
  });
});
