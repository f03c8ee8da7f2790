// The terminal of a chat on an emulated screen: keys, pastes, questions and what is printed meanwhile, by a virtual clock.
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTerminal, tempFolder } from './emulated-terminal.ts';

const enter = '\r';
const [left, up, down] = ['\u001b[D', '\u001b[A', '\u001b[B'];

test.each([80, 120])(
  'keys while an answer streams change neither the answer nor the typed text, at %i columns [cli.chat]',
  async (columns) => {
    const { terminal, screen, press, settle, resize } = startTerminal({ columns });
    let answer = '';
    terminal.setTail(() => [answer]);
    for (const [i, key] of [...'typed while it streams'].entries()) {
      answer = `tick ${i}`;
      terminal.refresh();
      await press(key);
    }
    expect(screen.rows()).toEqual(['tick 21', '', 'you> typed while it streams']);
    terminal.setTail(null);
    terminal.print(['tick 21']);
    await resize(columns === 80 ? 120 : 80);
    expect(screen.lines()).toEqual(['tick 21', '', 'you> typed while it streams']);
    await press(left, left, 'X');
    await settle();
    expect(screen.rows().at(-1)).toBe('you> typed while it streaXms');
    expect(screen.cursor()).toEqual({ row: 2, column: 26 });
  },
);

test.each([-3_600_000, 3_600_000])('a step of the time of day by %d ms holds up no redraw [cli.chat]', async (ms) => {
  const { terminal, screen, clock, settle } = startTerminal();
  terminal.showNotice('before');
  await settle();
  clock.step(ms);
  terminal.showNotice('after');
  await settle();
  expect(screen.rows()).toContain('after');
});

test('a paste of five lines is one message, shown as five lines, and is said by Enter alone [cli.chat]', async () => {
  const { screen, press, events } = startTerminal();
  await press('see: ', '\u001b[200~one\rtwo\rthree\r\rfive\u001b[201~');
  expect(events).toEqual([]);
  expect(screen.rows()).toEqual(['', 'you> see: one', '     two', '     three', '', '     five']);
  await press(enter);
  expect(events).toEqual(['said "see: one\\ntwo\\nthree\\n\\nfive"']);
  expect(screen.lines()).toEqual(['you> see: one', '     two', '     three', '', '     five', '', 'you>']);
});

test.each(['\u001b\r', '\n', '\\\r', '\u001b[13;2u', '\u001b[27;2;13~'])(
  '%j starts a new line of the message [cli.chat]',
  async (key) => {
    const { press, events } = startTerminal();
    await press('one', key, 'two', enter);
    expect(events).toEqual(['said "one\\ntwo"']);
  },
);

test('what was entered comes back by the keys up and down, in the next run too; Ctrl-R searches [cli.chat]', async () => {
  const state = tempFolder();
  const first = startTerminal({ state });
  await first.press('run the build', enter, 'one\nlast', enter, 'dra', up);
  expect(first.screen.rows().slice(-2)).toEqual(['you> one', '     last']);
  await first.press(up, up);
  expect(first.screen.rows().at(-1)).toBe('you> run the build');
  await first.press(down, down, down);
  expect(first.screen.rows().at(-1)).toBe('you> dra');
  const second = startTerminal({ state });
  await second.press('\u0012', 'bui');
  expect(second.screen.rows().slice(1)).toEqual([
    'you> run the build',
    'search the history: bui  (Ctrl-R older, Enter takes it, Esc closes)',
  ]);
  await second.press(enter);
  expect(second.events).toEqual([]);
  await second.press(enter);
  expect(second.events).toEqual(['said "run the build"']);
});

test('words that are entered while an answer streams stand after it; the output of a command is printed at once [cli.chat]', async () => {
  const { terminal, screen, press, settle, onSubmit } = startTerminal();
  terminal.setTail(() => ['the answer goes']);
  await press('next', enter);
  expect(screen.rows()).toEqual(['the answer goes', '', 'you> next', 'you>']);
  onSubmit(() => terminal.print(['you are ann']));
  await press('/who', enter);
  expect(screen.rows()).toEqual(['you> /who', 'you are ann', 'the answer goes', '', 'you> next', 'you>']);
  terminal.print(['the answer goes on']);
  terminal.setTail(null);
  await settle();
  expect(screen.rows()).toEqual(['you> /who', 'you are ann', 'the answer goes on', '', 'you> next', '', 'you>']);
});

