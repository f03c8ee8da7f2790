// Frames that a gateway must refuse by name: a table, and a generator that puts one defect into a frame that is good otherwise.
import type { Dice } from '../support/dice.ts';
import { type BadValue, fieldCases, frameBytes, unknownFieldNames } from './bad-values.ts';

/** The fields of the reply that a case names. */
interface Refusal {
  readonly type: 'error' | 'answer_refused' | 'say_refused' | 'unknown_target';
  readonly code?: string;
  readonly field?: string;
  readonly limit?: number;
  readonly ref?: string;
}

export interface BadFrame {
  readonly what: string;
  /** A text, or the bytes of a binary message. */
  readonly message: string | Uint8Array;
  readonly refusal: Refusal;
}

const json = JSON.stringify;
const maxShownChars = 64;
/** As the gateway sends back a name that was made long. */
const cut = (name: string) => (name.length > maxShownChars ? `${name.slice(0, maxShownChars)}…` : name);
const error = (code: string, more: Omit<Refusal, 'type' | 'code'> = {}): Refusal => ({ type: 'error', code, ...more });

type Fields = Readonly<Record<string, unknown>>;

/** Writes a frame, also with fields that an object literal would not keep, like `__proto__`. */
const textOf = (type: string, fields: Fields, more: readonly (readonly [string, unknown])[] = []): string =>
  `{${[['type', type] as const, ...Object.entries(fields), ...more].map(([k, v]) => `${json(k)}:${json(v)}`).join(',')}}`;

/** The ref of an error: that of the frame, if it can be read. */
const refOf = ({ ref }: Fields): Pick<Refusal, 'ref'> => (typeof ref === 'string' && ref.length <= 64 ? { ref } : {});

/** Returns a frame with its required fields. */
function leastFrame(type: string): Fields {
  const entries = Object.entries(fieldCases[type] ?? {}).filter(([, { isRequired }]) => isRequired);
  return Object.fromEntries(entries.map(([name, { good }]) => [name, good[0]]));
}

function withBadValue(type: string, fields: Fields, name: string, bad: BadValue): BadFrame {
  const all: Fields = { ...without(fields, name === 'values' ? ['text'] : []), [name]: bad.value };
  const { code = 'bad_field', field = name, limit } = bad;
  return {
    what: `${type} with ${name} ${json(bad.value)?.slice(0, 60)}`,
    message: textOf(type, all),
    refusal: error(code, { field, ...(limit !== undefined && { limit }), ...refOf(all) }),
  };
}

function withUnknownField(type: string, fields: Fields, name: string): BadFrame {
  return {
    what: `${type} with the unknown field ${json(name.slice(0, 60))}`,
    message: textOf(type, fields, [[name, 'x']]),
    refusal: error('unknown_field', { field: cut(name), ...refOf(fields) }),
  };
}

function withoutField(type: string, fields: Fields, name: string): BadFrame {
  const rest = without(fields, [name]);
  return {
    what: `${type} without ${name}`,
    message: textOf(type, rest),
    refusal: error('missing_field', { field: name, ...refOf(rest) }),
  };
}

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const types = Object.keys(fieldCases);

const unknownIn = (type: string): readonly string[] =>
  unknownFieldNames.filter((name) => !Object.hasOwn(fieldCases[type] ?? {}, name));

function* badFields(): Generator<BadFrame> {
  for (const type of types) {
    const least = leastFrame(type);
    for (const [name, { isRequired, bad }] of Object.entries(fieldCases[type] ?? {})) {
      if (isRequired) yield withoutField(type, least, name);
      for (const value of bad) yield withBadValue(type, least, name, value);
    }
    for (const name of unknownIn(type)) yield withUnknownField(type, least, name);
  }
  const both = { ...leastFrame('ANSWER'), text: 'yes', values: { a: 1 } };
  yield {
    what: 'ANSWER with text and values',
    message: textOf('ANSWER', both),
    refusal: error('bad_field', { field: 'text', ...refOf(both) }),
  };
  const twice = { type: 'JOIN', ref: 'r', session: 'pit', after: 0, last: 1 };
  yield {
    what: 'JOIN with after and last',
    message: textOf('JOIN', twice),
    refusal: error('bad_field', { field: 'last', ref: 'r' }),
  };
  yield {
    what: 'a second value of a field, which is bad',
    message: '{"type":"PING","ref":"first","ref":"a b"}',
    refusal: error('bad_field', { field: 'ref', ref: 'a b' }),
  };
  for (const number of ['1e999', '-1e999'])
    yield {
      what: `JOIN after ${number}`,
      message: `{"type":"JOIN","ref":"r","session":"pit","after":${number}}`,
      refusal: error('bad_field', { field: 'after', ref: 'r' }),
    };
}

