// The fields of each client frame: for each a value that is good, and values that are not, each with the refusal that docs/protocol.md gives it.
import { defaultGatewayLimits } from '../../src/gateway/gateway-limits.ts';

/** A value of a field that is refused. */
export interface BadValue {
  readonly value: unknown;
  /** The code of the `error`; `bad_field` unless it is another. */
  readonly code?: 'unknown_field' | 'missing_field';
  /** The `field` of the `error`: the path of what is wrong, where that is deeper than the field. */
  readonly field?: string;
  /** The `limit` of the `error`. */
  readonly limit?: number;
}

export interface FieldCase {
  readonly isRequired: boolean;
  readonly good: readonly unknown[];
  readonly bad: readonly BadValue[];
}

const values = (...all: readonly unknown[]): readonly BadValue[] => all.map((value) => ({ value }));
const loneSurrogates = ['\ud800', 'half \udc00 a pair', '\udbff\u0041', '\udfff\ud800'];
/** Characters that no name may hold: see src/core/text/printable.ts. */
const unprintable = ['\u0000', '\n', '\r', '\t', '\u001b[2J', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029'];
const bidiControls = [
  '\u061c',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2069',
];
const noText = values(null, 0, 1, -1.5, true, false, [], ['a'], {}, { toString: 'x' });
const noObject = values(null, 0, 'x', '{}', true, [], [[]]);
const tooLong = (limit: number): BadValue => ({ value: 'x'.repeat(limit + 1), limit });
const farTooLong = (limit: number): BadValue => ({ value: 'x'.repeat(30_000), limit });
const empty: BadValue = { value: '', limit: 1 };

const ref: readonly BadValue[] = [
  ...noText,
  empty,
  tooLong(64),
  farTooLong(64),
  ...values(' ', 'a b', 'ä', '\u{1f44b}', 'a\tb', ...unprintable, ...bidiControls, ...loneSurrogates),
];
const session: readonly BadValue[] = [
  ...noText,
  empty,
  tooLong(128),
  farTooLong(128),
  ...values(' ', 'a b', 'pit ', 'ü', 'a\\b', 'a?b', 'a#b', 'a%2e', "a'--", '<script>', ...unprintable, ...bidiControls),
  ...values(...loneSurrogates),
];
const speaker: readonly BadValue[] = [
  ...noText,
  empty,
  tooLong(128),
  farTooLong(128),
  ...values(' ', '\u00a0\u3000', ...loneSurrogates),
  ...values(...[...unprintable, ...bidiControls].map((character) => `ann${character}`)),
  ...values(...[...unprintable, ...bidiControls].map((character) => `${character}ann`)),
];
const id: readonly BadValue[] = [...noText, empty, tooLong(128), farTooLong(128), ...values(...loneSurrogates)];
const count: readonly BadValue[] = [
  ...values(null, '', '0', '1', true, [], [1], {}, 0.5, 1e-9),
  { value: -1, limit: 0 },
  { value: -5_000, limit: 0 },
  { value: 2 ** 53, limit: Number.MAX_SAFE_INTEGER },
];
const turns: readonly BadValue[] = [
  ...values(null, '', '0', '1', true, [], [1], {}, 1.5),
  { value: 0, limit: 1 },
  { value: -1, limit: 1 },
  { value: 2 ** 53, limit: Number.MAX_SAFE_INTEGER },
];
const share: readonly BadValue[] = [
  ...values(null, '', '1', true, [], {}),
  { value: -0.1, limit: 0 },
  { value: 1.1, limit: 1 },
];
const words: readonly BadValue[] = [...noText, ...values('', ' ', '\n\t', ' \u2028 ', '\ufeff', ...loneSurrogates)];
const image = { type: 'image', blob: 'a'.repeat(64), mediaType: 'image/png', bytes: 3 };
const part = (value: object, field: string, more: Omit<BadValue, 'value' | 'field'> = {}): BadValue => ({
  value: [
    { type: 'text', text: 'x' },
    { ...image, ...value },
  ],
  field: `parts[1].${field}`,
  ...more,
});
const parts: readonly BadValue[] = [
  ...values(null, 1, 'x', true, {}),
  { value: [], limit: 1 },
  { value: Array.from({ length: 65 }, () => ({ type: 'text', text: 'x' })), limit: 64 },
  ...[null, 1, 'x', []].map((value) => ({ value: [value], field: 'parts[0]' })),
  ...['video', 'IMAGE', '', null, 7].map((type) => ({ value: [{ ...image, type }], field: 'parts[0].type' })),
  { value: [{}], field: 'parts[0].type', code: 'missing_field' },
  { value: [{ type: 'text' }], field: 'parts[0].text', code: 'missing_field' },
  { value: [{ type: 'text', text: 5 }], field: 'parts[0].text' },
  { value: [{ type: 'text', text: '\ud800' }], field: 'parts[0].text' },
  { value: [{ type: 'text', text: 'x', data: 'AAAA' }], field: 'parts[0].data', code: 'unknown_field' },
  ...['', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), '../../etc/passwd', 3].map((blob) => part({ blob }, 'blob')),
  ...['image', 'IMAGE/PNG', 'image/png; q=1', 'a/b/c', '', 4].map((mediaType) => part({ mediaType }, 'mediaType')),
  part({ mediaType: `image/${'x'.repeat(122)}` }, 'mediaType', { limit: 127 }),
  ...['3', 1.5, null].map((bytes) => part({ bytes }, 'bytes')),
  ...[0, -1].map((bytes) => part({ bytes }, 'bytes', { limit: 1 })),
  ...[null, 'a\u0000', 'a\nb', '\ud800'].map((name) => part({ name }, 'name')),
  part({ name: '' }, 'name', { limit: 1 }),
  part({ name: 'x'.repeat(256) }, 'name', { limit: 255 }),
  part({ data: 'AAAA' }, 'data', { code: 'unknown_field' }),
];
const option = (name: string, ...bad: readonly unknown[]): readonly BadValue[] =>
  bad.map((value) => ({ value: { [name]: value }, field: `options.${name}` }));
