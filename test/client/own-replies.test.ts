// A fact of another speaker under the ref of a command is not its reply.
import { expect, test } from 'vitest';
import { isOwnReply } from '../../src/client/own-replies.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { acceptedCancel, openedFrame } from './held-session.ts';

const by = (frame: ServerFrame, fields: object) => ({ ...frame, ...fields }) as ServerFrame; // fields of the frame's type

test.each([
  [by(openedFrame(2, 'r1'), { owner: 'ann' }), true],
  [by(openedFrame(2, 'r1'), { owner: 'bob' }), false],
  [by(openedFrame(2, 'r1'), { owner: 'bob', via: 'ann' }), true],
  [by(openedFrame(2, 'r1'), { owner: 'ann', via: 'bridge' }), false],
  [by(openedFrame(2, 'r1'), { owner: 'bob', repeated: true }), true],
  [by(acceptedCancel('r1', { seq: 3, at: 0 }), { by: 'bob' }), false],
  [by(acceptedCancel('r1', { seq: 3, at: 0 }), { by: 'ann' }), true],
])('%o may be the reply: %s', (frame, isOwn) => {
  expect(isOwnReply(frame, 'ann')).toBe(isOwn);
  expect(isOwnReply(frame, null)).toBe(true);
});
