// The Responses API of OpenAI, as a stand-in plays it: items of a stateless conversation must be whole, in their order, and its own.
import {
  type Dialect,
  deltas,
  type EndpointRefusal,
  fieldsNotIn,
  hangs,
  type Play,
  type SeenRequest,
} from './stand-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: items of a request, whose fields the rules look at
type Item = any;

const bodyFields = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'include',
  'reasoning',
  'text',
  'max_output_tokens',
  'temperature',
  'top_p',
  'store',
  'stream',
  'prompt_cache_key',
  'prompt_cache_options',
  'metadata',
];
const itemFields: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'id', 'role', 'content', 'status', 'phase'],
  reasoning: ['type', 'id', 'summary', 'encrypted_content'],
  function_call: ['type', 'id', 'call_id', 'name', 'arguments', 'status'],
  function_call_output: ['type', 'call_id', 'output'],
  web_search_call: ['type', 'id', 'status', 'action'],
};

/** Characters of the ids of items and of calls: can1357/oh-my-pi#284, decolua/9router#393. */
const maxIdChars = 64;

export interface ResponsesRules {
  /** Whether the ids of its items are longer than it takes back, as those of Codex models are. */
  readonly longIds?: boolean;
  /** Whether the model has reasoning; one without refuses to be asked for it. */
  readonly reasons?: boolean;
}

/** Returns the rules of the endpoint for one conversation. */
export function openAIResponses({ reasons = true, longIds = false }: ResponsesRules = {}): Dialect {
  const issued = new IssuedItems(longIds);
  return {
    basePath: '/v1',
    check: (request) => checkRequest(request, issued, reasons),
    errorBody: ({ status, message }) => ({
      error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param: null, code: null },
    }),
    pieces: (play) => responsePieces(play, issued),
  };
}

/** The items that the endpoint has made: each reasoning item belongs to the one after it. */
class IssuedItems {
  readonly encrypted = new Map<string, string>();
  /** From the id of a reasoning item to that of the item after it, and back. */
  readonly after = new Map<string, string>();
  readonly before = new Map<string, string>();
  readonly #idChars: number;
  #count = 0;

  constructor(areLong: boolean) {
    this.#idChars = areLong ? 416 : 8;
  }

  /** Returns the id of an item. */
  newId(prefix: string): string {
    return `${prefix}_${String(++this.#count).padStart(this.#idChars, '0')}`;
  }

  newCallId(): string {
    return `call_${String(++this.#count).padStart(8, '0')}`;
  }
}

const bad = (message: string, status = 400): EndpointRefusal => ({ status, message });

function checkRequest(
  { path, headers, body }: SeenRequest,
  issued: IssuedItems,
  reasons: boolean,
): EndpointRefusal | null {
  if (path !== '/v1/responses') return bad(`Invalid URL (POST ${path})`, 404);
  if (!headers.authorization?.startsWith('Bearer ')) return bad('You did not provide an API key.', 401);
  const [unknown] = fieldsNotIn(body, bodyFields);
  if (unknown) return bad(`Unknown parameter: '${unknown}'.`);
  if (body.store !== false) return bad('This stand-in allows no stored response.');
  if (!reasons && body.include?.includes('reasoning.encrypted_content'))
    return bad('Encrypted content is not supported with this model.');
  if (!reasons && body.reasoning?.summary)
    return bad("Unsupported parameter: 'reasoning.summary' is not supported with this model.");
  for (const tool of body.tools ?? []) {
    const refusal = checkTool(tool);
    if (refusal) return refusal;
  }
  return checkItems(body.input, issued);
}

function checkTool({ type, name, parameters, strict }: Item): EndpointRefusal | null {
  if (type === 'web_search') return null;
  if (type !== 'function') return bad(`Invalid value: '${type}'.`);
  if (!/^[\w-]{1,64}$/.test(name)) return bad(`Invalid 'tools[0].name': ${name}`);
  if (strict !== false && parameters.additionalProperties !== false)
    return bad(`Invalid schema for function '${name}': 'additionalProperties' is required to be false.`);
  return null;
}

