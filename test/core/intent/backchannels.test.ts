// Words that only show that somebody listens, in eleven languages.
import { expect, test } from 'vitest';
import { isBackchannel } from '../../../src/core/intent/backchannels.ts';
import { isCancelIntent } from '../../../src/core/intent/cancel-intent.ts';
import { isResumeIntent } from '../../../src/core/intent/resume-intent.ts';
import { stopLanguages } from '../../../src/core/intent/stop-phrase-options.ts';
import { readPhraseList } from './read-phrase-list.ts';

const backchannels = [
  'Mhm.',
  'Uh-huh',
  'hmmm',
  'Yeah, yeah.',
  'Okay, I see',
  'oh really?',
  'ALL RIGHT',
  'mhm mhm mhm',
  'Yes.',
  'Ajá',
  'sí, sí',
  'Ya veo',
  'vale',
  'Ouais',
  "d'accord",
  'Ah bon ?',
  'bien sûr',
  'Ach so',
  'genau',
  'Ja, ja',
  'alles klar',
  'Sì, sì',
  'ho capito',
  'va bene',
  'Aham',
  'tá bom',
  'pois é',
  'うんうん',
  'うん、うん',
  'へえー',
  'なるほど',
  'そうですね。',
  '응응',
  '네, 네',
  '그렇구나',
  '아하!',
  '嗯嗯',
  '哦，这样啊',
  '對對對',
  '好的',
  'نعم',
  'أها',
  'طَيِّب',
  'ايوه، تمام',
  'हाँ हाँ',
  'अच्छा',
  'ठीक है',
  'जी हाँ',
];

test.each(backchannels)(
  '%j shows that somebody listens, and neither stops nor goes on [speech.backchannel]',
  (text) => {
    expect(isBackchannel(text)).toBe(true);
    expect(isCancelIntent(text)).toBe(false);
    expect(isResumeIntent(text)).toBe(false);
  },
);

const others = [
  '',
  '  ',
  '…',
  'no',
  'stop',
  'Okay, stop',
  'yeah, but',
  'wait',
  'mhm what?',
  'I see a problem',
  'all',
  'course',
  'pero sí',
  'mais oui',
  'ja aber',
  'no sì',
  'não',
  'やめて',
  'うん、でも',
  '그만',
  '不对',
  '好的停',
  'لا',
  'नहीं',
  'हाँ लेकिन',
  '12',
  '👍',
  `${'mhm '.repeat(30)}`,
];

test.each(others)('%j has something to say', (text) => {
  expect(isBackchannel(text)).toBe(false);
});

test('no stop phrase is a backchannel, in any language', () => {
  const lines = stopLanguages.flatMap((language) =>
    readPhraseList(new URL(`outside/${language}-stop.txt`, import.meta.url)),
  );
  const phrases = ['vale ya', 'ya vale', 'bueno ya', 'já tá bom', 'tá bom já', ...lines];
  expect(phrases.length).toBeGreaterThan(500);
  expect(phrases.filter((phrase) => isCancelIntent(phrase) && isBackchannel(phrase))).toEqual([]);
});

test('reads a long text of one letter at once', () => {
  for (const text of ['m'.repeat(1_000_000), 'm '.repeat(500_000), 'う'.repeat(60), `${'嗯对'.repeat(29)}x`])
    isBackchannel(text);
  expect(isBackchannel('m'.repeat(60))).toBe(true);
});
