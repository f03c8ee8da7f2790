// A session of the client whose connection was lost: the commands that it sends again over the next one, and the text that continues.
import { describe, expect, test } from 'vitest';
import { acceptedCancel, openedFrame, settled, setUpSession } from './held-session.ts';

describe('over the next connection', () => {
  test('a session joins again after its last sequence number, and sends nothing else before `joined` [ws.resume]', () => {
    const held = setUpSession();
    held.session.say('early');
    expect(held.out()).toEqual(['JOIN r0']);
    held.breakOff(); // it was never joined
    expect(held.sent).toEqual([{ type: 'JOIN', ref: 'r2', session: 's' }]);
    held.out();
    held.joined(7);
    expect(held.out()).toEqual(['SAY r1']);
    held.session.receive(openedFrame(8, 'r1'));
    held.breakOff();
    expect(held.sent).toEqual([{ type: 'JOIN', ref: 'r3', session: 's', after: 8 }]);
  });

  test('commands whose reply is in the replay are not sent again; the others are, in their order and before new ones [ws.resume]', async () => {
    const held = setUpSession();
    held.joined(1);
    const one = held.session.say('one');
    const two = held.session.say('two');
    const all = held.session.cancel('mine');
    held.out();
    held.session.disconnect();
    held.session.connect();
    held.joined(3);
    const three = held.session.say('three');
    expect(held.out()).toEqual(['JOIN r4']);
    held.session.receive(openedFrame(2, one.ref));
    expect(await one.opened).toBe('turn_1');
    held.replayed();
    expect(held.out()).toEqual([`SAY ${two.ref}`, `CANCEL ${all.ref}`, `SAY ${three.ref}`]);
  });

  test('a new command waits for the replay only if another one is in flight', () => {
    const held = setUpSession({ from: 0 });
    held.out();
    held.joined(1_000);
    const turn = held.session.say('during the replay');
    expect(held.out()).toEqual([`SAY ${turn.ref}`]);
    held.replayed();
    held.replayed();
    expect(held.emitted.map(({ type }) => type)).toEqual(['joined', 'replayed']);
  });

  test('a CANCEL of a node is sent again at once, under its ref [cancel.idempotent]', async () => {
    const held = setUpSession();
    held.joined(1);
    const turn = held.session.say('one');
    held.session.receive(openedFrame(2, turn.ref));
    const cancel = turn.cancel({ reason: 'enough' });
    const first = held.sent.at(-1);
    held.out();
    held.breakOff();
    expect(held.sent).toEqual([expect.objectContaining({ type: 'JOIN' }), { ...first, seen: 2, says: [] }]);
    held.out();
    held.joined(3);
    held.session.receive(acceptedCancel(cancel.ref, { seq: 3, at: 0 }));
    held.replayed();
    held.breakOff();
    expect(held.out()).toHaveLength(1);
    held.joined(4);
    held.session.receive(settled(cancel.ref, { seq: 4, at: 0 }));
    expect(await cancel.settled).toMatchObject({ seq: 4 });
  });

  test('a CANCEL of a turn whose SAY is in flight does not overtake it, and names the turn as soon as the replay has it', () => {
    const held = setUpSession();
    held.joined(1);
    const turn = held.session.say('one');
    const cancel = turn.cancel();
    expect(held.sent.at(-1)).toMatchObject({ type: 'CANCEL', target: `say:${turn.ref}` });
    held.out();
    held.breakOff();
    held.joined(1);
    held.replayed();
    expect(held.out()).toEqual([expect.stringContaining('JOIN'), `SAY ${turn.ref}`, `CANCEL ${cancel.ref}`]);
    held.breakOff();
    held.joined(2);
    held.session.receive(openedFrame(2, turn.ref));
    held.replayed();
    expect(held.sent.slice(1)).toMatchObject([{ type: 'CANCEL', ref: cancel.ref, target: 'turn_1' }]);
  });

  test.each([
    ['not durable yet', { durable: false }],
    ['a repeat without its end', { repeated: true }],
  ] as const)('after an acceptance that was %s the CANCEL is sent again', async (_, fields) => {
    const held = setUpSession();
    held.joined(1);
    const cancel = held.session.cancel('turn_1');
    held.session.receive(acceptedCancel(cancel.ref, fields));
    await cancel.accepted;
    held.out();
    held.breakOff();
    expect(held.out()).toEqual([expect.stringContaining('JOIN'), `CANCEL ${cancel.ref}`]);
    held.session.receive(acceptedCancel(cancel.ref, { repeated: true }));
    held.session.receive(settled(cancel.ref, { repeated: true }));
    held.breakOff();
    expect(held.out()).toHaveLength(1);
    expect(held.emitted.filter(({ type }) => type === 'cancel_accepted')).toHaveLength('durable' in fields ? 1 : 0);
  });

  test('an answer is sent again where the question is still open', async () => {
    const held = setUpSession();
    held.joined(1);
    const [one, two] = [held.session.approve('call_1'), held.session.answer('call_2', 'b')];
    const refs = held.sent.slice(1).map((frame) => ('ref' in frame ? frame.ref : ''));
    held.out();
    held.breakOff();
    held.joined(2);
    const closed = { session: 's', seq: 2, at: 0, node: 'call_1', by: 'ann' } as const;
    held.session.receive({ ...closed, type: 'approval_closed', answer: 'approved', ref: refs[0] ?? '' });
    expect(await one).toMatchObject({ answer: 'approved' });
    held.replayed();
    expect(held.out()).toEqual([expect.stringContaining('JOIN'), `ANSWER ${refs[1]}`]);
    const refused = {
      type: 'answer_refused',
      session: 's',
      target: 'call_2',
      code: 'expired',
      message: 'late',
    } as const;
    held.session.receive({ ...refused, ref: refs[1] ?? '' });
    await expect(two).rejects.toMatchObject({ name: 'CommandRefused', code: 'expired' });
  });

  test('text continues at the offset up to which it has come [ws.resume]', () => {
    const held = setUpSession({ from: 0 });
    held.joined(1);
    held.replayed();
    const turn = { session: 's', turn: 'turn_1', index: 0 };
    held.session.receive({ ...turn, type: 'model_started', seq: 2, at: 0 });
    held.session.receive({ ...turn, type: 'text_delta', offset: 0, text: 'Hel' });
    held.breakOff();
    held.joined(2, { blocks: [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hello, wor' }] });
    held.replayed();
    held.session.receive({ ...turn, type: 'text_delta', offset: 10, text: 'ld' });
    const texts = held.emitted.flatMap((frame) => (frame.type === 'text_delta' ? [[frame.offset, frame.text]] : []));
    expect(texts).toEqual([
      [0, 'Hel'],
      [3, 'lo, wor'],
      [10, 'ld'],
    ]);
  });
});
