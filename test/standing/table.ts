// The rules of standing as a table, written before the code: each row is a pattern of a case, and the verdict for every case that it matches.
import type { Verdict } from '../../machines/standing.ts';
import {
  type CauseSource,
  causeSources,
  type NodeKind,
  nodeKinds,
  type Policy,
  policies,
  type SessionKind,
} from '../../machines/vocabulary.ts';

/** The evidence of how far the bot was addressed: `above` the threshold, `at` it, `below` it, or none. */
export const addressings = ['above', 'at', 'below', 'none'] as const;
export type Addressing = (typeof addressings)[number];

/** The strongest role of the speaker; `none`: a command without a speaker. */
export const strongest = ['emergency', 'moderator', 'bridge', 'member', 'none'] as const;
export type Strongest = (typeof strongest)[number];

const runtimeSources: readonly CauseSource[] = ['deadline', 'shutdown', 'crash'];

/** The kind of source: `runtime`: a cause of the runtime itself; `words`: typed or spoken; `command`: every other one, as a frame, HTTP, a lost client, a newer call. */
export const kindsOfSource: Readonly<Record<'runtime' | 'words' | 'command', readonly CauseSource[]>> = {
  runtime: runtimeSources,
  words: ['phrase'],
  command: causeSources.filter((source) => !runtimeSources.includes(source) && source !== 'phrase'),
};

/** One case that a decision may meet. */
export interface Case {
  readonly kind: SessionKind;
  readonly role: Strongest;
  readonly initiator: 'owner' | 'requester' | 'no';
  readonly addressee: boolean;
  readonly delegate: boolean;
  readonly addressed: Addressing;
  readonly alone: boolean;
  readonly policy: Policy;
  readonly source: keyof typeof kindsOfSource;
  readonly node: NodeKind;
}

/** The values of each dimension. */
export const dimensions: { readonly [D in keyof Case]: readonly Case[D][] } = {
  kind: ['text', 'voice'],
  role: strongest,
  initiator: ['owner', 'requester', 'no'],
  addressee: [true, false],
  delegate: [true, false],
  addressed: addressings,
  alone: [true, false],
  policy: policies,
  source: ['runtime', 'words', 'command'],
  node: nodeKinds,
};

/** A dimension that is left out is a wildcard; a list matches each of its values. */
export type Pattern = { readonly [D in keyof Case]?: Case[D] | readonly Case[D][] };

interface Row {
  readonly when: Pattern;
  readonly verdict: Verdict;
}

const may = (because: (Verdict & { readonly may: true })['because']): Verdict => ({ may: true, because });
const mayNot = (because: (Verdict & { readonly may: false })['because']): Verdict => ({ may: false, because });

const asked = ['words', 'command'] as const;
/** Speakers whose role decides nothing. */
const plain = { role: ['bridge', 'member'] as const };
/** A plain speaker to whom the node is nobody's in particular. */
const stranger = { ...plain, initiator: 'no', addressee: false, delegate: false } as const;
const directed = ['above', 'at'] as const;
const undirected = ['below', 'none'] as const;

export const rows: readonly Row[] = [
  // the runtime needs no standing; a command of nobody has none
  { when: { source: 'runtime' }, verdict: may('runtime') },
  { when: { source: asked, role: 'none' }, verdict: mayNot('not_owner') },
  // the role
  { when: { source: asked, role: 'emergency' }, verdict: may('role') },
  { when: { source: asked, role: 'moderator' }, verdict: may('role') },
  // the speaker's own: in every kind of session, under every policy
  { when: { source: asked, ...plain, initiator: 'owner' }, verdict: may('initiator') },
  { when: { source: asked, ...plain, initiator: 'requester' }, verdict: may('initiator') },
  { when: { source: asked, ...plain, initiator: 'no', addressee: true }, verdict: may('addressee') },
  { when: { source: asked, ...plain, initiator: 'no', addressee: false, delegate: true }, verdict: may('delegate') },
  // somebody else's, by a command: addressing is no evidence
  { when: { ...stranger, source: 'command', policy: 'anyone' }, verdict: may('policy') },
  {
    when: { ...stranger, source: 'command', policy: ['addressed', 'owner'], alone: true },
    verdict: may('only_participant'),
  },
  {
    when: { ...stranger, source: 'command', policy: ['addressed', 'owner'], alone: false },
    verdict: mayNot('not_owner'),
  },
  // somebody else's, by words that were typed
  { when: { ...stranger, source: 'words', kind: 'text', policy: 'anyone' }, verdict: may('policy') },
  // somebody else's, by words that were spoken: `anyone` is who speaks to the bot
  {
    when: { ...stranger, source: 'words', kind: 'voice', policy: 'anyone', addressed: directed },
    verdict: may('addressed'),
  },
  {
    when: { ...stranger, source: 'words', kind: 'voice', policy: 'anyone', addressed: undirected, alone: true },
    verdict: may('only_participant'),
  },
  {
    when: { ...stranger, source: 'words', kind: 'voice', policy: 'anyone', addressed: undirected, alone: false },
    verdict: mayNot('words_not_addressed'),
  },
  // somebody else's, by words in a session of either kind
  { when: { ...stranger, source: 'words', policy: 'addressed', addressed: directed }, verdict: may('addressed') },
  {
    when: { ...stranger, source: 'words', policy: 'addressed', addressed: undirected, alone: true },
    verdict: may('only_participant'),
  },
  {
    when: { ...stranger, source: 'words', policy: 'addressed', addressed: undirected, alone: false },
    verdict: mayNot('words_not_addressed'),
  },
  { when: { ...stranger, source: 'words', policy: 'owner', alone: true }, verdict: may('only_participant') },
  { when: { ...stranger, source: 'words', policy: 'owner', alone: false }, verdict: mayNot('not_owner') },
];

const isAmong = (value: unknown, wanted: unknown): boolean =>
  wanted === undefined || (Array.isArray(wanted) ? wanted.includes(value) : wanted === value);

/** The rows that match a case: a good table has exactly one. */
export const rowsOf = (one: Case): readonly Row[] =>
  rows.filter(({ when }) =>
    (Object.keys(dimensions) as (keyof Case)[]).every((name) => isAmong(one[name], when[name])),
  );

/** Every case that there is. */
export function* allCases(): Generator<Case> {
  const names = Object.keys(dimensions) as (keyof Case)[];
  const sizes = names.map((name) => dimensions[name].length);
  const total = sizes.reduce((product, size) => product * size, 1);
  for (let n = 0; n < total; n++) {
    let rest = n;
    const one = names.map((name, i) => {
      const size = sizes[i] ?? 1;
      const value = dimensions[name][rest % size];
      rest = Math.floor(rest / size);
      return [name, value];
    });
    yield Object.fromEntries(one) as Case; // each dimension has one of its values
  }
}