function checkItems(items: readonly Item[], issued: IssuedItems): EndpointRefusal | null {
  const calls = new Map<string, boolean>();
  const ids = new Set<string>();
  for (const [i, item] of items.entries()) {
    const { type = 'message', id, call_id: callId } = item;
    const known = itemFields[type];
    if (!known) return bad(`Invalid value: '${type}'.`);
    const [unknown] = fieldsNotIn(item, known);
    if (unknown) return bad(`Unknown parameter: 'input[${i}].${unknown}'.`);
    for (const field of ['id', 'call_id'])
      if (item[field]?.length > maxIdChars)
        return bad(
          `Invalid 'input[${i}].${field}': string too long. Expected a string with maximum length ${maxIdChars}, but got a string with length ${item[field].length} instead.`,
        );
    // earendil-works/pi#5149
    if (id !== undefined && ids.has(id))
      return bad(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`);
    if (id !== undefined) ids.add(id);
    const refusal =
      type === 'reasoning' ? checkReasoning(item, items[i + 1], issued) : checkOwner(item, items[i - 1], issued);
    if (refusal) return refusal;
    if (type === 'message' && (item.content === '' || item.content?.length === 0))
      return bad(`Invalid 'input[${i}].content': empty.`);
    if (type === 'function_call') {
      if (calls.has(callId)) return bad(`Duplicate call_id '${callId}'.`);
      if (id !== undefined && !id.startsWith('fc_')) return bad(`Invalid 'input[${i}].id': '${id}'.`);
      calls.set(callId, false);
    }
    if (type === 'function_call_output') {
      if (!calls.has(callId)) return bad(`No tool call found for function call output with call_id ${callId}.`);
      calls.set(callId, true);
    }
  }
  const [open] = [...calls].filter(([, hasOutput]) => !hasOutput);
  return open ? bad(`No tool output found for function call ${open[0]}.`) : null;
}

function checkReasoning(
  { id, encrypted_content: content }: Item,
  next: Item,
  issued: IssuedItems,
): EndpointRefusal | null {
  if (!content)
    return bad(`Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`, 404);
  // an item of a stateless conversation may leave out its id
  const [owner] = [...issued.encrypted].find(([, encrypted]) => encrypted === content) ?? [];
  if (owner === undefined || (id !== undefined && id !== owner))
    return bad(`The encrypted content for item ${id} could not be verified.`);
  if (!next || (next.id !== undefined && next.id !== issued.after.get(owner)) || next.type === 'reasoning')
    return bad(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
  return null;
}

function checkOwner({ id, type }: Item, previous: Item, issued: IssuedItems): EndpointRefusal | null {
  const reasoning = issued.before.get(id);
  if (reasoning === undefined || previous?.id === reasoning) return null;
  if (previous?.encrypted_content === issued.encrypted.get(reasoning)) return null;
  return bad(`Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`);
}

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** Writes the items of one response. */
class ResponseWriter {
  readonly #play: Play;
  readonly #issued: IssuedItems;
  readonly output: Item[] = [];
  #reasoningId: string | null = null;

  constructor(play: Play, issued: IssuedItems) {
    this.#play = play;
    this.#issued = issued;
  }

  *reasoning(text: string): Generator<string | typeof hangs> {
    const id = this.#issued.newId('rs');
    const encrypted = `gAAA${id}`;
    yield this.#added({ type: 'reasoning', id, summary: [], encrypted_content: 'gAAAincomplete' });
    yield event('response.reasoning_summary_part.added', { output_index: this.output.length, summary_index: 0 });
    yield* deltas(text, this.#play.hang === 'reasoning', (delta) =>
      event('response.reasoning_summary_text.delta', { output_index: this.output.length, summary_index: 0, delta }),
    );
    this.#issued.encrypted.set(id, encrypted);
    yield this.#done({
      type: 'reasoning',
      id,
      summary: [{ type: 'summary_text', text }],
      encrypted_content: encrypted,
      status: 'completed',
    });
    this.#reasoningId = id;
  }

  *search(): Generator<string> {
    const id = this.#issued.newId('ws');
    yield this.#added({ type: 'web_search_call', id, status: 'in_progress' });
    yield event('response.web_search_call.searching', { output_index: this.output.length, item_id: id });
    this.#own(id);
    yield this.#done({
      type: 'web_search_call',
      id,
      status: 'completed',
      action: { type: 'search', queries: ['news'], query: 'news' },
    });
  }

  *message(text: string): Generator<string | typeof hangs> {
    const id = this.#issued.newId('msg');
    const isRefusal = this.#play.ends === 'refusal';
    const type = isRefusal ? 'response.refusal.delta' : 'response.output_text.delta';
    const phase = this.#play.calls ? 'commentary' : 'final_answer';
    yield this.#added({ type: 'message', id, role: 'assistant', status: 'in_progress', content: [], phase });
    yield* deltas(text, this.#play.hang === 'text', (delta) =>
      event(type, { output_index: this.output.length, delta }),
    );
    this.#own(id);
    const content = isRefusal ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
    yield this.#done({ type: 'message', id, role: 'assistant', status: 'completed', content: [content], phase });
  }

  *call(name: string, input: object, callId: string, isLast: boolean): Generator<string | typeof hangs> {
    const id = this.#issued.newId('fc');
    const item = { type: 'function_call', id, call_id: callId, name };
    const written = JSON.stringify(input);
    yield this.#added({ ...item, arguments: '', status: 'in_progress' });
    yield* deltas(written, isLast && this.#play.hang === 'arguments', (delta) =>
      event('response.function_call_arguments.delta', { output_index: this.output.length, delta }),
    );
    this.#own(id);
    yield this.#done({ ...item, arguments: written, status: 'completed' });
  }

  #added(item: Item): string {
    return event('response.output_item.added', { output_index: this.output.length, item });
  }

  #done(item: Item): string {
    const index = this.output.push(item) - 1;
    return event('response.output_item.done', { output_index: index, item });
  }

  #own(id: string): void {
    if (this.#reasoningId === null) return;
    this.#issued.after.set(this.#reasoningId, id);
    this.#issued.before.set(id, this.#reasoningId);
    this.#reasoningId = null;
  }
}

function* responsePieces(play: Play, issued: IssuedItems): Generator<string | typeof hangs> {
  const writer = new ResponseWriter(play, issued);
  const id = issued.newId('resp');
  yield event('response.created', {
    response: { id, object: 'response', model: 'gpt-6.1-terra-2026-05-01', status: 'in_progress', error: null },
  });
  if (play.reasoning !== undefined) yield* writer.reasoning(play.reasoning);
  if (play.hosted) yield* writer.search();
  if (play.text !== undefined) yield* writer.message(play.text);
  if (play.hang === 'after_text') yield hangs;
  const { calls = [] } = play;
  for (const [i, [name, input, callId = issued.newCallId()]] of calls.entries())
    yield* writer.call(name, input, callId, i === calls.length - 1);
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  };
  const response = { id, object: 'response', output: writer.output, error: null, usage };
  if (play.ends === 'error') {
    const error = { code: 'server_error', message: 'The server had an error.' };
    yield event('response.failed', { response: { ...response, status: 'failed', error } });
  } else if (play.ends === 'length' || play.ends === 'filter') {
    const reason = play.ends === 'length' ? 'max_output_tokens' : 'content_filter';
    yield event('response.incomplete', {
      response: { ...response, status: 'incomplete', incomplete_details: { reason } },
    });
  } else yield event('response.completed', { response: { ...response, status: 'completed' } });
}
