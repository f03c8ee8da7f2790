// A terminal of a chat for tests: its input and its screen are emulated, its clock is virtual.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createVirtualClock } from '../../../src/core/sources/virtual.ts';
import { InputHistory } from '../../../src/programs/terminal/input-history.ts';
import { LiveTerminal } from '../../../src/programs/terminal/live-terminal.ts';
import type { TerminalOutput } from '../../../src/programs/terminal/terminal-options.ts';
import { createEmulatedScreen } from '../../support/emulated-screen.ts';

interface StartOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly hasColors?: boolean;
  readonly state?: string;
}

/** A folder that is removed at the end of the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-terminal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A terminal with nothing on its screen but the input, closed at the end of the test. */
export function startTerminal({ columns = 80, rows = 24, hasColors = false, state = tempFolder() }: StartOptions = {}) {
  const clock = createVirtualClock(1_000_000);
  const screen = createEmulatedScreen(columns, rows);
  let written = '';
  const sink = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      written += text;
      screen.write(text);
      done();
    },
  });
  const output: TerminalOutput = Object.assign(sink, {
    columns,
    rows,
    hasColors: () => hasColors,
  });
  Object.defineProperty(output, 'columns', { get: () => screen.size().columns });
  Object.defineProperty(output, 'rows', { get: () => screen.size().rows });
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const events: string[] = [];
  let act = () => {};
  const terminal = new LiveTerminal(
    { input, output, clock, history: new InputHistory(join(state, 'history')), prompt: 'you> ', environment: {} },
    {
      onSubmit: (text) => {
        events.push(`said ${JSON.stringify(text)}`);
        act();
        return !text.includes('unsent');
      },
      onInterrupt: (hasText) => (hasText ? terminal.clearInput() : void events.push('interrupt')),
      onEscape: () => void events.push('escape'),
      onEndOfInput: () => void events.push('end'),
      onClosed: () => void events.push('closed'),
    },
  );
  onTestFinished(() => terminal.close());
  const settle = async () => {
    await clock.advance(300);
    await screen.settled();
  };
  return {
    terminal,
    screen,
    clock,
    modes,
    events,
    /** What else happens when a text is entered. */
    onSubmit(then: () => void) {
      act = then;
    },
    input,
    written: () => written,
    settle,
    async press(...keys: readonly string[]) {
      for (const key of keys) {
        input.write(key);
        await settle();
      }
    },
    async resize(columns: number) {
      screen.resize(columns, rows);
      output.emit('resize');
      await settle();
    },
  };
}
