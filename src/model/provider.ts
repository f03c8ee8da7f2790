// The contract of a model provider: one request, a stream of text, one end. Implementations stand beside this file.
import type { FailureCode } from '../../machines/codes.ts';
import type { Message, MessageCall } from '../../machines/messages.ts';
import type { ToolDeclaration } from '../../machines/tool-declaration.ts';
import type { Usage } from '../../machines/vocabulary.ts';

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  /** The endpoint's name of the model; the provider's default if it is left out. */
  readonly model?: string | undefined;
}

export interface ModelStream {
  /** After its abort no request is sent, and the one in flight is closed, so that the server sees it closed. */
  readonly signal: AbortSignal;
  /** Receives each piece of the response's text as it arrives. */
  onText(text: string): void;
}

/** The end of a model call. `calls` holds whole calls only: one whose arguments were still arriving is dropped. */
export type ModelEnd =
  | {
      readonly kind: 'completed';
      readonly finish: string;
      readonly calls: readonly MessageCall[];
      readonly usage: Usage;
    }
  | { readonly kind: 'stopped'; readonly calls: readonly MessageCall[]; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string; readonly usage: Usage };

export interface Provider {
  readonly name: string;
  /** Never rejects. Resolves as soon as possible after an abort; the runtime waits at most 250 ms for it. */
  stream(request: ModelRequest, stream: ModelStream): Promise<ModelEnd>;
}
