// Refs that another command has used: the client sends a command that is refused for it at once under a new one, and makes no ref twice.
import { describe, expect, test } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { acceptedCancel, openedFrame, setUpSession } from './held-session.ts';

const refusal = (ref: string, code = 'ref_reused'): ServerFrame =>
  ({ type: 'error', ref, session: 's', code, message: 'The ref was used.' }) as ServerFrame;

type Joined = ReturnType<typeof setUpSession>;

const commands = {
  SAY: ({ session }: Joined) => session.say('words').opened,
  STEER: ({ session }: Joined) => session.steer('words', { target: 'turn_1' }).opened,
  RESUME: ({ session }: Joined) => session.resume('turn_1').opened,
  CANCEL: ({ session }: Joined) => session.cancel('turn_1').accepted,
  TRANSCRIPT: ({ session }: Joined) => session.transcript('words', { as: 'ann', final: true }),
  APPROVE: ({ session }: Joined) => session.approve('call_1'),
  DENY: ({ session }: Joined) => session.deny('call_1'),
  ANSWER: ({ session }: Joined) => session.answer('call_1', 'words'),
};
type CommandType = keyof typeof commands;
const types = Object.keys(commands) as CommandType[];

/** The last frame that was sent, which has a ref. */
const lastSent = ({ sent }: Joined) => sent.at(-1) as { readonly type: string; readonly ref: string };

const joined = () => {
  const held = setUpSession();
  held.joined(1);
  held.out();
  return held;
};

