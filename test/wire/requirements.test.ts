// The tables of requirements in docs/protocol.md and the conformance program have the same ids and sentences.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatewayChecks } from '../../scripts/conformance/check-gateway.ts';
import { clientRequirements, unseenRequirements } from '../../scripts/conformance/client-requirements.ts';
import type { Requirement } from '../../scripts/conformance/verdict.ts';
import { clientSchemas } from '../../src/wire/client-frames.ts';

const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');

/** The rows of the table with this heading. */
function rowsUnder(heading: string): readonly Requirement[] {
  const [, table = ''] = page.split(`| | ${heading} |\n|---|---|\n`);
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `(.+?)` \| (.+) \|$/gm)].map(([, id = '', must = '']) => ({ id, must }));
}

const plain = ({ id, must }: Requirement) => ({ id, must });

test.each([
  ['a gateway MUST', gatewayChecks],
  ['a client MUST', [...clientRequirements, ...unseenRequirements]],
])('%s', (heading, requirements) => {
  expect(rowsUnder(heading)).toEqual(requirements.map(plain));
  expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
});

test('"Coming back" says of every command what becomes of one without a reply', () => {
  const [, rest = ''] = page.split('| no reply | what the client does |\n|---|---|\n');
  const [rows = ''] = rest.split('\n\n');
  const named = [...rows.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, type = '']) => type),
  );
  expect([...new Set(named)].toSorted()).toEqual([...clientSchemas.keys()].toSorted());
});
