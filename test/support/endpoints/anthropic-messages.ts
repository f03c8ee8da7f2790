// The Messages API of Anthropic, as a stand-in plays it: results right after their calls, and signed thinking before the calls of a turn.
import {
  type Dialect,
  deltas,
  type EndpointRefusal,
  fieldsNotIn,
  hangs,
  type Play,
  type SeenRequest,
} from './stand-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: blocks of a request, whose fields the rules look at
type Block = any;

const bodyFields = [
  'model',
  'max_tokens',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'metadata',
  'cache_control',
];
const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  image: ['type', 'source', 'cache_control'],
  document: ['type', 'source', 'title', 'context', 'citations', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  server_tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
  web_search_tool_result: ['type', 'tool_use_id', 'content', 'cache_control', 'caller'],
};
const maxCacheMarks = 4;

/** What the endpoint has signed. */
interface Signatures {
  /** The thinking of each. */
  readonly texts: Map<string, string>;
  /** By the id of a call: that of the thinking before it. */
  readonly ofCalls: Map<string, string>;
}

/** Returns the rules of the endpoint for one conversation. */
export function anthropicMessages(): Dialect {
  const signatures: Signatures = { texts: new Map(), ofCalls: new Map() };
  let count = 0;
  return {
    basePath: '/v1',
    check: (request) => checkRequest(request, signatures),
    errorBody: ({ status, message }) => ({
      type: 'error',
      error: { type: status === 401 ? 'authentication_error' : 'invalid_request_error', message },
    }),
    pieces: (play, { body }) => messagePieces(withThinking(play, body), signatures, (prefix) => `${prefix}_${++count}`),
  };
}

const bad = (message: string, status = 400): EndpointRefusal => ({ status, message });

function checkRequest({ path, headers, body }: SeenRequest, signatures: Signatures): EndpointRefusal | null {
  if (path !== '/v1/messages') return bad(`Not found: ${path}`, 404);
  if (!headers['x-api-key']) return bad('x-api-key header is required', 401);
  if (!headers['anthropic-version']) return bad('anthropic-version: header is required');
  const [unknown] = fieldsNotIn(body, bodyFields);
  if (unknown) return bad(`${unknown}: Extra inputs are not permitted`);
  if (!body.max_tokens) return bad('max_tokens: Field required');
  if (body.thinking?.budget_tokens >= body.max_tokens)
    return bad('`max_tokens` must be greater than `thinking.budget_tokens`.');
  for (const [i, tool] of (body.tools ?? []).entries()) {
    const refusal = checkTool(tool, `tools.${i}.custom`);
    if (refusal) return refusal;
  }
  const names = (body.tools ?? []).map(({ name }: Block) => name);
  if (new Set(names).size < names.length) return bad('tools: Tool names must be unique.');
  if (body.thinking && body.temperature !== undefined && body.temperature !== 1)
    return bad('`temperature` may only be set to 1 when thinking is enabled.');
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (marks > maxCacheMarks)
    return bad(`A maximum of ${maxCacheMarks} blocks with cache_control may be provided. Found ${marks}.`);
  return checkMessages(body, signatures);
}

function checkTool({ type = 'custom', name, input_schema: schema }: Block, at: string): EndpointRefusal | null {
  if (type !== 'custom') return null;
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
    return bad(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (schema?.type !== 'object') return bad(`${at}.input_schema.type: Field required`);
  return null;
}

const blocksOf = ({ content }: Block): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function checkMessages(body: Block, signatures: Signatures): EndpointRefusal | null {
  const { messages } = body;
  if (messages[0]?.role !== 'user') return bad('messages: first message must use the "user" role');
  if (messages.at(-1).role === 'assistant')
    return bad('This model does not support assistant message prefill. The conversation must end with a user message.');
  const ids = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) return bad(`messages.${i}: all messages must have non-empty content`);
    for (const [j, block] of blocks.entries()) {
      const refusal = checkBlock(block, `messages.${i}.content.${j}`, signatures);
      if (refusal) return refusal;
      if (block.type !== 'tool_use') continue;
      if (ids.has(block.id)) return bad(`messages.${i}.content.${j}: \`tool_use\` ids must be unique`);
      ids.add(block.id);
    }
    const refusal = checkResults(messages, i);
    if (refusal) return refusal;
  }
  if (ids.size > 0 && !body.tools)
    return bad('Requests which include `tool_use` or `tool_result` blocks must define tools.');
  const refusal = body.thinking ? checkLatestThinking(messages, signatures) : null;
  return refusal ?? (body.thinking?.type === 'enabled' ? checkThinking(messages) : null);
}

function checkBlock(block: Block, at: string, { texts }: Signatures): EndpointRefusal | null {
  const known = blockFields[block.type];
  if (!known) return bad(`${at}: Input tag '${block.type}' found using 'type' does not match any of the expected tags`);
  const [unknown] = fieldsNotIn(block, known);
  if (unknown) return bad(`${at}.${block.type}.${unknown}: Extra inputs are not permitted`);
  if (block.type === 'text' && block.text === '') return bad('messages: text content blocks must be non-empty');
  if (block.type === 'text' && block.text.trim() === '')
    return bad('messages: text content blocks must contain non-whitespace text');
  if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(block.id))
    return bad(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (block.type === 'tool_use' && (typeof block.input !== 'object' || block.input === null))
    return bad(`${at}.tool_use.input: Input should be a valid dictionary`);
  if (block.type === 'thinking' && !block.signature) return bad(`${at}.thinking.signature: Field required`);
  if (block.type === 'thinking' && texts.get(block.signature) !== block.thinking)
    return bad(`${at}: Invalid \`signature\` in \`thinking\` block`);
  return null;
}

