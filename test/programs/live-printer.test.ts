// A session at a terminal with a live region: what is printed for good, in which order, and what is live.
import { expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../src/client/view/fold.ts';
import { emptySnapshot } from '../../src/client/view/snapshot.ts';
import { LivePrinter } from '../../src/programs/live-printer.ts';
import { LiveScreen } from '../../src/programs/live-screen.ts';
import { DrawQueue } from '../../src/programs/terminal/draw-queue.ts';
import type { RenderLines, TerminalView } from '../../src/programs/terminal/terminal-view.ts';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import {
  accepted,
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

const noLines: RenderLines = () => [];

/** A terminal without colors, of 60 columns. Ann has said everything that is hers at it. */
function start(queue = new DrawQueue(() => {})) {
  const printed: string[] = [];
  let tail = noLines;
  let status = noLines;
  let expand: (() => readonly string[]) | null = null;
  const view: TerminalView = {
    columns: 60,
    hasColors: false,
    style: (_, text) => text,
    print: (lines) => printed.push(...lines),
    printBelowTail: (lines) => tail !== noLines && printed.push(...lines) > 0,
    setTail: (render) => {
      tail = render ?? noLines;
    },
    setStatus: (render) => {
      status = render ?? noLines;
    },
    refresh: () => {},
    openQuestion: () => () => {},
    setExpansion: (of) => {
      expand = of;
    },
    setCompletion: () => {},
  };
  let snapshot = { ...foldFrame(emptySnapshot, joined(0), defaultViewLimits), state: 'joined' as const };
  const viewer = { speaker: 'ann', isMine: (ref: string | null) => ref === 'mine' };
  const screen = new LiveScreen(view, queue);
  const printer = new LivePrinter({
    view,
    screen,
    queue,
    viewer,
    getSnapshot: () => snapshot,
    ageMs: () => 2_000,
  });
  let seq = 1;
  const size = { columns: 60, rows: 20 };
  /** Handles frames as they come, and draws what may be drawn at once. */
  const receive = (...frames: readonly (ServerFrame | object)[]): void => {
    for (const each of frames) {
      const [frame] = 'session' in each ? [each as ServerFrame] : numbered([each], seq++);
      if (!frame) continue;
      snapshot = { ...foldFrame(snapshot, frame, defaultViewLimits), state: 'joined' };
      printer.print(frame, snapshot);
    }
  };
  return {
    /** Returns the printed lines, without the blank one below the words that were typed. */
    printed: () => printed.slice(printed[0] === '' ? 1 : 0),
    live: () => [...tail(size), ...status(size)],
    expand: () => expand?.() ?? [],
    receive,
    /** Handles frames, and draws all of them. */
    send(...frames: readonly (ServerFrame | object)[]): void {
      for (const frame of frames) {
        receive(frame);
        queue.flush();
      }
    },
  };
}

const open = (turn: string, owner = 'ann') => [
  { ...opened(turn, owner), ref: owner === 'ann' ? 'mine' : 'other' },
  { ...started(turn), owner },
  { type: 'model_started', turn, index: 0 },
];

test('the finished blocks of an answer are printed, and its end is live [cli.chat]', () => {
  const { send, printed, live } = start();
  send(...open('turn_1'), delta('turn_1', 0, '# Done\n\nIt is **no'));
  expect(printed()).toEqual(['Done']);
  expect(live()).toEqual(['', 'It is **no', '● your turn: writing · 2 s · ~5 tokens']);
  send(delta('turn_1', 18, 'on**.'), modelEnded('turn_1', '# Done\n\nIt is **noon**.'), ended('turn_1'));
  expect(printed()).toEqual(['Done', '', 'It is noon.']);
  expect(live()).toEqual([]);
});

test('the event loop turns between two blocks, of one frame and of two [page.chat] [cli.chat]', () => {
  const turns: (() => void)[] = [];
  const { receive, printed, live } = start(new DrawQueue((next) => turns.push(next)));
  receive(...open('turn_1'), delta('turn_1', 0, 'One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive'));
  const seen = [printed().length];
  const turn = () => {
    turns.shift()?.();
    seen.push(printed().length);
  };
  while (turns.length > 0) turn();
  expect(printed()).toEqual(['One.', '', 'Two.', '', 'Three.', '', 'Four.']);
  expect(
    seen.every((count, at) => count - (seen[at - 1] ?? 0) <= 3),
    `lines after each turn: ${seen}`,
  ).toBe(true);
  expect(live()[1]).toBe('Five');
  receive(modelEnded('turn_1', 'One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive'), ended('turn_1'));
  receive({ ...opened('turn_2', 'bob'), ref: 'other' });
  expect(printed().slice(-2)).toEqual(['', 'Five']);
  turn();
  expect(printed().slice(-2)).toEqual(['', 'bob> words of turn_2']);
});

test('two answers that stream at once are printed one after the other, each to its speaker [cli.chat]', () => {
  const { send, printed } = start();
  send(
    ...open('turn_1'),
    ...open('turn_2', 'bob'),
    delta('turn_1', 0, 'It is '),
    delta('turn_2', 0, 'Good '),
    delta('turn_1', 6, 'noon.'),
    modelEnded('turn_1', 'It is noon.'),
    modelEnded('turn_2', 'Good night.'),
  );
  expect(printed()).toEqual(['bob> words of turn_2', '', 'It is noon.', '', '(to bob)', 'Good night.']);
});

test('reasoning is shown while it streams, and shortened afterwards; Ctrl-O has all of it', () => {
  const { send, printed, live, expand } = start();
  const text = Array.from({ length: 9 }, (_, at) => `thought ${at}`).join('\n');
  send(...open('turn_1'), { type: 'reasoning_delta', session: 's', turn: 'turn_1', index: 0, text });
  expect(live().slice(1, 4)).toEqual(['thought 6', 'thought 7', 'thought 8']);
  expect(live().at(-1)).toContain('your turn: thinking');
  send(delta('turn_1', 0, 'Noon.'), modelEnded('turn_1', 'Noon.'));
  expect(printed()).toEqual([
    'thought 0',
    'thought 1',
    'thought 2',
    '… 6 more lines of reasoning (Ctrl-O)',
    '',
    'Noon.',
  ]);
  expect(expand()).toHaveLength(10);
});

const shell = [toolCall('call_1', 'turn_1', 'shell'), { type: 'tool_started', turn: 'turn_1', node: 'call_1' }];

test('a call is live while it runs, and a block when it has settled', () => {
  const { send, printed, live } = start();
  send(...open('turn_1'), modelEnded('turn_1', 'I look.'), ...shell);
  expect(live()).toEqual(['● your turn: running shell · 2 s · ~1 tokens', '  ● shell  2 s']);
  send({ ...result('call_1', 'completed'), output: 'a\nb', ms: 12 });
  expect(printed()).toEqual(['I look.', '', '✓ shell · 12 ms', '  │ a', '  │ b']);
});

test('a stop prints one receipt, and nothing else about what it names; the words on it are marked [cli.chat]', () => {
  const { send, printed } = start();
  const nodes = ['turn_1', 'call_1'].map((node) => ({
    node,
    kind: node === 'turn_1' ? 'turn' : 'tool-call',
    outcome: 'cancelled',
    effect: 'unknown',
    ms: 48,
  }));
  send(
    ...open('turn_1'),
    ...shell,
    { ...accepted(['turn_1', 'call_1']), by: 'ann', reason: null },
    { ...result('call_1', 'cancelled'), ms: 948 },
    ended('turn_1', 'cancelled'),
    {
      type: 'cancel_settled',
      cancel: 'cancel_1',
      ref: 'mine',
      nodes,
      at: 1_948,
      cause: { source: 'client', by: 'ann', reason: null, target: 'turn_1' },
    },
    { ...opened('turn_2'), kind: 'acknowledgement', cancel: 'cancel_1', text: '' },
    { ...started('turn_2') },
    { type: 'model_started', turn: 'turn_2', index: 0 },
    delta('turn_2', 0, 'I have stopped.'),
    modelEnded('turn_2', 'I have stopped.'),
  );
  expect(printed()).toEqual([
    '■ Stopped in 48 ms (ran 948 ms)',
    '  ■ shell  48 ms (ran 948 ms); it may have had effects',
    '',
    '(on the stop)',
    'I have stopped.',
  ]);
});

test('an answer to words that had to wait says which ones', () => {
  const { send, printed } = start();
  send(...open('turn_1'), { ...opened('turn_2'), ref: 'mine' }, modelEnded('turn_1', 'One.'), ended('turn_1'));
  send({ ...started('turn_2') }, modelEnded('turn_2', 'Two.'));
  expect(printed()).toEqual(['One.', '', '(to “words of turn_2”)', 'Two.']);
});

test('nothing that a model, a tool or a speaker writes steers the terminal [access.names]', () => {
  const { send, printed, live, expand } = start();
  const evil = '\u001b]0;owned\u0007\u009b2J\u202e';
  send(
    { ...opened('turn_b', `b${evil}ob`), text: `said${evil}`, ref: 'other' },
    ...open('turn_1'),
    delta('turn_1', 0, `text${evil}`),
    { ...toolCall('call_1', 'turn_1', `tool${evil}`), arguments: evil },
    { type: 'tool_started', turn: 'turn_1', node: 'call_1' },
    { type: 'tool_output', session: 's', node: 'call_1', text: evil },
  );
  const running = live();
  send(
    { ...result('call_1', 'cancelled'), outcome: 'failed', code: 'tool_failed', message: evil, output: evil.repeat(9) },
    { type: 'error', session: 's', code: 'bad_field', message: `error${evil}` },
    modelEnded('turn_1', `text${evil}`),
  );
  const all = [...running, ...printed(), ...expand()].join('\n');
  for (const word of ['said', 'text', 'tool', 'error']) expect(all).toContain(word);
  expect(all).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
});
