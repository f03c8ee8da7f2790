// The version that Belay tells others is that of its package.
import { expect, test } from 'vitest';
import { product } from '../../src/core/text/product.ts';
import { read } from './tree.ts';

test('the version stands in package.json, too', () => {
  expect(JSON.parse(read('package.json')).version).toBe(product.version);
});
