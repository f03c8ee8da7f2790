// The closed sets of words stand in the pages as they stand in the code: a row that lists a set lists all of it, and nothing else.
import { expect, test } from 'vitest';
import { ruleOfCause } from '../../machines/cause-rules.ts';
import { causeSources, effects, outcomeKinds, whileRunningPolicies } from '../../machines/vocabulary.ts';
import { lettersOf } from '../../src/core/words/look-up.ts';
import { read } from './tree.ts';

const lists: readonly { page: string; row: string; set: readonly string[] }[] = [
  { page: 'docs/architecture.md', row: '| outcome |', set: outcomeKinds },
  { page: 'docs/architecture.md', row: '| effect |', set: effects },
  { page: 'docs/protocol.md', row: '| `outcome` |', set: outcomeKinds },
  { page: 'docs/protocol.md', row: '| `source` | string | the cause:', set: causeSources },
  { page: 'docs/configuration.md', row: '| `whileRunning` |', set: whileRunningPolicies },
];

test('the pages on causes name those that end nodes in their own way, and those that need no standing', () => {
  const rules = causeSources.map((source) => ({ source, ...ruleOfCause(source) }));
  const own = rules.filter(({ outcome }) => outcome !== 'cancelled');
  const ways = own.map(({ source, outcome }) => `\`${source}\` gives \`${outcome}\``).join(', ');
  expect(read('docs/cancellation.md')).toContain(`The cause decides the outcome: ${ways}, every other`);
  const [row = ''] = /^\| is null: the runtime itself stops.*$/m.exec(read('docs/ownership.md')) ?? [];
  const free = rules.filter(({ needsStanding }) => !needsStanding).map(({ source }) => lettersOf(source));
  expect(free.filter((source) => !row.includes(source))).toEqual([]);
});

test.each(lists)('$page, $row: the whole set', ({ page, row, set }) => {
  const line = read(page)
    .split('\n')
    .find((one) => one.startsWith(row));
  const words = [...(line?.slice(row.length) ?? '').matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
  expect(words.slice(0, set.length)).toEqual(set);
});