const unknownTypes = [
  'hello',
  'say',
  'Say',
  'SAY ',
  ' SAY',
  'SAY\u0000',
  'STEERING',
  'INTERRUPT',
  'STOP',
  'AUTH',
  'SUBSCRIBE',
  'KICK',
  'welcome',
  'turn_opened',
  'cancel_settled',
  'member_invited',
  'error',
  'toString',
  'constructor',
  '__proto__',
  'hasOwnProperty',
  '',
  ' ',
  '0',
  'null',
  'x'.repeat(65),
  'x'.repeat(20_000),
  '\u202e',
  '\u{1f44b}',
  '\ud800',
];
const notFrames: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  'PING',
  '{"type":"PING","ref":"p"}',
  [],
  [[]],
  {},
  { type: null },
  { type: 1 },
  { type: true },
  { type: [] },
  { type: ['PING'] },
  { type: {} },
  [{ type: 'PING', ref: 'p' }],
  { Type: 'PING' },
  { ref: 'p' },
  { frame: { type: 'PING', ref: 'p' } },
  { toString: 'PING' },
];
const notJson = [
  '',
  ' ',
  '\n',
  '\u0000',
  'undefined',
  'NaN',
  'Infinity',
  'PING',
  '{',
  '}',
  '[',
  '"',
  '\\',
  '{}{}',
  '[]]',
  '--',
  "''",
  "{'type':'PING'}",
  '{type:"PING"}',
  '{"type":"PING",}',
  '{"type":"PING"}}',
  '{"type":"PING"} x',
  '{"type":PING}',
  '\ufeff{"type":"PING","ref":"p"}',
  '{"type":"PING"/* p */}',
  '// {"type":"PING"}',
  '{"type":"PING","ref":0x1}',
  '{"type":"PING","ref":01}',
  '{"type":"PING","ref":+1}',
  '{"type":"PING","ref":.5}',
  '{"type":"PING","ref":"a\nb"}',
  '{"type":"PING","ref":"\\x41"}',
  '{"type":"PING","ref":"\\u12"}',
  '{"type":"PING" "ref":"p"}',
  '{"type"}',
  '{:1}',
  '<xml/>',
  'GET / HTTP/1.1\r\n\r\n',
  '\u001b[2J',
  '['.repeat(60_000),
  '{"a":'.repeat(10_000),
  '"'.repeat(40_001),
];

function* badTexts(): Generator<BadFrame> {
  for (const type of unknownTypes)
    yield {
      what: `the type ${json(type.slice(0, 40))}`,
      message: textOf(type, { ref: 'r' }),
      refusal: error('unknown_type', { field: 'type', ref: 'r' }),
    };
  for (const value of notFrames)
    yield { what: `no frame: ${json(value)}`, message: json(value), refusal: error('not_a_frame') };
  for (const text of notJson)
    yield { what: `no JSON: ${json(text.slice(0, 40))}`, message: text, refusal: error('not_json') };
  for (const type of types) {
    const text = textOf(type, leastFrame(type));
    for (const end of [2, 5, 9, text.length - 2, text.length - 1])
      yield { what: `${type} cut after ${end}`, message: text.slice(0, end), refusal: error('not_json') };
    yield { what: `${type} as bytes`, message: Buffer.from(text), refusal: error('not_text') };
    yield { what: `${type} in an array`, message: `[${text}]`, refusal: error('not_a_frame') };
    yield { what: `${type} as a JSON text`, message: json(text), refusal: error('not_a_frame') };
  }
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  yield { what: 'deep arrays', message: deep, refusal: error('not_a_frame') };
  for (const [type, name] of [
    ['SAY', 'options'],
    ['SAY', 'parts'],
    ['CANCEL', 'says'],
    ['JOIN', 'after'],
    ['JOIN', 'last'],
  ] as const) {
    const message = `${textOf(type, leastFrame(type)).slice(0, -1)},"${name}":${deep}}`;
    const field = name === 'parts' || name === 'says' ? `${name}[0]` : name;
    yield {
      what: `${type} with deep ${name}`,
      message,
      refusal: error('bad_field', { field, ...refOf(leastFrame(type)) }),
    };
  }
}