test('lines that are printed below a tail stand after it, in their order with the words [cli.chat]', async () => {
  const { terminal, screen, press, settle } = startTerminal();
  expect(terminal.printBelowTail(['not printed'])).toBe(false);
  terminal.setTail(() => ['the answer goes']);
  await press('next', enter);
  expect(terminal.printBelowTail(['The connection was lost.'])).toBe(true);
  terminal.print(['the answer goes no further']);
  terminal.setTail(null);
  await settle();
  expect(screen.rows()).toEqual([
    'the answer goes no further',
    '',
    'you> next',
    'The connection was lost.',
    '',
    'you>',
  ]);
});

test('what was entered is wrapped between words, and indented [cli.chat]', async () => {
  const { screen, press } = startTerminal({ columns: 20 });
  await press('a longer text that is wrapped', enter);
  expect(screen.rows()).toEqual(['you> a longer text', '     that is wrapped', '', 'you>']);
});

test('Enter that was typed before the terminal listened says the text; later a line feed starts a line [cli.chat]', async () => {
  const { input, settle, press, events } = startTerminal();
  input.write('typed ahead\n');
  await settle();
  expect(events).toEqual(['said "typed ahead"']);
  await press('one\ntwo', enter);
  expect(events.slice(1)).toEqual(['said "one\\ntwo"']);
});

test('Ctrl-O says so where nothing was shortened', async () => {
  const { screen, press } = startTerminal();
  await press('\u000f');
  expect(screen.rows()).toEqual(['', 'Nothing was shortened so far.', 'you>']);
});

test('a text that cannot be sent stays in the input', async () => {
  const { screen, press } = startTerminal();
  await press('unsent words', enter);
  expect(screen.lines()).toEqual(['', 'you> unsent words']);
});

test('Tab inserts what the candidates have in common, shows them, and goes through them; Escape closes the list', async () => {
  const { terminal, screen, press, events } = startTerminal();
  const candidates = ['/stop', '/steer', '/sessions'].map((text) => ({ text, about: `about ${text}` }));
  terminal.setCompletion((text, cursor) => ({
    from: 0,
    candidates: candidates.filter((one) => one.text.startsWith(text.slice(0, cursor))),
  }));
  await press('/st', '\t');
  expect(screen.rows()).toEqual(['', 'you> /st', '  /stop   about /stop', '  /steer  about /steer']);
  await press('\t', '\t');
  expect(screen.rows()).toEqual(['', 'you> /steer', '  /stop   about /stop', '> /steer  about /steer']);
  await press('\u001b');
  expect(screen.rows()).toEqual(['', 'you> /steer']);
  expect(events).toEqual([]);
  await press('\u001b');
  expect(events).toEqual(['escape']);
  await press('\u0015', '/se', '\t');
  expect(screen.rows()).toEqual(['', 'you> /sessions']);
});

test('completions that come later are shown, unless more was typed', async () => {
  const { terminal, screen, press, settle } = startTerminal();
  const found: ((candidates: readonly string[]) => void)[] = [];
  terminal.setCompletion(
    () =>
      new Promise((resolve) => found.push((all) => resolve({ from: 0, candidates: all.map((text) => ({ text })) }))),
  );
  await press('@', '\t');
  found[0]?.(['@one', '@other']);
  await settle();
  expect(screen.rows()).toEqual(['', 'you> @o', '  @one', '  @other']);
  await press('n', '\t', 'x');
  found[1]?.(['@one']);
  await settle();
  expect(screen.rows()).toEqual(['', 'you> @onx']);
});

test('a question is answered by one key while nothing is typed; the next one is shown then', async () => {
  const { terminal, screen, press } = startTerminal();
  const answers: string[] = [];
  const ask = (text: string) => {
    const close = terminal.openQuestion({
      render: () => [`${text}? y/n`],
      keys: { y: () => answer('yes'), n: () => answer('no') },
    });
    const answer = (word: string) => {
      answers.push(`${text}: ${word}`);
      close();
      return true;
    };
  };
  ask('one');
  ask('two');
  await press('maybe');
  expect(screen.rows()).toEqual(['', 'one? y/n', 'you> maybe']);
  expect(answers).toEqual([]);
  await press('\u0015', 'y', 'N');
  expect(answers).toEqual(['one: yes', 'two: no']);
  expect(screen.rows()).toEqual(['', 'you>']);
});

