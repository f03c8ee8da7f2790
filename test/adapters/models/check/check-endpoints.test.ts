// The checks of `belay check-model` with every endpoint of the matrix: all of them are accepted, and a stop closes the socket.
import { expect, test } from 'vitest';
import { checkModel } from '../../../../src/adapters/models/check/check-model.ts';
import { systemSources } from '../../../../src/core/sources/system.ts';
import { matrix } from '../../../support/endpoints/matrix.ts';
import type { Play } from '../../../support/endpoints/stand-in.ts';

const gauges: Play['calls'] = ['Oslo', 'Lima', 'Accra'].map((city) => ['read_gauge', { city }]);

/** What a good model replies to the requests of the checks, in their order. */
const plays: readonly Play[] = [
  { text: 'Ready.' },
  { reasoning: 'I add them.', calls: [['add_numbers', { a: 1931, b: 4207 }]] },
  { text: 'The sum is 6138.' },
  { reasoning: 'I read them.', calls: gauges },
  { text: 'Done.' },
  { text: 'Red.' },
  { reasoning: 'x + x + 1', text: '0.05' },
  { text: 'one, two, three, four', hang: 'text' },
  { text: 'Ready.' },
];

/** Endpoints that take text alone, by what their models then say of a picture. */
const blind = ['deepseek'];

test.each(matrix)('$name passes the checks [model.any]', async ({ start, provider, family = '' }) => {
  const endpoint = await start();
  endpoint.play(
    ...plays.map((play) => (play.text === 'Red.' && blind.includes(family) ? { text: 'Which one?' } : play)),
  );
  const results = await checkModel({ provider: provider(endpoint.url), clock: systemSources.clock, options: {} });
  expect(endpoint.refusals()).toEqual([]);
  expect(results.filter(({ state }) => state === 'fails')).toEqual([]);
  expect(results.map(({ check, state }) => [check, state])).toEqual([
    ...['text', 'tool', 'parallel'].map((name) => [name, 'works']),
    ['image', blind.includes(family) ? 'partly' : 'works'],
    ['reasoning', expect.stringMatching(/works|partly/)], // some show none
    ['cancel', 'works'],
  ]);
  expect(results.at(-1)?.detail).toMatch(/The connection was closed/);
  expect(endpoint.requests.at(-2)?.ended).toBe('closed_by_client');
  expect(endpoint.requests).toHaveLength(plays.length);
  const sawImage = /image|inline_?data/i.test(
    JSON.stringify(endpoint.requests[5]?.body.messages ?? endpoint.requests[5]?.body),
  );
  expect(sawImage).toBe(true); // its bytes, or the words in their place
});
