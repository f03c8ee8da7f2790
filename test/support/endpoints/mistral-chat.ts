// The Chat Completions API of Mistral, as a stand-in plays it: ids of nine letters and digits, and roles in their order.
import {
  type Dialect,
  deltas,
  type EndpointRefusal,
  fieldsNotIn,
  hangs,
  type Play,
  type SeenRequest,
} from './stand-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages of a request, whose fields the rules look at
type ChatMessage = any;

const bodyFields = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'response_format',
  'parallel_tool_calls',
  'safe_prompt',
  'prompt_mode',
  'reasoning_effort',
];
const messageFields: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
};

/** Returns the rules of the endpoint. */
export function mistralChat(): Dialect {
  let count = 0;
  return {
    basePath: '/v1',
    check: checkRequest,
    errorBody: ({ message }) => ({ object: 'error', message, type: 'invalid_request_error', code: null }),
    pieces: (play) => chunks(play, () => `a${String(++count).padStart(8, '0')}`),
  };
}

const bad = (message: string, status = 400): EndpointRefusal => ({ status, message });

function checkRequest({ path, headers, body }: SeenRequest): EndpointRefusal | null {
  if (path !== '/v1/chat/completions') return bad('no Route matched with those values', 404);
  if (!headers.authorization?.startsWith('Bearer ')) return bad('Unauthorized', 401);
  const [unknown] = fieldsNotIn(body, bodyFields);
  if (unknown) return bad(`body.${unknown}: Extra inputs are not permitted`, 422);
  return checkMessages(body.messages);
}

/** Which roles may follow which. */
const mayFollow: Readonly<Record<string, readonly string[]>> = {
  system: ['user', 'assistant'],
  user: ['assistant'],
  assistant: ['user', 'tool'],
  tool: ['assistant', 'tool'],
};

function checkMessages(messages: readonly ChatMessage[]): EndpointRefusal | null {
  let open: string[] = [];
  for (const [i, message] of messages.entries()) {
    const { role, content, tool_calls: calls = [] } = message;
    const previous = messages[i - 1]?.role;
    const [unknown] = fieldsNotIn(message, messageFields[role] ?? []);
    if (unknown) return bad(`messages.${i}.${unknown}: Extra inputs are not permitted`, 422);
    if (previous && !mayFollow[previous]?.includes(role))
      return bad(`Unexpected role '${role}' after role '${previous}'`);
    if (role !== 'tool' && open.length > 0) return bad('Not the same number of function calls and responses');
    if (role === 'assistant' && !content?.length && calls.length === 0)
      return bad('Assistant message must have either content or tool_calls, but not none.');
    const ids = calls.map(({ id }: ChatMessage) => id);
    if (new Set(ids).size < ids.length) return bad('Duplicate tool call id in assistant message');
    for (const { id } of calls)
      if (!/^[a-zA-Z0-9]{9}$/.test(id))
        return bad(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
    if (role === 'tool' && !open.includes(message.tool_call_id)) return bad('Unexpected tool call id in tool results');
    open = role === 'tool' ? open.filter((id) => id !== message.tool_call_id) : calls.map(({ id }: ChatMessage) => id);
  }
  const last = messages.at(-1)?.role;
  return last === 'user' || last === 'tool' ? null : bad(`Expected last role User or Tool for serving but got ${last}`);
}

const chunk = (delta: object, more: object = {}, usage?: object): string =>
  `data: ${JSON.stringify({
    id: 'cmpl',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'mistral',
    choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null, ...more }],
    ...(usage && { usage }),
  })}\n\n`;

function* chunks(play: Play, newId: () => string): Generator<string | typeof hangs> {
  if (play.reasoning !== undefined)
    yield* deltas(play.reasoning, play.hang === 'reasoning', (text) =>
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }),
    );
  if (play.text !== undefined) yield* deltas(play.text, play.hang === 'text', (content) => chunk({ content }));
  if (play.calls && play.hang === 'arguments') yield hangs; // calls come whole, all at once
  if (play.ends === 'error') {
    yield `data: ${JSON.stringify({ object: 'error', message: 'Service unavailable.', type: 'service_unavailable' })}\n\n`;
    return;
  }
  const calls = (play.calls ?? []).map(([name, input, id = newId()], index) => ({
    id,
    index,
    function: { name, arguments: JSON.stringify(input) },
  }));
  const reasons = { length: 'length', filter: 'error', refusal: 'stop' } as const;
  const reason = play.ends ? reasons[play.ends] : calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  yield chunk(
    calls.length > 0 ? { content: '', tool_calls: calls } : { content: '' },
    { finish_reason: reason },
    usage,
  );
  yield 'data: [DONE]\n\n';
}
