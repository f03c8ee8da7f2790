// Assembles the tool calls of a response from the fragments of its stream.
//
// 1. A call is whole when a later one has started or a finish reason has arrived. Where the fragments of several calls come mixed, the
//    start of a later one says nothing, and only the finish does.
// 2. A fragment belongs to the call of its index, or of its id where it has none. Where every call has the same index, a name starts a call,
//    unless it repeats the name of a call whose arguments are still arriving.
import type { Json, MessageCall } from '../../../../machines/messages.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/fields.ts';
import type { CallInputPiece } from '../../../core/contracts/provider.ts';
import { OverLimit, responseLimits } from '../response-limits.ts';

interface OpenCall {
  readonly index: number | null;
  id: string;
  name: string;
  arguments: string;
  /** Fields that go back with the call. */
  state: Readonly<Record<string, Json>>;
}

/** A fragment, read. */
interface Fragment {
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Whether the arguments came as JSON and not as text: then they are all of them. */
  readonly isWholeValue: boolean;
  /** Whether another fragment stands before it in the same chunk. */
  readonly isLater: boolean;
}

/** The calls of one response, in the order in which they started. */
export class StreamedCalls {
  readonly #calls: OpenCall[] = [];
  #current: OpenCall | undefined;
  #isMixed = false;
  #argumentsChars = 0;

  /** Characters of all names and arguments so far. */
  get chars(): number {
    return this.#argumentsChars + this.#calls.reduce((sum, call) => sum + call.name.length, 0);
  }

  /** Adds the fragments of one chunk. Returns what they add to the calls. `stateNames`: fields of a call that go back with it. Throws `OverLimit`. */
  addFragments(fragments: readonly unknown[], stateNames: readonly string[]): readonly CallInputPiece[] {
    return fragments.map((each, i) => this.#addFragment(fieldsOf(each), i > 0, stateNames));
  }

  /** Adds calls that have come whole. Throws `OverLimit`. */
  addWhole(calls: readonly unknown[], stateNames: readonly string[]): readonly CallInputPiece[] {
    return calls.map((each) => this.#addFragment({ ...fieldsOf(each), index: this.#calls.length }, false, stateNames));
  }

  wholeCalls(isFinished: boolean): readonly MessageCall[] {
    const whole = isFinished ? this.#calls : this.#isMixed ? [] : this.#calls.slice(0, -1);
    return whole.map(({ id, name, arguments: written }, i) => ({
      callId: id || `call_${i}`,
      name,
      arguments: unwrapped(written),
    }));
  }

  /** Whether the arguments of the last call are not the whole text of a JSON value. */
  get endsWithinCall(): boolean {
    const written = this.#calls.at(-1)?.arguments ?? '';
    return written !== '' && !isWholeJson(written);
  }

  /** The fields that go back with each call, in their order. */
  states(): readonly Readonly<Record<string, Json>>[] {
    return this.#calls.map(({ state }) => state);
  }

  #addFragment(fields: UntrustedFields, isLater: boolean, stateNames: readonly string[]): CallInputPiece {
    const fragment = readFragment(fields, isLater);
    const call = this.#callOf(fragment);
    this.#isMixed ||= call !== this.#calls.at(-1);
    this.#current = call;
    if (call.name === '') call.name = fragment.name;
    for (const name of stateNames) {
      // it was read from JSON text
      if (fields[name] != null) call.state = { ...call.state, [name]: fields[name] as Json };
    }
    const text = addArguments(call, fragment);
    this.#argumentsChars += text.length;
    if (this.#argumentsChars > responseLimits.maxArgumentsChars) throw new OverLimit('maxArgumentsChars');
    return { position: this.#calls.indexOf(call), name: call.name, text };
  }

  #callOf(fragment: Fragment): OpenCall {
    const { index, id, name } = fragment;
    const known = this.#knownCall(fragment);
    if (known && !startsCall(fragment, known)) {
      if (known.id === '') known.id = id;
      return known;
    }
    if (this.#calls.length >= responseLimits.maxCalls) throw new OverLimit('maxCalls');
    const call: OpenCall = { index, id, name, arguments: '', state: {} };
    this.#calls.push(call);
    return call;
  }

  #knownCall({ index, id }: Fragment): OpenCall | undefined {
    if (index !== null) return this.#calls.findLast((call) => call.index === index);
    return (id === '' ? undefined : this.#calls.findLast((call) => call.id === id)) ?? this.#current;
  }
}

/** Returns whether a fragment starts a call, although it has the index or the place of one that is known. */
function startsCall({ id, index, name, isLater, ...fragment }: Fragment, known: OpenCall): boolean {
  if (id !== '' && id === known.id) return false;
  const isOtherId = id !== '' && known.id !== '';
  if (name === '') return isOtherId && index === null; // some endpoints make a new id for each fragment
  if (name !== known.name) return isOtherId || known.name !== '';
  // the same name: another call of that tool, or an endpoint that repeats the name with each fragment
  if (isLater && index === null) return true;
  if (known.arguments === '') return isOtherId;
  const mayStart = isOtherId || fragment.arguments.trimStart().startsWith('{');
  return mayStart && isWholeJson(known.arguments) && (isOtherId || known.arguments !== '{}');
}

/** Some endpoints send the index or the id as another type, the arguments as JSON, or the name beside them. */
function readFragment(fields: UntrustedFields, isLater: boolean): Fragment {
  const { id, index } = fields;
  const { name, arguments: value } = fieldsOf(fields['function'] ?? fields);
  const written = value ?? fieldsOf(fields['function'])['parameters'];
  const isText = written === undefined || written === null || typeof written === 'string';
  return {
    index: index === undefined || index === null || index === '' ? null : Number(index),
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : '',
    name: typeof name === 'string' ? name : '',
    arguments: isText ? (written ?? '') : JSON.stringify(written),
    isWholeValue: !isText,
    isLater,
  };
}

/** Adds the arguments of a fragment to its call. Returns what they add; empty if they repeat what is there. */
function addArguments(call: OpenCall, { arguments: text, isWholeValue }: Fragment): string {
  const before = call.arguments;
  if (before === '' || text === '') {
    call.arguments += text;
    return text;
  }
  if (text === before && isWholeJson(before)) return ''; // some endpoints repeat a whole call in their last chunk
  const isPlaceholder = before === '{}' && text.trimStart().startsWith('{'); // some start with empty arguments
  const isReplaced = isPlaceholder || (isWholeValue && isWholeJson(before));
  call.arguments = isReplaced ? text : before + text;
  return text;
}

function isWholeJson(text: string): boolean {
  if (!/[}\]"]\s*$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the arguments; of those that were encoded twice, the text inside. */
function unwrapped(text: string): string {
  if (!/^\s*"/.test(text)) return text;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === 'string' && /^\s*\{/.test(inner) && isWholeJson(inner) ? inner : text;
  } catch {
    return text;
  }
}
