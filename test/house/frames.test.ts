// Every frame has its heading in docs/protocol.md, and every heading is a frame.
import { expect, test } from 'vitest';
import { clientSchemas } from '../../src/wire/client-frames.ts';
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
