// Every frame has its heading in docs/protocol.md, and every heading is a frame.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { clientSchemas } from '../../src/wire/client-frames.ts';
import { cancelSettledSchema } from '../../src/wire/fact-frames.ts';
import { serverSchemas } from '../../src/wire/server-frames.ts';
import { codeHeadings } from './headings.ts';
import { read } from './tree.ts';

const documented = codeHeadings(read('docs/protocol.md'));
const frames = [...clientSchemas.keys(), ...serverSchemas.keys()];

test('every frame has a heading in docs/protocol.md', () => {
  expect(frames.length).toBeGreaterThan(20);
  expect(frames.filter((type) => !documented.includes(type))).toEqual([]);
});

test('every heading of docs/protocol.md is a frame, once', () => {
  expect(documented.filter((type) => !frames.includes(type))).toEqual([]);
  expect(documented.filter((type, index) => documented.indexOf(type) !== index)).toEqual([]);
});

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Shape[];
}

/** Returns the names of the fields of a frame. */
const fieldsIn = ({ properties = {}, anyOf = [] }: Shape): readonly string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(fieldsIn),
];
const shapeOf = (schema: z.ZodType) => z.toJSONSchema(schema, { unrepresentable: 'any' }) as Shape; // what zod writes

/** Returns the section of a frame, with the sections whose fields it has, too. */
function sectionOf(type: string): string {
  const section = read('docs/protocol.md').split(`\n### \`${type}\`\n`)[1]?.split('\n##')[0] ?? '';
  const [, other] = /^Fields as for `(\w+)`/m.exec(section) ?? [];
  return other === undefined ? section : `${section}${sectionOf(other)}`;
}

const isNamedIn = (section: string, field: string) => new RegExp(`\`${field}\\??\`|"${field}":`).test(section);
/** The fields of most frames, which the page explains once. */
const common = ['type', 'session', 'seq', 'at', 'ref', 'as'];

test('the section of each frame names each field of the frame', () => {
  const missing = [...clientSchemas, ...serverSchemas].flatMap(([type, schema]) =>
    fieldsIn(shapeOf(schema))
      .filter((field) => !common.includes(field) && !isNamedIn(sectionOf(type), field))
      .map((field) => `${type}.${field}`),
  );
  expect(missing).toEqual([]);
});

test('the section of `cancel_settled` names each field of a node of a receipt', () => {
  const [fields = ''] = /^Fields:.*$/m.exec(sectionOf('cancel_settled')) ?? [];
  const named = [...fields.matchAll(/`(\w+)\??`/g)].map(([, name]) => name);
  const nodes = fieldsIn(shapeOf(cancelSettledSchema.shape.nodes.element));
  expect(nodes.filter((field) => !named.includes(field))).toEqual([]);
});
