// The usage of a model call whose endpoint reports none.
import { expect, test } from 'vitest';
import { estimatedUsage } from '../../../src/adapters/models/estimate-usage.ts';
import { reference } from '../../core/session/images.ts';

test('an image counts in an estimated usage [model.parts]', () => {
  const said = { role: 'user', content: 'see' } as const;
  const { input: words } = estimatedUsage({ messages: [said], tools: [] }, 1);
  const { input: shown } = estimatedUsage({ messages: [{ ...said, parts: [reference(1)] }], tools: [] }, 1);
  expect((shown ?? 0) - (words ?? 0)).toBe(1_500);
});