function* badSizes(): Generator<BadFrame> {
  const refusal = error('frame_too_large', { limit: frameBytes });
  for (const extra of [1, 2, 1_000, frameBytes, 3 * frameBytes]) {
    const bytes = frameBytes + extra;
    const frame = textOf('SAY', { text: '' });
    yield {
      what: `a SAY of ${bytes} bytes`,
      message: textOf('SAY', { text: 'x'.repeat(bytes - frame.length) }),
      refusal,
    };
    yield { what: `${bytes} spaces`, message: ' '.repeat(bytes), refusal };
  }
  // many of them: a gateway that kept what it receives would hold much more after them
  for (let i = 0; i < 150; i++)
    yield { what: `long text ${i}`, message: `${i}`.padEnd(3.5 * frameBytes, 'x'), refusal };
  yield { what: 'characters of two bytes', message: textOf('SAY', { text: 'ä'.repeat(frameBytes / 2) }), refusal };
  for (const bytes of [0, 1, 100, 1_000, frameBytes, frameBytes + 1, 4 * frameBytes])
    yield { what: `${bytes} bytes`, message: new Uint8Array(bytes).fill(bytes % 251), refusal: error('not_text') };
}

/** Yields frames that are valid, but not now, or not for this speaker: a member of `pit` alone. `garden` is the good client's session. */
function* outOfPlace(): Generator<BadFrame> {
  const place = (type: string, fields: Fields, refusal: Omit<Refusal, 'ref'>): BadFrame => ({
    what: `${textOf(type, fields)} out of place`,
    message: textOf(type, fields),
    refusal: { ...refusal, ...(type !== 'HELLO' && refOf(fields)) },
  });
  for (const fields of [{}, { token: 'x' }, { token: 'token-of-good-0000' }])
    yield place('HELLO', fields, error('hello_repeated'));
  yield place('JOIN', { ref: 'o1', session: 'pit' }, error('already_joined', { field: 'session' }));
  for (const session of ['garden', 'garden2', 'no-such', 'pit/..', '..', '/', '@', 'x'.repeat(128)])
    yield place('JOIN', { ref: 'o2', session, after: 0 }, error('access_denied'));
  for (const session of ['garden', 'no-such', '..']) {
    yield place('SAY', { ref: 'o3', session, text: 'hello' }, error('not_joined', { field: 'session' }));
    yield place('RESUME', { ref: 'o16', session, turn: 'turn_1' }, error('not_joined', { field: 'session' }));
    yield place('STEER', { ref: 'o19', session, text: 'hello' }, error('not_joined', { field: 'session' }));
    yield place('CANCEL', { ref: 'o4', session, target: 'session' }, error('not_joined', { field: 'session' }));
    yield place('APPROVE', { ref: 'o5', session, target: 'call_1' }, error('not_joined', { field: 'session' }));
    yield place('INVITE', { ref: 'o6', session, speaker: 'bad' }, error('not_joined', { field: 'session' }));
    yield place('LEAVE', { ref: 'o7', session }, error('not_joined', { field: 'session' }));
  }
  for (const as of ['good', 'bad', 'moderator', '小明']) {
    yield place('SAY', { ref: 'o8', text: 'hello', as }, error('as_not_allowed', { field: 'as' }));
    yield place('RESUME', { ref: 'o17', turn: 'turn_1', as }, error('as_not_allowed', { field: 'as' }));
    yield place('STEER', { ref: 'o20', text: 'hello', as }, error('as_not_allowed', { field: 'as' }));
    yield place('CANCEL', { ref: 'o9', target: 'session', as }, error('as_not_allowed', { field: 'as' }));
    yield place('SPEAKER', { ref: 'o15', as, present: true }, error('as_not_allowed', { field: 'as' }));
    yield place('TRANSCRIPT', { ref: 'o16', as, text: 'stop', final: true }, error('as_not_allowed', { field: 'as' }));
    yield place('BARGE_IN', { ref: 'o17', as }, error('as_not_allowed', { field: 'as' }));
    yield place('DENY', { ref: 'o10', target: 'call_1', as }, error('as_not_allowed', { field: 'as' }));
  }
  for (const [type, fields] of [
    ['OPEN_CALL', { ref: 'o21', name: 'render' }],
    ['REPORT_CALL', { ref: 'o22', node: 'call_1', text: 'x' }],
    ['SETTLE_CALL', { ref: 'o23', node: 'call_1', outcome: 'completed' }],
  ] as const)
    yield place(type, fields, error('as_not_allowed', { field: 'type' }));
  for (const field of ['addressed', 'replyToBot']) {
    const given = { [field]: field === 'addressed' ? 1 : true };
    yield place('TRANSCRIPT', { ref: 'o24', text: 'stop', final: true, ...given }, error('as_not_allowed', { field }));
  }
  for (const target of [
    'turn_1',
    'turn_999999',
    'call_1',
    'say:never',
    'say:',
    'lane:',
    'lane:turn_1',
    'lane:say:never',
    'lane:lane:turn_1',
    'garden',
    '*',
    '__proto__',
  ])
    yield place('CANCEL', { ref: `o11-${target}`, target }, { type: 'unknown_target' });
  for (const turn of ['turn_999999', 'call_1', 'mine', 'session', '*', '__proto__'])
    yield place('RESUME', { ref: `o18-${turn}`, turn }, { type: 'say_refused', code: 'unknown_turn' });
  for (const type of ['APPROVE', 'DENY'])
    for (const question of [undefined, 'question_1', '__proto__']) {
      const fields = { ref: `o12-${type}-${question}`, target: 'call_1', ...(question && { question }) };
      yield place(type, fields, { type: 'answer_refused', code: 'expired' });
    }
  yield place('ANSWER', { ref: 'o13', target: 'call_1', text: 'x' }, { type: 'answer_refused', code: 'expired' });
  const parts = [{ type: 'image', blob: 'a'.repeat(64), mediaType: 'image/png', bytes: 3 }];
  yield place('SAY', { ref: 'o14', text: 'see', parts }, { type: 'say_refused', code: 'unknown_blob' });
  yield place('STEER', { ref: 'o18', text: 'see', parts }, { type: 'say_refused', code: 'unknown_blob' });
}

