// Contract of what a source of tools offers people beside its tools: resources and prompts, which they name in what they say.
import type { LoadedPart } from '../../../machines/content.ts';

export interface OfferedPrompt {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

export interface ServerOffers {
  /** The name of the server. */
  readonly server: string;
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly prompts: readonly OfferedPrompt[];
}

/** A resource, or a prompt, of a server. */
export interface OfferRequest {
  readonly server: string;
  readonly resource?: string | undefined;
  readonly prompt?: string | undefined;
  /** The arguments of the prompt. */
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}

export type OfferContent =
  | { readonly ok: true; readonly parts: readonly LoadedPart[] }
  /** `message`: a sentence. */
  | { readonly ok: false; readonly message: string };

export interface OfferSource {
  /** Resolves with what each server offers; without those that cannot say so. Never rejects. */
  listOffers(): Promise<readonly ServerOffers[]>;
  /** Resolves with the content; null: the server is none of this source. Never rejects. */
  readOffer(request: OfferRequest): Promise<OfferContent | null>;
}
