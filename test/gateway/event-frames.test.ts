// The frames of facts: what a client gets of a result.
import { expect, test } from 'vitest';
import { factFrame } from '../../src/gateway/event-frames.ts';
import { reference } from '../core/session/images.ts';

test('a frame of a result has its references, and texts within its limit [model.parts]', () => {
  const long = { type: 'text', text: 'x'.repeat(1_500) } as const;
  const frame = factFrame('s', {
    seq: 1,
    fact: {
      type: 'tool_result',
      turn: 't',
      node: 'c',
      outcome: 'completed',
      effect: 'none',
      at: 0,
      output: '',
      parts: [long, reference(1), long],
    },
  });
  expect(frame).toMatchObject({ parts: [long, reference(1), { type: 'text', text: 'x'.repeat(500) }] });
});
