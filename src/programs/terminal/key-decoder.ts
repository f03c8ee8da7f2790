// Decodes the input of a terminal in raw mode: text, keys with their modifiers, and pasted text as one event.
//
// It knows the sequences of xterm, of the Linux console, and of terminals that name each key by its number (`CSI … u`, as kitty's protocol does).

export interface Key {
  readonly kind: 'key';
  /** A name like `enter` or `left`, or the character of a key with Ctrl or Alt, in lower case. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** `text`: one or more typed characters. `paste`: all of a paste, with line feeds between its lines. */
export type TerminalInput = Key | { readonly kind: 'text' | 'paste'; readonly text: string };

const esc = '\u001b';
const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;

const named: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'backtab',
  M: 'enter', // of the number pad
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'pageup',
  '6~': 'pagedown',
  '7~': 'home',
  '8~': 'end',
};
const numbered: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57414: 'enter', // of the number pad
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences start with a control character
const sequence = /^\u001b(?:\[([0-9;:<=>?]*)([ -/]*)([@-~])|O([@-~]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const unfinished = /^\u001b(?:\[[0-9;:<=>?]*[ -/]*|O)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: text is what is no control character
const plainText = /^[^\u0000-\u001f\u007f]+/;

const keyOf = (name: string, { ctrl = false, alt = false, shift = false } = {}): Key => ({
  kind: 'key',
  name,
  ctrl,
  alt,
  shift,
});

export class KeyDecoder {
  #rest = '';
  /** The text of a paste that has not ended. */
  #pasted: string | null = null;

  /** Whether the input so far ends in the middle of a sequence, or with an Escape that may begin one: `flush` decides. */
  get isWaiting(): boolean {
    return this.#rest !== '' && this.#pasted === null;
  }

  /** Decodes the next piece of input. */
  decode(chunk: string): readonly TerminalInput[] {
    this.#rest += chunk;
    const found: TerminalInput[] = [];
    for (let one = this.#next(); one !== null; one = this.#next()) if (one !== 'nothing') found.push(one);
    return found;
  }

  /** No more input has come for a while: an Escape at the end is the key. */
  flush(): readonly TerminalInput[] {
    if (!this.isWaiting) return [];
    const rest = this.#rest;
    this.#rest = '';
    if (rest === esc) return [keyOf('escape')];
    return rest === `${esc}[` || rest === `${esc}O` ? [keyOf(rest.slice(1).toLowerCase(), { alt: true })] : [];
  }

  /** Reads the next input of the rest; null: the rest is empty or not complete. */
  #next(): TerminalInput | 'nothing' | null {
    if (this.#rest === '') return null;
    if (this.#pasted !== null) return this.#continuePaste();
    const [text] = plainText.exec(this.#rest) ?? [];
    if (text !== undefined) {
      this.#rest = this.#rest.slice(text.length);
      return { kind: 'text', text };
    }
    if (this.#rest.startsWith(esc)) return this.#nextSequence();
    const control = this.#rest.charCodeAt(0);
    this.#rest = this.#rest.slice(1);
    return controlKey(control);
  }

  #continuePaste(): TerminalInput | null {
    const all = (this.#pasted ?? '') + this.#rest;
    const end = all.indexOf(pasteEnd);
    if (end === -1) {
      this.#pasted = all;
      this.#rest = '';
      return null;
    }
    this.#pasted = null;
    this.#rest = all.slice(end + pasteEnd.length);
    return { kind: 'paste', text: all.slice(0, end).replace(/\r\n?/g, '\n') };
  }

  #nextSequence(): TerminalInput | 'nothing' | null {
    const rest = this.#rest;
    if (rest.startsWith(pasteStart)) {
      this.#rest = rest.slice(pasteStart.length);
      this.#pasted = '';
      return 'nothing';
    }
    const match = sequence.exec(rest);
    if (match) {
      this.#rest = rest.slice(match[0].length);
      const [, parameters = '', , final = '', short] = match;
      return short === undefined ? sequenceKey(parameters, final) : sequenceKey('', short);
    }
    if (unfinished.test(rest)) return null;
    if (rest.startsWith(`${esc}${esc}`)) {
      this.#rest = rest.slice(1);
      return keyOf('escape');
    }
    return this.#nextAltKey(rest);
  }

  /** A key with Alt is the key after an Escape. */
  #nextAltKey(rest: string): TerminalInput {
    const [character = ''] = rest.slice(1);
    this.#rest = rest.slice(1 + character.length);
    const code = character.charCodeAt(0);
    if (code >= 32 && code !== 127) return keyOf(character.toLowerCase(), { alt: true });
    const key = controlKey(code);
    return key === 'nothing' ? keyOf('escape') : { ...key, alt: true };
  }
}

function controlKey(code: number): Key | 'nothing' {
  if (code === 13) return keyOf('enter');
  if (code === 9) return keyOf('tab');
  if (code === 8 || code === 127) return keyOf('backspace');
  if (code === 0) return keyOf(' ', { ctrl: true });
  if (code <= 26) return keyOf(String.fromCharCode(code + 96), { ctrl: true });
  return code === 31 ? keyOf('_', { ctrl: true }) : 'nothing';
}

const modifiersOf = (parameter: string | undefined) => {
  const bits = Number.parseInt(parameter ?? '1', 10) - 1 || 0;
  return { shift: (bits & 1) > 0, alt: (bits & 2) > 0, ctrl: (bits & 4) > 0 };
};

function sequenceKey(parameters: string, final: string): TerminalInput | 'nothing' {
  const [first = '', second, third] = parameters.split(';');
  // CSI 27 ; modifiers ; code ~ (xterm's modifyOtherKeys) and CSI code ; modifiers u
  if (final === '~' && first === '27' && third !== undefined) return numberedKey(third, second);
  if (final === 'u') return numberedKey(first, second);
  const name = named[final === '~' ? `${first}~` : final];
  return name === undefined ? 'nothing' : keyOf(name, modifiersOf(second));
}

function numberedKey(code: string, modifiers: string | undefined): TerminalInput | 'nothing' {
  const number = Number.parseInt(code, 10);
  const pressed = modifiersOf(modifiers);
  const name = numbered[number];
  if (name !== undefined) return keyOf(name, pressed);
  if (!(number >= 32 && number <= 0x10ffff) || (number >= 0xe000 && number <= 0xf8ff)) return 'nothing';
  const character = String.fromCodePoint(number);
  if (pressed.ctrl || pressed.alt) return keyOf(character.toLowerCase(), pressed);
  return { kind: 'text', text: pressed.shift ? character.toUpperCase() : character };
}
