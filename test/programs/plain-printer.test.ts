// The streamed text of several answers on one screen.
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { emptySnapshot } from '../../src/client/view/snapshot.ts';
import { PlainPrinter } from '../../src/programs/plain-printer.ts';
import { PlainScreen } from '../../src/programs/plain-screen.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import {
  delta,
  ended,
  joined,
  modelEnded,
  numbered,
  opened,
  result,
  started,
  toolCall,
} from '../client/view/frames.ts';

/** Prints the frames as ann sees them. She has said everything that is hers at this terminal. */
function printed(...frames: readonly (ServerFrame | object)[]): string {
  let out = '';
  const output = new Writable({
    write(chunk, _, done) {
      out += chunk;
      done();
    },
  });
  const screen = new PlainScreen(output);
  const printer = new PlainPrinter(screen, { speaker: 'ann', isMine: () => true });
  let snapshot = foldFrame(emptySnapshot, joined(0), defaultViewLimits);
  let seq = 1;
  for (const each of frames) {
    const [frame] = 'session' in each ? [each as ServerFrame] : numbered([each], seq++);
    if (!frame) continue;
    snapshot = foldFrame(snapshot, frame, defaultViewLimits);
    printer.print(frame, snapshot);
  }
  return out;
}

const open = (turn: string, owner?: string) => [opened(turn, owner), { ...started(turn), owner: owner ?? 'ann' }];
const block = (turn: string, index: number) => ({ type: 'model_started', turn, index });

test('the answers of two turns, one after the other, have lines of their own [cli.chat]', () => {
  const out = printed(
    ...open('turn_1'),
    block('turn_1', 0),
    delta('turn_1', 0, 'It is noon.'),
    modelEnded('turn_1', 'It is noon.'),
    ended('turn_1'),
    ...open('turn_2', 'bob'),
    block('turn_2', 0),
    delta('turn_2', 0, 'Good night.'),
    modelEnded('turn_2', 'Good night.'),
  );
  expect(out).toBe('It is noon.\n(to bob) Good night.');
});

test('two answers that stream at once are printed one after the other [cli.chat]', () => {
  const out = printed(
    ...open('turn_1'),
    ...open('turn_2', 'bob'),
    delta('turn_1', 0, 'It is '),
    delta('turn_2', 0, 'Good '),
    delta('turn_1', 6, 'noon.'),
    delta('turn_2', 5, 'night'),
    modelEnded('turn_1', 'It is noon.'),
    delta('turn_2', 10, '.'),
    modelEnded('turn_2', 'Good night.'),
  );
  expect(out).toBe('It is noon.\n(to bob) Good night.');
});

test('the next text of the same turn has a line of its own, too [cli.chat]', () => {
  const second = { ...delta('turn_1', 0, 'I look again.'), index: 1 } as ServerFrame;
  const out = printed(
    ...open('turn_1'),
    delta('turn_1', 0, 'It is noon.'),
    modelEnded('turn_1', 'It is noon.'),
    second,
  );
  expect(out).toBe('It is noon.\nI look again.');
});

test('nothing that a model, a tool or a speaker writes moves the cursor of the terminal [access.names]', () => {
  const evil = '\u001b]0;owned\u0007\u009b2J\u202e';
  const out = printed(
    ...open('turn_1', `b${evil}ob`),
    delta('turn_1', 0, `text${evil}`),
    { ...toolCall('call_1', 'turn_1', `tool${evil}`), arguments: evil },
    { ...result('call_1', 'cancelled'), outcome: 'failed', code: 'tool_failed', message: evil },
    { type: 'error', session: 's', code: 'bad_field', message: `error${evil}` },
  );
  for (const word of ['(to b', 'text', 'tool', 'error']) expect(out).toContain(word);
  expect(out).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
});

test('the words on a stop stream like an answer, without a line of their own; an emoji for them is one line [cli.chat] [recover.model]', () => {
  const acknowledgement = { ...opened('turn_2', 'bob'), kind: 'acknowledgement', cancel: 'cancel_1', text: '' };
  const out = printed(
    acknowledgement,
    { ...started('turn_2'), owner: 'bob' },
    block('turn_2', 0),
    delta('turn_2', 0, 'I have stopped.'),
    modelEnded('turn_2', 'I have stopped.'),
    { ...ended('turn_2'), outcome: 'superseded' },
    { type: 'reaction', cancel: 'cancel_2', to: 'ann', ms: 9, emoji: '👍' },
    { type: 'reaction', cancel: 'cancel_3', to: 'bob', ms: 9, emoji: '👍' },
  );
  expect(out).toBe('(to bob) I have stopped.\n👍\n👍 (to bob)\n');
});
