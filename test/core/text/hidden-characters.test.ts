// Characters that cannot be seen: written out in what a person approves, and in names.
import { describe, expect, test } from 'vitest';
import { writeOutHidden, writeOutName } from '../../../src/core/text/printable.ts';

describe('in a text', () => {
  test.each([
    ['e\u202etxt.sh', 'e<U+202E>txt.sh'],
    ['\u2066a\u2069\u200f\u061c', '<U+2066>a<U+2069><U+200F><U+061C>'],
    ['a\u200bb\ufeffc\u00add\u2060', 'a<U+200B>b<U+FEFF>c<U+00AD>d<U+2060>'],
    ['a\u001b[2J\u0000\u009b', 'a<U+001B>[2J<U+0000><U+009B>'],
    ['a\u{e0041}\u3164\u2800\ufe0f', 'a<U+E0041><U+3164><U+2800><U+FE0F>'],
    ['half \ud800 pair', 'half <U+D800> pair'],
    ['an\u200dn\u200c', 'an<U+200D>n<U+200C>'],
    ['lone\rreturn\u2028', 'lone<U+000D>return<U+2028>'],
  ])('%j is shown as %j [access.names] [owner.ask]', (text, shown) => {
    expect(writeOutHidden(text)).toBe(shown);
  });

  test.each([
    'two\nlines\twith a tab\r\nand a blank\u00a0one',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u0915\u094d\u200d\u0937',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f 1\ufe0f\u20e3',
    'שלום, مرحبا',
  ])('%j stays [access.names]', (text) => {
    expect(writeOutHidden(text)).toBe(text);
  });
});

test.each([
  ['ann ', 'ann<U+0020>'],
  [' ann', '<U+0020>ann'],
  ['ann  b', 'ann <U+0020>b'],
  ['an\u200bn\u202e', 'an<U+200B>n<U+202E>'],
  ['ann b', 'ann b'],
])('the name %j is shown as %j [access.names]', (name, shown) => {
  expect(writeOutName(name)).toBe(shown);
});
