// Makes whole responses of the endpoint before they are requested, so that making them costs no measured time.
import type { RawBody } from '../../src/programs/scripted/reply.ts';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

const usage =
  'data: {"id":"chatcmpl-bench","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}\n\n';
const end = `${usage}data: [DONE]\n\n`;

/** Returns a response of `tokens` chunks with five characters each. */
export const textReply = (tokens: number): RawBody => ({
  raw: chunk({ role: 'assistant', content: '' }) + chunk({ content: 'word ' }).repeat(tokens) + chunk({}, 'stop') + end,
});

/** Returns one response with all the tool calls. */
export const callsReply = (calls: readonly { readonly name: string; readonly arguments: object }[]): RawBody => ({
  raw:
    calls
      .map(({ name, arguments: written }, index) => ({
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(written) },
      }))
      .map((call) => chunk({ tool_calls: [call] }))
      .join('') +
    chunk({}, 'tool_calls') +
    end,
});
