// The fields of facts and frames: undefined ones are dropped, and every other value is kept.
import { expect, test } from 'vitest';
import { dropUndefined } from '../../../src/core/collections/fields.ts';

test('drops the fields that are undefined, and no others', () => {
  const code: string | undefined = undefined;
  const fields = dropUndefined({ code, forced: false, ms: 0, output: '', by: null });
  expect(Object.keys(fields)).toEqual(['forced', 'ms', 'output', 'by']);
  expect(fields).toStrictEqual({ forced: false, ms: 0, output: '', by: null });
});
