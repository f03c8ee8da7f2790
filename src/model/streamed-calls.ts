// Assembles the tool calls of a response from the fragments of its stream.
//
// 1. A call is whole when a later one has started or a finish reason has arrived. Where the fragments of several calls come mixed, the
//    start of a later one says nothing, and only the finish does.
import type { MessageCall } from '../../machines/messages.ts';
import { fieldsOf, type UntrustedFields } from '../collections/untrusted-fields.ts';
import { OverLimit, responseLimits } from './response-limits.ts';

interface OpenCall {
  readonly index: number | null;
  id: string;
  name: string;
  arguments: string;
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

  /** Throws `OverLimit`. */
  addFragment(fragment: UntrustedFields): void {
    const call = this.#callOf(fragment);
    this.#isMixed ||= call !== this.#calls.at(-1);
    this.#current = call;
    const { name, arguments: text } = fieldsOf(fragment['function']);
    if (call.name === '' && typeof name === 'string') call.name = name;
    if (typeof text !== 'string') return;
    this.#argumentsChars += text.length;
    if (this.#argumentsChars > responseLimits.maxArgumentsChars) throw new OverLimit('maxArgumentsChars');
    call.arguments += text;
  }

  wholeCalls(isFinished: boolean): readonly MessageCall[] {
    const whole = isFinished ? this.#calls : this.#isMixed ? [] : this.#calls.slice(0, -1);
    return whole.map((call, i) => ({ callId: call.id || `call_${i}`, name: call.name, arguments: call.arguments }));
  }

  /** Some endpoints send no index, or the same one for every call: then a new id marks a new call. */
  #callOf(fragment: UntrustedFields): OpenCall {
    const id = typeof fragment['id'] === 'string' ? fragment['id'] : '';
    const index = typeof fragment['index'] === 'number' ? fragment['index'] : null;
    const known = index === null ? this.#current : this.#calls.findLast((call) => call.index === index);
    if (known && (id === '' || known.id === '' || known.id === id)) {
      if (known.id === '') known.id = id;
      return known;
    }
    if (this.#calls.length >= responseLimits.maxCalls) throw new OverLimit('maxCalls');
    const call: OpenCall = { index, id, name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }
}
