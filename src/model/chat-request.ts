// Translates a request of the runtime into the Chat Completions API.
import type OpenAI from 'openai';
import type { Message } from '../../machines/messages.ts';
import type { ModelRequest } from './provider.ts';

/** The body of the request, which asks for a stream with its usage. */
export function chatRequest(request: ModelRequest, defaultModel: string): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model: request.model ?? defaultModel,
    messages: request.messages.map(chatMessage),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...parameters } },
          })),
        }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function chatMessage(message: Message): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant':
      if (message.calls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.calls.map((call) => ({
          id: call.callId,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      };
  }
}
