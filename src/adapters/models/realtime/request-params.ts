// The parameters of a session and of a response of the Realtime API.
import type { ToolDeclaration } from '../../../../machines/tool-declaration.ts';
import type { ModelRequest } from '../../../core/contracts/provider.ts';
import { soundFormat } from '../../../core/contracts/sound.ts';
import { sentSchema } from '../sent-schema.ts';
import type { ResponseParams, SessionUpdate } from './realtime-events.ts';

/** How a model of the Realtime API sounds, and how it hears. */
export interface RealtimeVoice {
  /** The name of its voice. */
  readonly voice?: string | undefined;
  /** The model that recognizes words. */
  readonly transcription?: string | undefined;
  /** The language of the speakers, as ISO 639-1 has it. Left out: it is recognized. */
  readonly language?: string | undefined;
  /** Silence after which somebody has ended to speak, in milliseconds. */
  readonly silenceMs?: number | undefined;
}

export const defaultVoice = { voice: 'marin', transcription: 'gpt-4o-transcribe', silenceMs: 500 } as const;

const format = { type: 'audio/pcm', rate: soundFormat.rate } as const;

/** Returns the configuration of a session. `voice` null: nothing is heard or spoken in it. */
export function sessionSetup(voice: RealtimeVoice | null): SessionUpdate {
  const common: SessionUpdate = { type: 'realtime', instructions: '', tools: [] };
  if (voice === null) return { ...common, output_modalities: ['text'], audio: { input: { turn_detection: null } } };
  const { language } = voice;
  const transcription = { model: voice.transcription ?? defaultVoice.transcription, ...(language && { language }) };
  return {
    ...common,
    output_modalities: ['audio'],
    include: ['item.input_audio_transcription.logprobs'],
    audio: {
      input: {
        format,
        transcription,
        turn_detection: {
          type: 'server_vad',
          create_response: false,
          interrupt_response: false,
          silence_duration_ms: voice.silenceMs ?? defaultVoice.silenceMs,
        },
      },
      output: { format, voice: voice.voice ?? defaultVoice.voice },
    },
  };
}

/** Returns the parameters that every response has. */
export function responseParams(
  { tools, options = {} }: ModelRequest,
  { key, isSpoken }: { readonly key: string; readonly isSpoken: boolean },
): ResponseParams {
  const { maxOutputTokens, reasoningEffort, extra } = options;
  return {
    metadata: { belay: key },
    output_modalities: [isSpoken ? 'audio' : 'text'],
    tools: tools.map(functionTool),
    tool_choice: options.tools === 'none' || tools.length === 0 ? 'none' : 'auto',
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning: { effort: reasoningEffort as 'low' } }), // the endpoint's own word
    ...extra,
  };
}

const functionTool = ({ name, description, parameters }: ToolDeclaration) =>
  ({ type: 'function', name, description, parameters: { ...sentSchema(parameters) } }) as const;
