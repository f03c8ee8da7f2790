// Translates the parts of a message into those of the Chat Completions API.
import type OpenAI from 'openai';
import type { ResolvedPart } from './resolve-media.ts';

const dataUrl = (mediaType: string, data: Uint8Array): string =>
  `data:${mediaType};base64,${Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64')}`;

const wavTypes: ReadonlySet<string> = new Set(['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave']);

/** Returns the part as a request has it. Endpoints take sounds as WAV and MP3 only. */
export function chatContentPart(part: ResolvedPart): OpenAI.ChatCompletionContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, data, name } = part;
  switch (part.type) {
    case 'image':
      return { type: 'image_url', image_url: { url: dataUrl(mediaType, data) } };
    case 'audio':
      return {
        type: 'input_audio',
        input_audio: { data: Buffer.from(data).toString('base64'), format: wavTypes.has(mediaType) ? 'wav' : 'mp3' },
      };
    case 'file':
      return { type: 'file', file: { filename: name ?? 'file', file_data: dataUrl(mediaType, data) } };
  }
}
