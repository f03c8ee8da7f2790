// Translates the parts of a message into those of the Chat Completions API.
import type OpenAI from 'openai';
import type { LoadedMedia, LoadedPart } from '../../../machines/content.ts';
import { toBase64, toDataUrl } from './data-url.ts';

const wavTypes: ReadonlySet<string> = new Set(['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave']);
const soundFormatOf = ({ mediaType }: LoadedMedia): 'wav' | 'mp3' => (wavTypes.has(mediaType) ? 'wav' : 'mp3');

/** Returns the part as a request has it. Endpoints take sounds as WAV and MP3 only. */
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
