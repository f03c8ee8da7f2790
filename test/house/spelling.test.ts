// American spelling everywhere, except `cancelled`, `cancelling` and `cancellation`.
import { expect, test } from 'vitest';
import { filesBelow, read } from './tree.ts';

/** What is wrong, and what is right. Only words whose other spelling is not a word of its own. */
const wrong: readonly (readonly [RegExp, string])[] = [
  [/\bcancel(ed|ing|er|ers|able|ation|ations)\b/i, 'cancelled, cancelling, cancellation'],
  [/\b(behavi|col|fav|fl?av|hon|hum|lab|neighb|rum|vig|endeav|harb)our/i, '-or'],
  [/\b(cent|theat|fib|lit|met(?=re\b)|calib|lust)re(s|d)?\b/i, '-er'],
  [/\b(anal|paral|catal)ys(e|ed|es|ing|er)\b/i, '-yze'],
  [
    /\b(author|categor|character|custom|emphas|final|general|initial|local|maxim|material|memor|minim|modern|normal|optim|organ|prior|real|recogn|reorgan|serial|deserial|special|stabil|standard|summar|synchron|token|util|visual)is(e|ed|es|ing|er|ers|ation|ations|able)\b/i,
    '-ize',
  ],
  [
    /\b(label|model|signal|travel|level|channel|total|tunnel|marshal|dial|fuel|equal|initial|rival)l(ed|ing|er)\b/i,
    'one l',
  ],
  [
    /\b(defence|offence|pretence|licence|grey|artefact|programme|cheque|whilst|amongst|learnt|spelt|judgement|sceptic\w*|catalogue)s?\b/i,
    'American spelling',
  ],
  [/\b(fulfil|enrol|instal|skilful|wilful)(s|ment)?\b/i, 'll'],
];

const mistakesIn = (text: string): string[] =>
  text.split('\n').flatMap((line, index) =>
    wrong.flatMap(([pattern, right]) => {
      const found = pattern.exec(line);
      return found ? [`${index + 1} ${found[0]}: ${right}`] : [];
    }),
  );

test('the spelling is American', () => {
  const known = new Set(filesBelow(''));
  const folders = ['machines', 'src', 'test', 'bench', 'scripts', 'docs'];
  const files = [...folders.flatMap((folder) => filesBelow(folder)), 'README.md', 'CHANGELOG.md', 'package.json']
    .filter((path) => known.has(path))
    .filter((path) => path !== 'test/house/spelling.test.ts')
    .filter((path) => !/^test\/core\/intent\/(lists|outside|phrases|seen)\//.test(path)); // of other languages
  expect(files.flatMap((path) => mistakesIn(read(path)).map((mistake) => `${path}:${mistake}`))).toEqual([]);
});

test('a mistake is seen, and what is right is none', () => {
  const mistakes = [
    'canceled',
    'canceling',
    'Behaviour',
    'colours',
    'analyse',
    'serialised',
    'modelled',
    'labelling',
    'licence',
    'neighbour',
  ];
  expect(mistakes.filter((word) => mistakesIn(word).length === 0)).toEqual([]);
  const right =
    'cancelled cancelling cancellation cancels metrics parallel called controlled settled exercise promise otherwise raised filled';
  expect(mistakesIn(right)).toEqual([]);
});