const options: readonly BadValue[] = [
  ...noObject,
  ...option('reasoningEffort', null, 1, 'High', 'very high', 'x\n'),
  { value: { reasoningEffort: '' }, field: 'options.reasoningEffort', limit: 1 },
  { value: { reasoningEffort: 'x'.repeat(33) }, field: 'options.reasoningEffort', limit: 32 },
  ...option('maxOutputTokens', null, '1', 1.5, true),
  { value: { maxOutputTokens: 0 }, field: 'options.maxOutputTokens', limit: 1 },
  { value: { maxOutputTokens: 10_000_001 }, field: 'options.maxOutputTokens', limit: 10_000_000 },
  ...option('temperature', null, '1', true, []),
  { value: { temperature: -0.1 }, field: 'options.temperature', limit: 0 },
  { value: { temperature: 2.1 }, field: 'options.temperature', limit: 2 },
  ...option('tools', null, 'all', true, ['auto']),
  ...option('model', null, 1, true, []),
  { value: { model: '' }, field: 'options.model', limit: 1 },
  { value: { model: 'x'.repeat(129) }, field: 'options.model', limit: 128 },
  ...['temprature', 'apiKey', '__proto__x', 'constructor'].map((name) => ({
    value: { [name]: 1 },
    field: `options.${name}`,
    code: 'unknown_field' as const,
  })),
];
const says: readonly BadValue[] = [
  ...values(null, 1, 'say-1', true, {}),
  ...[null, 1, {}, [], ' ', 'a b', 'ä'].map((value) => ({ value: ['s', value], field: 'says[1]' })),
  { value: [''], field: 'says[0]', limit: 1 },
  { value: ['x'.repeat(65)], field: 'says[0]', limit: 64 },
  { value: Array.from({ length: 129 }, (_, i) => `s${i}`), limit: 128 },
];
const replies: readonly BadValue[] = [
  ...values(null, 1, 'x', [], true),
  ...[null, {}, [1], [null], [{}], '\ud800'].map((value) => ({ value: { a: value }, field: 'values.a' })),
];
const required = (good: readonly unknown[], bad: readonly BadValue[]): FieldCase => ({ isRequired: true, good, bad });
const optional = (good: readonly unknown[], bad: readonly BadValue[]): FieldCase => ({ isRequired: false, good, bad });

const anyRef = ['r', 'R-1', '~!@#$%^&*()', 'x'.repeat(64)];
const anySession = ['pit', 'room/1', 'a:b@c', 'x'.repeat(128)];
const anyId = ['turn_1', 'mine', 'session', 'say:x', 'Zoë', 'x'.repeat(128)];
const answering = {
  ref: required(anyRef, ref),
  session: optional(anySession, session),
  target: required(anyId, id),
  question: optional(anyId, id),
  as: optional(['ann', '小明'], speaker),
};

