// A fact or frame leaves absent fields out: the helper that drops them keeps every other value.
import { expect, test } from 'vitest';
import { dropUndefined } from '../../../src/core/collections/fields.ts';

test('fields that are undefined are dropped, and no others', () => {
  const code: string | undefined = undefined;
  const fields = dropUndefined({ code, forced: false, ms: 0, output: '', by: null });
  expect(Object.keys(fields)).toEqual(['forced', 'ms', 'output', 'by']);
  expect(fields).toStrictEqual({ forced: false, ms: 0, output: '', by: null });
});
