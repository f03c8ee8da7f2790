// Translates the parts of a message into those of the Chat Completions API.
import type OpenAI from 'openai';
import type { LoadedMedia, LoadedPart } from '../../../../machines/content.ts';
import { toBase64, toDataUrl } from '../data-url.ts';

/** Returns the format of a sound. `media` of a family (see chat/families.ts) accepts `audio/wav` and `audio/mpeg` only. */
const soundFormatOf = ({ mediaType }: LoadedMedia): 'wav' | 'mp3' => (mediaType === 'audio/wav' ? 'wav' : 'mp3');

/** Returns the part as a request of the API has it. */
export function chatContentPart(part: LoadedPart): OpenAI.ChatCompletionContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: toDataUrl(part) } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: toBase64(part.data), format: soundFormatOf(part) } };
    case 'file':
      return { type: 'file', file: { filename: part.name ?? 'file', file_data: toDataUrl(part) } };
  }
}
