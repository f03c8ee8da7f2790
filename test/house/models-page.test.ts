// docs/how-to/models.md lists the endpoints that the tests have conversations with, each with the settings that lead to it, and no other.
import { expect, test } from 'vitest';
import { families, familyAt } from '../../src/adapters/models/chat/families.ts';
import { modelSchema } from '../../src/programs/model-settings.ts';
import { configSchema } from '../../src/programs/settings.ts';
import { matrix } from '../support/endpoints/matrix.ts';
import { filesBelow, read } from './tree.ts';

const page = read('docs/how-to/models.md');

interface Row {
  readonly endpoint: string;
  readonly api: string;
  readonly family: string;
  readonly address: string;
}

const unquoted = (cell = '') => (cell === '–' ? '' : cell.replaceAll('`', ''));

/** The rows of the table of endpoints. */
const rows = (/^\|.*\n(?:\|.*\n)+/m.exec(page.split('\n## Endpoints\n')[1] ?? '')?.[0] ?? '')
  .trim()
  .split('\n')
  .slice(2)
  .map((line): Row => {
    const [endpoint = '', api, family, address] = line.slice(2).split(' | ');
    return { endpoint, api: unquoted(api), family: unquoted(family), address: unquoted(address) };
  });

/** The tests of conversations, by file. */
const tests = filesBelow('test/adapters/models')
  .filter((path) => path.endsWith('-conversations.test.ts'))
  .map((path) => read(path));

test('each endpoint of the page is one that the tests have conversations with, and each of those is in the page', () => {
  const tried = matrix.map(({ name, api, family = '' }) => [name.replace(/, which .*/, ''), api, family].join(' | '));
  expect(rows.map(({ endpoint, api, family }) => [endpoint, api, family].join(' | '))).toEqual([...new Set(tried)]);
});

test('each API of the table has a test that has these conversations', () => {
  const apis = [...new Set(matrix.map(({ api }) => api))];
  const testsOf = (api: string) =>
    tests.filter((text) => text.includes('describeConversations(row)') && text.includes(`'${api}'`));
  expect(apis.map((api) => [api, testsOf(api).length])).toEqual(apis.map((api) => [api, 1]));
});

test('each family is in the page, and its address leads to it', () => {
  const byChat = rows.filter(({ api }) => api === 'chat');
  expect(byChat.map(({ family }) => family).sort()).toEqual(Object.keys(families).sort());
  const addresses = byChat.filter(({ address }) => URL.canParse(address));
  expect(addresses).toHaveLength(byChat.length - 1); // any other
  expect(addresses.filter(({ address, family }) => familyAt(address) !== family)).toEqual([]);
});

test('each setting that the page names is one, and its example is valid', () => {
  const names = [...page.matchAll(/`model\.(\w+)`/g)].map(([, name = '']) => name);
  expect(names.filter((name) => !(name in modelSchema.shape))).toEqual([]);
  const [example = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '');
  expect(configSchema.parse(JSON.parse(example))).toMatchObject(JSON.parse(example));
});