describe('refused as `ref_reused` [cancel.idempotent.ref]', () => {
  test.each(types)('a %s is sent at once under another ref, and gets its reply', async (type) => {
    const held = joined();
    const reply: Promise<unknown> = commands[type](held);
    const first = lastSent(held);
    held.session.receive(refusal(first.ref));
    expect(held.sent).toHaveLength(2);
    const again = lastSent(held);
    expect(again.ref).not.toBe(first.ref);
    expect({ ...again, ref: first.ref }).toMatchObject(JSON.parse(JSON.stringify(first))); // without fields that are undefined
    expect(held.emitted.filter((frame) => frame.type === 'error')).toEqual([]);
    const answered = { session: 's', seq: 2, at: 0, node: 'call_1', by: 'ann', ref: again.ref };
    const replies: Partial<Record<CommandType, ServerFrame>> = {
      CANCEL: acceptedCancel(again.ref, { seq: 2, at: 0 }),
      APPROVE: { ...answered, type: 'approval_closed', answer: 'approved' },
      DENY: { ...answered, type: 'approval_closed', answer: 'denied' },
      ANSWER: { ...answered, type: 'question_closed', answer: 'answered', text: 'words' },
    };
    held.session.receive(replies[type] ?? openedFrame(2, again.ref));
    await reply;
  });

  test.each(types)('a %s is sent again once: refused under a random ref, it fails', async (type) => {
    const held = joined();
    const reply: Promise<unknown> = commands[type](held);
    held.session.receive(refusal(lastSent(held).ref));
    held.session.receive(refusal(lastSent(held).ref));
    await expect(reply).rejects.toMatchObject({ code: 'ref_reused' });
    expect(held.sent).toHaveLength(2);
  });

  test.each([
    ['SAY', 'mine'],
    ['SAY', 'session'],
    ['RESUME', 'session'],
    ['STEER', 'turn_1'],
    ['TRANSCRIPT', 'session'],
  ] as const)('a %s is not sent again after a CANCEL of %s', async (type, target) => {
    const held = joined();
    const reply: Promise<unknown> = commands[type](held);
    const { ref } = lastSent(held);
    held.session.cancel(target);
    held.session.receive(refusal(ref));
    const message = 'It was cancelled before it started.';
    await expect(reply).rejects.toMatchObject({ code: 'cancelled_before_start', message });
    expect(held.sent.map((frame) => frame.type)).toEqual([type, 'CANCEL']);
  });

  test('words are sent again after a CANCEL that was not sent', async () => {
    const held = joined();
    const turn = held.session.say('words');
    held.session.disconnect();
    await expect(held.session.cancel('mine', { whileDisconnected: 'reject' }).accepted).rejects.toThrow();
    held.session.connect();
    held.joined(1);
    held.replayed();
    held.session.receive(refusal(turn.ref));
    expect(lastSent(held)).toMatchObject({ type: 'SAY', text: 'words', ref: turn.ref });
    expect(held.out().filter((frame) => frame.startsWith('SAY'))).toHaveLength(3);
  });

  test.each(['SAY', 'STEER', 'RESUME', 'TRANSCRIPT'] as const)(
    'words that a later %s followed are not sent again: they would overtake it',
    async (type) => {
      const held = joined();
      const first = held.session.say('first');
      const later: Promise<unknown> = commands[type](held);
      const { ref } = lastSent(held);
      held.session.receive(refusal(first.ref));
      await expect(first.opened).rejects.toMatchObject({ code: 'ref_reused' });
      expect(held.sent).toHaveLength(2);
      held.session.receive(openedFrame(2, ref));
      await later;
    },
  );

  test('a turn that was cancelled before its reply is not sent again; one that another CANCEL does not reach is', async () => {
    const held = joined();
    const [first, second] = [held.session.say('first'), held.session.say('second')];
    const [ref, other] = [first.ref, second.ref];
    first.cancel();
    held.session.receive(refusal(ref));
    held.session.receive(refusal(other));
    await expect(first.opened).rejects.toMatchObject({ code: 'cancelled_before_start' });
    expect(second.ref).not.toBe(other);
    expect(lastSent(held)).toMatchObject({ type: 'SAY', text: 'second', ref: second.ref });
    second.cancel();
    expect(lastSent(held)).toMatchObject({ type: 'CANCEL', target: `say:${second.ref}` });
  });

  test('the receipt of a stop phrase under its ref is no reply to a CANCEL, which is sent again; a repeat of it is', async () => {
    const held = joined();
    const cancel = held.session.cancel('mine');
    const used = cancel.ref;
    held.session.receive(acceptedCancel(used, { seq: 2, at: 0, source: 'phrase', cancel: 'cancel_of_phrase' }));
    held.session.receive(refusal(used));
    expect(cancel.ref).not.toBe(used);
    expect(held.sent).toHaveLength(2);
    expect(lastSent(held)).toMatchObject({ type: 'CANCEL', target: 'mine', ref: cancel.ref });
    held.session.receive(acceptedCancel(cancel.ref, { source: 'phrase', cancel: 'cancel_of_phrase', repeated: true }));
    expect(await cancel.accepted).toMatchObject({ cancel: 'cancel_of_phrase', repeated: true });
  });

  test('the refusal of a stop phrase under its ref ends no CANCEL', async () => {
    const held = joined();
    const cancel = held.session.cancel('mine');
    const refused = [{ node: 'turn_1', reason: 'not_owner' }];
    const phrase = { type: 'cancel_refused', session: 's', seq: 2, at: 0, ref: cancel.ref, source: 'phrase' } as const;
    held.session.receive({ ...phrase, by: 'ann', target: 'session', refused } as ServerFrame);
    held.session.receive(refusal(cancel.ref));
    expect(held.sent).toHaveLength(2);
    held.session.receive(acceptedCancel(cancel.ref, { seq: 3, at: 0 }));
    expect(await cancel.accepted).toMatchObject({ type: 'cancel_accepted', seq: 3 });
  });

  test('a CANCEL that is sent again says what its sender knew when it was sent first [cancel.idempotent.resent]', () => {
    const held = joined();
    held.session.cancel('mine');
    held.session.receive(openedFrame(9, 'of another one'));
    held.session.receive(refusal(lastSent(held).ref));
    expect(lastSent(held)).toMatchObject({ type: 'CANCEL', seen: 1, says: [] });
  });
});

test('no two commands in flight have one ref, whatever makes the refs [cancel.idempotent.ref]', async () => {
  const held = setUpSession({ createRef: () => 'r' });
  held.joined(1);
  const turn = held.session.say('words');
  const cancel = held.session.cancel('mine');
  const refs = held.sent.map((frame) => ('ref' in frame ? frame.ref : null));
  expect(new Set(refs).size).toBe(3);
  held.session.receive(refusal(cancel.ref, 'rate_limited'));
  await expect(cancel.accepted).rejects.toMatchObject({ code: 'rate_limited' });
  held.session.receive(openedFrame(2, turn.ref));
  expect(await turn.opened).toBe('turn_1');
});
