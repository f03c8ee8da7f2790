// A session over its next connection: the commands that are sent again, and the text that continues.
import { describe, expect, test } from 'vitest';
import { acceptedCancel, openedFrame, settled, setUpSession } from './held-session.ts';

describe('over the next connection', () => {
  test('a session is joined after its last sequence number, and nothing is sent before `joined` [ws.resume]', () => {
    const at = setUpSession();
    at.session.say('early');
    expect(at.out()).toEqual(['JOIN r0']);
    at.breakOff(); // it was never joined
    expect(at.sent).toEqual([{ type: 'JOIN', ref: 'r2', session: 's' }]);
    at.out();
    at.joined(7);
    expect(at.out()).toEqual(['SAY r1']);
    at.session.receive(openedFrame(8, 'r1'));
    at.breakOff();
    expect(at.sent).toEqual([{ type: 'JOIN', ref: 'r3', session: 's', after: 8 }]);
  });

  test('commands whose reply is in the replay are not sent again; the others are, in their order and before new ones [ws.resume]', async () => {
    const at = setUpSession();
    at.joined(1);
    const one = at.session.say('one');
    const two = at.session.say('two');
    const all = at.session.cancel('mine');
    at.out();
    at.session.disconnect();
    at.session.connect();
    at.joined(3);
    const three = at.session.say('three');
    expect(at.out()).toEqual(['JOIN r4']);
    at.session.receive(openedFrame(2, one.ref));
    expect(await one.opened).toBe('turn_1');
    at.replayed();
    expect(at.out()).toEqual([`SAY ${two.ref}`, `CANCEL ${all.ref}`, `SAY ${three.ref}`]);
  });

  test('without a command in flight no new command waits for the replay', () => {
    const at = setUpSession({ from: 0 });
    at.out();
    at.joined(1_000);
    const turn = at.session.say('during the replay');
    expect(at.out()).toEqual([`SAY ${turn.ref}`]);
    at.replayed();
    at.replayed();
    expect(at.emitted.map(({ type }) => type)).toEqual(['joined', 'replayed']);
  });

  test('a CANCEL of a node is sent at once, under its ref [cancel.idempotent]', async () => {
    const at = setUpSession();
    at.joined(1);
    const turn = at.session.say('one');
    at.session.receive(openedFrame(2, turn.ref));
    const cancel = turn.cancel({ reason: 'enough' });
    const first = at.sent.at(-1);
    at.out();
    at.breakOff();
    expect(at.sent).toEqual([expect.objectContaining({ type: 'JOIN' }), { ...first, seen: 2, says: [] }]);
    at.out();
    at.joined(3);
    at.session.receive(acceptedCancel(cancel.ref, { seq: 3, at: 0 }));
    at.replayed();
    at.breakOff();
    expect(at.out()).toHaveLength(1);
    at.joined(4);
    at.session.receive(settled(cancel.ref, { seq: 4, at: 0 }));
    expect(await cancel.settled).toMatchObject({ seq: 4 });
  });

  test('a CANCEL of a turn whose SAY is in flight does not overtake it, and names the turn as soon as the replay has it', () => {
    const at = setUpSession();
    at.joined(1);
    const turn = at.session.say('one');
    const cancel = turn.cancel();
    expect(at.sent.at(-1)).toMatchObject({ type: 'CANCEL', target: `say:${turn.ref}` });
    at.out();
    at.breakOff();
    at.joined(1);
    at.replayed();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `SAY ${turn.ref}`, `CANCEL ${cancel.ref}`]);
    at.breakOff();
    at.joined(2);
    at.session.receive(openedFrame(2, turn.ref));
    at.replayed();
    expect(at.sent.slice(1)).toMatchObject([{ type: 'CANCEL', ref: cancel.ref, target: 'turn_1' }]);
  });

  test.each([
    ['not durable yet', { durable: false }],
    ['a repeat without its end', { repeated: true }],
  ] as const)('after an acceptance that was %s the CANCEL is sent again', async (_, fields) => {
    const at = setUpSession();
    at.joined(1);
    const cancel = at.session.cancel('turn_1');
    at.session.receive(acceptedCancel(cancel.ref, fields));
    await cancel.accepted;
    at.out();
    at.breakOff();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `CANCEL ${cancel.ref}`]);
    at.session.receive(acceptedCancel(cancel.ref, { repeated: true }));
    at.session.receive(settled(cancel.ref, { repeated: true }));
    at.breakOff();
    expect(at.out()).toHaveLength(1);
    expect(at.emitted.filter(({ type }) => type === 'cancel_accepted')).toHaveLength('durable' in fields ? 1 : 0);
  });

  test('an answer is sent again where the question is still open', async () => {
    const at = setUpSession();
    at.joined(1);
    const [one, two] = [at.session.approve('call_1'), at.session.answer('call_2', 'b')];
    const refs = at.sent.slice(1).map((frame) => ('ref' in frame ? frame.ref : ''));
    at.out();
    at.breakOff();
    at.joined(2);
    const closed = { session: 's', seq: 2, at: 0, node: 'call_1', by: 'ann' } as const;
    at.session.receive({ ...closed, type: 'approval_closed', answer: 'approved', ref: refs[0] ?? '' });
    expect(await one).toMatchObject({ answer: 'approved' });
    at.replayed();
    expect(at.out()).toEqual([expect.stringContaining('JOIN'), `ANSWER ${refs[1]}`]);
    const refused = {
      type: 'answer_refused',
      session: 's',
      target: 'call_2',
      code: 'expired',
      message: 'late',
    } as const;
    at.session.receive({ ...refused, ref: refs[1] ?? '' });
    await expect(two).rejects.toMatchObject({ name: 'CommandRefused', code: 'expired' });
  });

  test('text continues at its offset [ws.resume]', () => {
    const at = setUpSession({ from: 0 });
    at.joined(1);
    at.replayed();
    const turn = { session: 's', turn: 'turn_1', index: 0 };
    at.session.receive({ ...turn, type: 'model_started', seq: 2, at: 0 });
    at.session.receive({ ...turn, type: 'text_delta', offset: 0, text: 'Hel' });
    at.breakOff();
    at.joined(2, { blocks: [{ turn: 'turn_1', index: 0, offset: 0, text: 'Hello, wor' }] });
    at.replayed();
    at.session.receive({ ...turn, type: 'text_delta', offset: 10, text: 'ld' });
    const texts = at.emitted.flatMap((frame) => (frame.type === 'text_delta' ? [[frame.offset, frame.text]] : []));
    expect(texts).toEqual([
      [0, 'Hel'],
      [3, 'lo, wor'],
      [10, 'ld'],
    ]);
  });
});