/** The table: each case once. */
export const badFrames: readonly BadFrame[] = [...badTexts(), ...badSizes(), ...outOfPlace(), ...badFields()];

/** Generates a frame with random good fields and one defect. The same for the same dice. */
export function generateBadFrame(dice: Dice): BadFrame {
  const type = dice.pick(types);
  const cases = fieldCases[type] ?? {};
  const fields = Object.fromEntries(
    Object.entries(cases).flatMap(([name, { isRequired, good }]) =>
      good.length > 0 && (isRequired || dice.maybe(0.4)) ? [[name, dice.pick(good)]] : [],
    ),
  );
  const [name, { isRequired, bad }] = dice.pick(Object.entries(cases));
  const kind = dice.int(4);
  if (kind === 0) return withUnknownField(type, fields, dice.pick(unknownIn(type)));
  if (kind === 1 && isRequired) return withoutField(type, fields, name);
  if (kind === 2) return damaged(textOf(type, fields), dice);
  return withBadValue(type, fields, name, dice.pick(bad));
}

/** Changes characters of a text until it is no JSON any more. */
function damaged(text: string, dice: Dice): BadFrame {
  const at = dice.int(text.length);
  const message = `${text.slice(0, at)}${dice.pick(['\u0000', '"', '}', '{', '\\', '\n'])}${text.slice(at + dice.int(3))}`;
  if (isJson(message)) return damaged(text.slice(0, -1), dice);
  return { what: `damaged: ${message.slice(0, 60)}`, message, refusal: error('not_json') };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