/** By type, then by field. */
/** The fields of a SAY, which a STEER has, too. */
const saidFields = {
  ref: optional(anyRef, ref),
  session: optional(anySession, session),
  text: required(['hello', '\u{1f44b}', 'x'.repeat(1_000)], words),
  parts: optional([[image], [{ type: 'text', text: 'x' }]], parts),
  options: optional([{}, { temperature: 1 }], options),
  addressed: optional([0, 0.5, 1], share),
  replyToBot: optional([true, false], values(null, 0, 1, 'true', '', [], {})),
  seen: optional([0, 12], count),
  as: optional(['ann', '小明'], speaker),
};

export const fieldCases: Readonly<Record<string, Readonly<Record<string, FieldCase>>>> = {
  HELLO: {
    token: optional(['x'], [...noText, empty, tooLong(8_192), farTooLong(8_192)]),
    sound: optional([{}, { send: true, receive: false }], values(null, 0, true, '', [])),
  },
  JOIN: {
    ref: required(anyRef, ref),
    session: required(anySession, session),
    after: optional([0, 7, Number.MAX_SAFE_INTEGER], count),
    invite: optional(['a-secret'], [...noText, empty]),
    last: optional([1, 20, Number.MAX_SAFE_INTEGER], turns),
  },
  SAY: saidFields,
  STEER: { ...saidFields, target: optional(anyId, id) },
  RESUME: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    turn: required(['turn_1', 'Zoë', 'x'.repeat(128)], id),
    text: optional(['go on', '\u{1f44b}'], words),
    as: optional(['ann', '小明'], speaker),
  },
  CANCEL: {
    ref: optional(anyRef, ref),
    session: optional(anySession, session),
    target: required(anyId, id),
    reason: optional(['', 'why'], [...noText, ...values(...loneSurrogates), tooLong(500), farTooLong(500)]),
    force: optional([true, false], values(null, 0, 1, 'true', '', [], {})),
    seen: optional([0, 12], count),
    says: optional([[], ['s1', 's2']], says),
    as: optional(['ann'], speaker),
  },
  APPROVE: answering,
  DENY: answering,
  ANSWER: {
    ...answering,
    text: required(['yes'], [...noText, empty, ...values(...loneSurrogates)]),
    values: optional([], replies),
  },
  INVITE: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    speaker: required(['bob'], speaker),
    role: optional(['member', 'moderator'], values('bridge', 'emergency', 'owner', '', null, 1, [], {})),
  },
  INVITE_LINK: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    role: optional(['member', 'moderator'], values('bridge', 'emergency', 'owner', '', null, 1, [], {})),
    ms: required([60_000, 2_592_000_000], values('60000', 1.5, null, true, [], {})),
  },
  REVOKE: { ref: required(anyRef, ref), session: optional(anySession, session), invite: required(['invite_1'], id) },
  REMOVE: { ref: required(anyRef, ref), session: optional(anySession, session), speaker: required(['bob'], speaker) },
  DELEGATE: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    speaker: required(['bob'], speaker),
    target: optional(anyId, id),
    until: optional([0, 1_800_000_000_000], count),
    as: optional(['ann'], speaker),
  },
  SET_TIMEOUT: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    tool: required(['shell', 'x'.repeat(128)], id),
    // a whole number is read, and those outside the range have an error that names it: `timeout_out_of_range`
    ms: required(
      [null, 1_000],
      [...values('1000', 1.5, true, [], {}), { value: 2 ** 53, limit: Number.MAX_SAFE_INTEGER }],
    ),
  },
  RENAME: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    title: required(
      [null, 'Notes', 'x'.repeat(120)],
      [...values(1, true, [], {}), empty, ...values(...loneSurrogates), tooLong(120), farTooLong(120)],
    ),
  },
  FORK: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    turn: required(['turn_1', 'Zoë', 'x'.repeat(128)], id),
    to: optional(anySession, session),
  },
  SPEAKER: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    as: required(['ann', '小明'], speaker),
    present: required([true, false], values(null, 0, 1, 'true', '', [], {})),
    roles: optional(
      [[], ['member'], ['moderator', 'member']],
      [
        ...values(null, 'member', {}, 1),
        ...['bridge', 'emergency', 'Moderator', '', null, 1].map((value) => ({ value: [value], field: 'roles[0]' })),
        { value: ['member', 'member', 'member'], limit: 2 },
      ],
    ),
  },
  TRANSCRIPT: {
    ref: optional(anyRef, ref),
    session: optional(anySession, session),
    as: optional(['ann'], speaker),
    text: required(['stop', '', ' '], [...noText, ...values(...loneSurrogates)]),
    final: required([true, false], values(null, 0, 1, 'true', '', [], {})),
    confidence: optional([0, 0.5, 1], share),
    noSpeech: optional([0, 0.5, 1], share),
    addressed: optional([0, 0.5, 1], share),
    replyToBot: optional([true, false], values(null, 0, 1, 'true', [], {})),
  },
  BARGE_IN: {
    ref: optional(anyRef, ref),
    session: optional(anySession, session),
    as: optional(['ann'], speaker),
    durationMs: optional([0, 500], count),
  },
  PLAYED: {
    ref: optional(anyRef, ref),
    session: optional(anySession, session),
    turn: required(anyId, id),
    index: required([0, 7], count),
    offset: required([0, 42], count),
    ms: optional([], values(null, -1, '', '1', true, [], {})), // in the place of `offset`
    estimated: optional([true, false], values(null, 0, 1, 'true', '', [], {})),
  },
  OPEN_CALL: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    name: required(
      ['render', 'files:copy.all_2-x'],
      [
        ...noText,
        empty,
        tooLong(64),
        farTooLong(64),
        ...values('a b', 'ä', 'a/b', '<b>', '__proto__\n', ...loneSurrogates),
      ],
    ),
    input: optional(
      [{}, { frames: 3, deep: { list: [1, null, 'x'] } }],
      [...noObject, { value: { text: 'x'.repeat(16_384) } }, { value: { ['x'.repeat(16_384)]: 1 } }],
    ),
    effect: optional(['none', 'some'], values(null, 0, true, '', 'done', 'unknown', [], {})),
    approval: optional([true, false], values(null, 0, 1, 'true', [], {})),
    timeoutMs: optional([1_000], count),
    as: optional(['ann'], speaker),
  },
  REPORT_CALL: {
    ref: optional(anyRef, ref),
    session: optional(anySession, session),
    node: required(anyId, id),
    text: required(['frame 1'], [...noText, empty, tooLong(8_192), ...values(...loneSurrogates)]),
  },
  SETTLE_CALL: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    node: required(anyId, id),
    outcome: required(
      ['completed', 'failed', 'stopped'],
      values(null, 0, true, '', 'cancelled', 'abandoned', 'Completed', [], {}),
    ),
    output: optional(['', 'film.mp4'], [...noText, tooLong(32_768), ...values(...loneSurrogates)]),
    effect: optional(['none', 'unknown', 'done'], values(null, 0, true, '', 'not_started', 'some', [], {})),
    message: optional(['no disk'], [...noText, empty, tooLong(500), ...values(...loneSurrogates)]),
  },
  READ: {
    ref: required(anyRef, ref),
    session: optional(anySession, session),
    server: optional(['files'], [...noText, empty, tooLong(24), farTooLong(24), ...values(...loneSurrogates)]),
    resource: optional([], [...noText, empty, tooLong(2_048), ...values(...loneSurrogates)]),
    prompt: optional([], [...noText, empty, tooLong(2_048), ...values(...loneSurrogates)]),
    arguments: optional([{}, { a: 'b' }], values(null, 1, 'x', [], true)),
  },
  LEAVE: { ref: required(anyRef, ref), session: optional(anySession, session) },
  PING: { ref: required(anyRef, ref) },
};

/** Names of fields that no client frame has, among them those by which a frame would name its own speaker. */
export const unknownFieldNames: readonly string[] = [
  'owner',
  'by',
  'via',
  'roles',
  'role',
  'user',
  'sub',
  'seq',
  'at',
  'id',
  'connection',
  'access',
  'moderator',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'Ref',
  'REF',
  'ref ',
  ' ref',
  'sesion',
  'txt',
  'focre',
  'targets',
  'Type',
  '0',
  '-1',
  '',
  ' ',
  '\u0000',
  '\u202e',
  'x'.repeat(65),
  'x'.repeat(5_000),
  'größe',
  '\u{1f44b}',
  'a.b',
  'a[0]',
  '$where',
  '../x',
  "'; DROP TABLE events",
];

/** Limits of a gateway that nobody has configured. */
export const { frameBytes } = defaultGatewayLimits;
