// The examples of docs/protocol.md are frames, and its tables say what the code says.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ZodType, z } from 'zod';
import { defaultGatewayLimits } from '../../src/gateway/gateway-limits.ts';
import { clientSchemas } from '../../src/wire/client-frames.ts';
import { closeCodes } from '../../src/wire/close-codes.ts';
import { decodeClientFrame } from '../../src/wire/codec.ts';
import { serverSchemas } from '../../src/wire/server-frames.ts';

const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^### `(\w+)`$[\s\S]*?^```json\n([\s\S]*?)^```/gm)].map(
  ([, type = '', text = '']) => ({ type, text }),
);

/** The page without its examples: what it says in words. */
const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
const sections = new Map(
  [...prose.matchAll(/^### `(\w+)`$([\s\S]*?)(?=^##|(?![\s\S]))/gm)].map(([, type = '', text = '']) => [type, text]),
);

/** Returns the words of a text that stand in code style. */
function codeWords(text: string): Set<string> {
  return new Set([...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(/[^\w.-]+/)));
}

/** The fields that the page describes once for every frame. */
const fieldsOfAll = ['type', 'session', 'seq', 'at'];

/** The page outside the sections of frames: it describes what several frames share. */
const shared = prose.replace(/^### `\w+`$[\s\S]*?(?=^##|(?![\s\S]))/gm, '');

/** Returns the words in code style of a frame's section, and of the frames whose fields it takes over (`as for X`, `as in X`, `as of X`). */
function wordsOf(type: string): Set<string> {
  const text = sections.get(type) ?? '';
  const others = [...text.matchAll(/\bas (?:for|in|of) `(\w+)`/g)].flatMap(([, other = '']) => [
    ...codeWords(sections.get(other) ?? ''),
  ]);
  return new Set([...fieldsOfAll, ...codeWords(text), ...others]);
}

interface Vocabulary {
  readonly fields: string[];
  /** The fields of the objects in its fields. */
  readonly inner: string[];
  /** Every value that is one of a list. */
  readonly values: string[];
}

/** Collects the names in a JSON Schema. */
function collectNames(schema: unknown, names: Vocabulary, isInner = false): Vocabulary {
  if (typeof schema !== 'object' || schema === null) return names;
  for (const [key, part] of Object.entries(schema)) {
    if (key === 'enum') names.values.push(...part);
    else if (key === 'const') names.values.push(part);
    else if (key === 'properties') {
      (isInner ? names.inner : names.fields).push(...Object.keys(part));
      for (const field of Object.values(part)) collectNames(field, names, true);
    } else collectNames(part, names, isInner);
  }
  return names;
}

const vocabularyOf = (schema: ZodType): Vocabulary =>
  collectNames(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }), {
    fields: [],
    inner: [],
    values: [],
  });

/** The page describes them once for all frames. */
const everywhere: ReadonlySet<string> = new Set(['ref', 'session']);

describe('docs/protocol.md', () => {
  test.each([...clientSchemas, ...serverSchemas])('the section of %s names each of its fields', (type, schema) => {
    const words = wordsOf(type);
    expect(vocabularyOf(schema).fields.filter((field) => !words.has(field) && !everywhere.has(field))).toEqual([]);
  });

  test.each([...clientSchemas, ...serverSchemas])(
    'the section of %s names each field of its objects',
    (type, schema) => {
      const words = new Set([...wordsOf(type), ...codeWords(shared)]);
      expect(vocabularyOf(schema).inner.filter((field) => !words.has(field))).toEqual([]);
    },
  );

  test('every value of a list is named', () => {
    const words = codeWords(prose);
    const names = [...clientSchemas.values(), ...serverSchemas.values()].flatMap(
      (schema) => vocabularyOf(schema).values,
    );
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => typeof name === 'string' && !words.has(name))).toEqual([]);
  });

  test('every frame has an example of its own type [ws.protocol]', () => {
    const headings = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, type]) => type);
    expect(examples.map(({ type }) => type)).toEqual(headings);
    for (const { type, text } of examples) expect(JSON.parse(text)).toMatchObject({ type });
  });

  test.each(examples.filter(({ type }) => clientSchemas.has(type)))('the example of $type is taken', ({ text }) => {
    const frame = JSON.parse(text);
    expect(decodeClientFrame(JSON.stringify(frame))).toEqual({ ok: true, frame });
  });

  test.each(examples.filter(({ type }) => !clientSchemas.has(type)))(
    'the example of $type is good',
    ({ type, text }) => {
      expect(serverSchemas.get(type)?.safeParse(JSON.parse(text)).error).toBeUndefined();
      expect(serverSchemas.has(type)).toBe(true);
    },
  );

  test('the table of close codes is the code', () => {
    const rows = [...page.matchAll(/^\| (44\d\d) \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)]);
    expect(rows).toEqual(Object.entries(closeCodes).map(([name, { code }]) => [name, code]));
  });

  test('the example of welcome tells the default limits', () => {
    const { limits } = JSON.parse(examples.find(({ type }) => type === 'welcome')?.text ?? '');
    expect(defaultGatewayLimits).toMatchObject(limits);
  });
});