/** The results of the calls of a message are in the next one, and nowhere else. */
function checkResults(messages: readonly Block[], i: number): EndpointRefusal | null {
  const called = new Set(blocksOf(messages[i]).flatMap(({ type, id }) => (type === 'tool_use' ? id : [])));
  const next = messages[i + 1];
  const results = next ? blocksOf(next).filter(({ type }) => type === 'tool_result') : [];
  const missing = [...called].filter((id) => !results.some(({ tool_use_id: of }) => of === id));
  if (messages[i].role === 'assistant' && missing.length > 0)
    return bad(
      `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`,
    );
  const twice = results.find(({ tool_use_id: of }, j) => results.findIndex((each) => each.tool_use_id === of) < j);
  if (twice)
    return bad(
      `messages.${i + 1}.content.0: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice.tool_use_id}`,
    );
  const [stray] = results.filter(({ tool_use_id: of }) => !called.has(of));
  if (stray)
    return bad(
      `messages.${i + 1}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.tool_use_id}.`,
    );
  const [first] = next ? blocksOf(next) : [];
  return results.length > 0 && first.type !== 'tool_result'
    ? bad(`messages.${i + 1}: \`tool_result\` blocks must come first in the content.`)
    : null;
}

/** The thinking of the latest response goes back as it came, and first: anthropics/claude-code#63284. */
function checkLatestThinking(messages: readonly Block[], { ofCalls }: Signatures): EndpointRefusal | null {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const blocks = at < 0 ? [] : blocksOf(messages[at]);
  const thinking = blocks.filter(({ type }) => type === 'thinking');
  if (thinking.length === 0) return null;
  if (blocks[0].type !== 'thinking')
    return bad(
      `messages.${at}.content.0.type: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${blocks[0].type}\`.`,
    );
  const [signed] = blocks.flatMap(({ id }) => ofCalls.get(id) ?? []);
  return signed === undefined || (thinking.length === 1 && thinking[0].signature === signed)
    ? null
    : bad(
        `messages.${at}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
}

/** Refuses messages of a model that always thinks, if the first response of the current turn does not begin with its thinking. The turn starts with the last words of the user. */
function checkThinking(messages: readonly Block[]): EndpointRefusal | null {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && !blocksOf(message).some(({ type }) => type === 'tool_result'),
  );
  const answer = messages[start + 1];
  if (!answer) return null;
  const [first] = blocksOf(answer);
  if (first.type === 'thinking' || first.type === 'redacted_thinking') return null;
  return bad(
    `messages.${start + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

/** Adds thinking at the start of a turn, for a model that always thinks. */
function withThinking(play: Play, { thinking, messages }: Block): Play {
  const isStart = !blocksOf(messages.at(-1)).some(({ type }) => type === 'tool_result');
  return thinking?.type === 'enabled' && isStart ? { reasoning: 'Hm.', ...play } : play;
}

const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

type Pieces = Iterable<string | typeof hangs>;

/** Yields a block: its start, its deltas, and its end. */
function* block(
  index: number,
  start: object,
  write: (delta: (fields: object) => string) => Pieces = () => [],
): Generator<string | typeof hangs> {
  yield event('content_block_start', { index, content_block: start });
  yield* write((fields) => event('content_block_delta', { index, delta: fields }));
  yield event('content_block_stop', { index });
}

function* messagePieces(
  play: Play,
  signatures: Signatures,
  newId: (prefix: string) => string,
): Generator<string | typeof hangs> {
  const usage = { input_tokens: 40, cache_read_input_tokens: 50, cache_creation_input_tokens: 10, output_tokens: 1 };
  const message = { id: newId('msg'), type: 'message', role: 'assistant', model: 'claude', content: [], usage };
  yield event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } });
  yield event('ping');
  let index = 0;
  const { reasoning, text, hang } = play;
  const calls = (play.calls ?? []).map(([name, input, id = newId('toolu')]) => [name, input, id] as const);
  if (reasoning !== undefined) {
    const signature = newId('signature');
    signatures.texts.set(signature, reasoning);
    for (const [, , id] of calls) signatures.ofCalls.set(id, signature);
    yield* block(index++, { type: 'thinking', thinking: '', signature: '' }, (delta) => [
      ...deltas(reasoning, hang === 'reasoning', (thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature }),
    ]);
  }
  if (play.hosted) {
    const id = newId('srvtoolu');
    yield* block(index++, { type: 'server_tool_use', id, name: 'web_search', input: {} }, (delta) => [
      delta({ type: 'input_json_delta', partial_json: '{"query":"news"}' }),
    ]);
    const found = { type: 'web_search_result', url: 'https://example.org', title: 'News', encrypted_content: 'x' };
    const content = [{ ...found, page_age: null }];
    yield* block(index++, { type: 'web_search_tool_result', tool_use_id: id, content });
  }
  if (text !== undefined)
    yield* block(index++, { type: 'text', text: '' }, (delta) =>
      deltas(text, hang === 'text', (piece) => delta({ type: 'text_delta', text: piece })),
    );
  if (hang === 'after_text') yield hangs;
  for (const [i, [name, input, id]] of calls.entries()) {
    const isHanging = hang === 'arguments' && i === calls.length - 1;
    yield* block(index++, { type: 'tool_use', id, name, input: {} }, (delta) =>
      deltas(JSON.stringify(input), isHanging, (json) => delta({ type: 'input_json_delta', partial_json: json })),
    );
  }
  if (play.ends === 'error') {
    yield event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
    return;
  }
  const reasons = { length: 'max_tokens', filter: 'refusal', refusal: 'refusal' } as const;
  const reason = play.ends ? reasons[play.ends] : play.calls ? 'tool_use' : 'end_turn';
  yield event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  yield event('message_stop');
}
