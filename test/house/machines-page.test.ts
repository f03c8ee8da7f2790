// docs/machines.md shows the machines as they are.
import { expect, test } from 'vitest';
import { machinesPage } from '../../scripts/draw-machines.ts';
import { read } from './tree.ts';

test('docs/machines.md is fresh (npm run draw)', () => {
  expect(read('docs/machines.md')).toBe(machinesPage());
});
