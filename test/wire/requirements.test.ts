// The requirements of the protocol: what the conformance program lists, and what its page says of commands without a reply.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatewayChecks } from '../../scripts/conformance/check-gateway.ts';
import { clientRequirements, unseenRequirements } from '../../scripts/conformance/client-requirements.ts';
import type { Requirement } from '../../scripts/conformance/verdict.ts';
import { clientSchemas } from '../../src/wire/client-frames.ts';

const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');

test('each requirement is listed once, with its sentence', () => {
  const all: readonly Requirement[] = [...gatewayChecks, ...clientRequirements, ...unseenRequirements];
  const printed = execFileSync(process.execPath, ['scripts/conformance/main.ts', '--list'], { encoding: 'utf8' });
  const rows = [...printed.matchAll(/^ {2}(\S+) +(.+)$/gm)].map(([, id = '', must = '']) => ({ id, must }));
  expect(rows).toEqual(all.map(({ id, must }) => ({ id, must })));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(all.length);
});

test('"Coming back" says of every command what becomes of one without a reply', () => {
  const [, rest = ''] = page.split('| no reply | what the client does |\n|---|---|\n');
  const [rows = ''] = rest.split('\n\n');
  const named = [...rows.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, type = '']) => type),
  );
  expect([...new Set(named)].toSorted()).toEqual([...clientSchemas.keys()].toSorted());
});