test('Ctrl-C and Ctrl-D: typed text is cleared first, and comes back by Ctrl-Y', async () => {
  const { screen, press, events } = startTerminal();
  await press('words', '\u0003');
  expect(events).toEqual([]);
  expect(screen.rows().at(-1)).toBe('you>');
  await press('\u0019');
  expect(screen.rows().at(-1)).toBe('you> words');
  await press('\u0003', '\u0003', '\u0004');
  expect(events).toEqual(['interrupt', 'end']);
});

test('the status and a notice have their places, and the region keeps to the rows of the screen', async () => {
  const { terminal, screen, press } = startTerminal({ rows: 10 });
  terminal.setStatus(() => ['status 1', 'status 2']);
  terminal.showNotice('a notice');
  terminal.setTail(({ columns }) => Array.from({ length: 30 }, (_, i) => `${columns} ${i}`));
  await press('\u001b\r');
  expect(screen.rows()).toEqual(['80 26', '80 27', '80 28', '80 29', '', 'status 1', 'status 2', 'you>']);
  terminal.showNotice('a notice');
  await press();
  terminal.setTail(null);
  await press('x');
  expect(screen.rows()).toEqual(['', 'status 1', 'status 2', 'you>', '     x']);
});

test('it draws at most twelve times a second, and writes nothing while nothing changes', async () => {
  const { terminal, clock, written } = startTerminal();
  let count = 0;
  terminal.setTail(() => [`${count}`]);
  const before = written();
  for (let i = 0; i < 500; i++) {
    count = i;
    terminal.refresh();
    await clock.advance(2);
  }
  const draws = written().slice(before.length).split('\u001b[?2026h').length - 1;
  expect(draws).toBeGreaterThan(8);
  expect(draws).toBeLessThanOrEqual(13);
  const quiet = written();
  await clock.advance(1_000);
  expect(written().length - quiet.length).toBeLessThan(100); // the last count
});

test('without colors nothing is styled, and what steers a terminal is removed', async () => {
  const plain = startTerminal();
  const styled = startTerminal({ hasColors: true });
  for (const { terminal, settle } of [plain, styled]) {
    terminal.print([terminal.style('red', 'red'), '\u001b[31mred\u001b[0m \u001b[2Jno\u0007']);
    await settle();
  }
  expect(plain.written()).toContain('red\r\nred no\r\n');
  expect(styled.written()).toContain('\u001b[31mred\u001b[39m\r\n\u001b[31mred\u001b[0m [2Jno\r\n');
  expect(plain.written()).not.toContain('\u001b[31m');
});

test('Ctrl-O prints the whole of the last result', async () => {
  const { terminal, screen, press } = startTerminal();
  terminal.setExpansion(() => ['all', 'of it']);
  await press('\u000f');
  expect(screen.rows()).toEqual(['all', 'of it', '', 'you>']);
});

test('Ctrl-Z suspends the whole job with the modes set back, and the screen is drawn again when it goes on', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const { terminal, screen, press, modes, written, settle, input, clock } = startTerminal();
  terminal.setStatus(() => ['running']);
  await press('typed');
  const before = written().length;
  input.write('\u001a');
  await clock.advance(20);
  expect(kill).toHaveBeenCalledWith(0, 'SIGTSTP');
  expect(written().slice(before)).toContain('\u001b[?2004l');
  process.emit('SIGCONT');
  await settle();
  expect(modes).toEqual([true, false, true]);
  expect(screen.rows()).toEqual(['', 'running', 'you> typed']);
  await press('!');
  expect(screen.rows()).toEqual(['', 'running', 'you> typed!']);
});

test('its end leaves what was printed, sets the modes back, and later lines are plain', async () => {
  const { terminal, screen, press, modes, written, input, events } = startTerminal();
  terminal.setStatus(() => ['running']);
  await press('typed');
  terminal.print(['last words']);
  terminal.close();
  terminal.print(['bye']);
  await screen.settled();
  expect(screen.rows()[0]).toBe('last words');
  expect(modes).toEqual([true, false]);
  expect(written()).toMatch(/last words\n.*bye\n$/s);
  input.end();
  expect(events).toEqual([]);
});
