// The part of the script in `belay check-model`: it plays a model that calls the tools of the checks. It sees no pictures.

interface Played {
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

const gauge = (city: string) => ({ name: 'read_gauge', arguments: { city } });

/** By the words of the checks (src/adapters/models/check); the first of two answers is that of the round before the results. */
const answers: readonly (readonly [asked: RegExp, before: Played, after: Played])[] = [
  [/^Reply with the word ready|Reply with the word ready\.$/, { text: 'ready' }, { text: 'ready' }],
  [
    /^Add 1931 and 4207 with the tool/,
    { text: 'I add them.', calls: [{ name: 'add_numbers', arguments: { a: 1931, b: 4207 } }] },
    { text: 'The sum is 6138.' },
  ],
  [
    /^Read the gauges of Oslo, Lima and Accra/,
    { text: 'I read them.', calls: [gauge('Oslo'), gauge('Lima'), gauge('Accra')] },
    { text: 'Done.' },
  ],
  [/^Which color is this picture/, { text: 'A script sees no picture.' }, { text: '' }],
  [/^A bat and a ball cost/, { text: '0.05' }, { text: '' }],
];

/** Returns what the script says and calls in a check; null: the words are of none. `rounds`: those of calls so far. */
export function playCheck(user: string, rounds: number): Played | null {
  const [, before, after] = answers.find(([asked]) => asked.test(user)) ?? [];
  return (rounds === 0 ? before : after) ?? null;
}
