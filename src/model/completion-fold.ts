// The fold over the chunks of a streamed chat completion: text as it comes, calls when they are whole, usage. Trusts nothing.
//
// 1. Only the first choice counts; an endpoint may send several.
// 2. A call is whole when a later one has begun or a finish reason has arrived. Where the fragments of several calls come
//    mixed, the beginning of a later one says nothing, and only the finish does.
// 3. Nothing that an endpoint sends makes the fold throw, apart from what is over a limit.
import type { Usage } from '../../machines/vocabulary.ts';
import type { MessageCall } from './provider.ts';
import { limits, OverLimit } from './response-limits.ts';

interface OpenCall {
  index: number | null;
  id: string;
  name: string;
  arguments: string;
}

export interface Fold {
  /** The piece of text that the chunk brings, perhaps empty. Throws `OverLimit`. */
  add(chunk: unknown): string;
  /** Why the model stopped; null while it has not. */
  readonly finish: string | null;
  /** Something has come that is a chunk of a chat completion. */
  readonly begun: boolean;
  /** Characters generated so far, shown or not. */
  readonly chars: number;
  /** What the provider said last about the tokens of this call; null: nothing, or only zeros. */
  readonly usage: Usage | null;
  /** The calls that are whole by now, in the order in which they began. */
  whole(): readonly MessageCall[];
}

export function createFold(): Fold {
  const calls: OpenCall[] = [];
  let current: OpenCall | null = null;
  let mixed = false;
  let finish: string | null = null;
  let begun = false;
  let textChars = 0;
  let argumentsChars = 0;
  let hiddenChars = 0;
  let usage: Usage | null = null;

  const addFragment = (fragment: Fields): void => {
    const call = findCall(fragment);
    mixed ||= call !== calls.at(-1);
    current = call;
    const { name, arguments: text } = fieldsOf(fragment['function']);
    if (call.name === '' && typeof name === 'string') call.name = name;
    if (typeof text !== 'string') return;
    argumentsChars += text.length;
    if (argumentsChars > limits.maxArgumentsChars) throw new OverLimit('maxArgumentsChars');
    call.arguments += text;
  };

  /** The call that a fragment belongs to. Some endpoints send no index, or the same one for every call: then a new id tells. */
  const findCall = (fragment: Fields): OpenCall => {
    const id = typeof fragment['id'] === 'string' ? fragment['id'] : '';
    const index = typeof fragment['index'] === 'number' ? fragment['index'] : null;
    const known = index === null ? current : calls.findLast((call) => call.index === index);
    if (known && (id === '' || known.id === '' || known.id === id)) {
      if (known.id === '') known.id = id;
      return known;
    }
    if (calls.length >= limits.maxCalls) throw new OverLimit('maxCalls');
    const call: OpenCall = { index, id, name: '', arguments: '' };
    calls.push(call);
    return call;
  };

  return {
    add(chunk) {
      const fields = fieldsOf(chunk);
      usage = usageOf(fields['usage']) ?? usage;
      if (!Array.isArray(fields['choices'])) return '';
      begun = true;
      const choice = fieldsOf(fields['choices'].find((each) => (fieldsOf(each)['index'] ?? 0) === 0));
      const delta = fieldsOf(choice['delta']);
      for (const fragment of Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : [])
        addFragment(fieldsOf(fragment));
      for (const hidden of [delta['reasoning_content'], delta['reasoning']]) {
        if (typeof hidden === 'string') hiddenChars += hidden.length;
      }
      // some endpoints send an empty one with every chunk
      if (typeof choice['finish_reason'] === 'string') finish = choice['finish_reason'] || finish;
      const text = [delta['content'], delta['refusal']].filter((piece) => typeof piece === 'string').join('');
      textChars += text.length;
      if (textChars > limits.maxTextChars) throw new OverLimit('maxTextChars');
      return text;
    },
    get finish() {
      return finish;
    },
    get begun() {
      return begun;
    },
    get chars() {
      return textChars + argumentsChars + hiddenChars + calls.reduce((sum, call) => sum + call.name.length, 0);
    },
    get usage() {
      return usage;
    },
    whole() {
      const whole = finish !== null ? calls : mixed ? [] : calls.slice(0, -1);
      return whole.map((call, i) => ({ callId: call.id || `call_${i}`, name: call.name, arguments: call.arguments }));
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Some endpoints send a usage of zeros with every chunk but the last. */
function usageOf(value: unknown): Usage | null {
  const { prompt_tokens: input, completion_tokens: output } = fieldsOf(value);
  if (typeof input !== 'number' || typeof output !== 'number' || input + output === 0) return null;
  return { kind: 'exact', input, output };
}
