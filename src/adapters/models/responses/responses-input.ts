// Translates the messages of a request into the input items of the Responses API.
import type OpenAI from 'openai';
import type { LoadedPart } from '../../../../machines/content.ts';
import { toDataUrl } from '../data-url.ts';
import { callIdsFor } from '../endpoint-ids.ts';
import type { ResolvedMessage } from '../resolve-media.ts';
import { itemsFromState, type StateItem } from './responses-state.ts';

/** One that the endpoint has made is sent back as it came. */
type InputItem = OpenAI.Responses.ResponseInputItem | StateItem;
type InputContent =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage
  | OpenAI.Responses.ResponseInputFile;

export interface ResponsesInput {
  /** The system message; empty: there is none. */
  readonly instructions: string;
  readonly input: readonly InputItem[];
}

/** Translates the messages. A call whose state was dropped stands alone, as the endpoint accepts it. */
export function responsesInput(messages: readonly ResolvedMessage[]): ResponsesInput {
  const ids = callIdsFor(messages, 'word');
  const idOf = ({ callId }: { readonly callId: string }): string => ids.get(callId) ?? callId;
  const instructions = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    instructions: instructions.join('\n\n'),
    input: messages.flatMap((message) => itemsOf(message, idOf)),
  };
}

function itemsOf(message: ResolvedMessage, idOf: (call: { readonly callId: string }) => string): readonly InputItem[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ role: 'user', content: contentOf(message) }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: idOf(message), output: contentOf(message) }];
    case 'assistant': {
      const kept = itemsFromState(message, idOf);
      if (kept) return kept;
      const text: readonly InputItem[] =
        message.content === '' ? [] : [{ role: 'assistant', content: message.content }];
      const calls = message.calls.map(
        (call): InputItem => ({
          type: 'function_call',
          call_id: idOf(call),
          name: call.name,
          arguments: call.arguments,
        }),
      );
      return [...text, ...calls];
    }
  }
}

const contentOf = ({
  content,
  parts,
}: {
  readonly content: string;
  readonly parts?: readonly LoadedPart[];
}): string | InputContent[] => (parts ? parts.map(inputContent) : content);

function inputContent(part: LoadedPart): InputContent {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const { type, name } = part;
  const url = toDataUrl(part);
  return type === 'image'
    ? { type: 'input_image', image_url: url, detail: 'auto' }
    : { type: 'input_file', filename: name ?? 'file', file_data: url };
}
