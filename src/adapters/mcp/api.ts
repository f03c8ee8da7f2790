// The public types of connected servers. They stand apart because the SDK's types compile only with those of a browser.
import type { OfferContent, OfferRequest, ServerOffers } from '../../core/contracts/offers.ts';
import type { ToolSource } from '../../core/contracts/tool-source.ts';

export interface McpState {
  readonly name: string;
  /** `starting`: it has not listed its tools yet; they are used as soon as it has. `failed`: it will not, before the next start. */
  readonly phase: 'starting' | 'ready' | 'failed';
  /** The number of its tools that can be used. */
  readonly tools: number;
  /** Why it has failed; null: it has not. */
  readonly problem: string | null;
}

/** Its tools change when a server is ready later than the others. */
export interface McpServers extends ToolSource {
  /** The state of each server. */
  states(): readonly McpState[];
  /** Resolves when changed tools are listed, or are not waited for any longer. */
  ready(): Promise<void>;
  absenceOf(name: string): string | null;
  listOffers(): Promise<readonly ServerOffers[]>;
  readOffer(request: OfferRequest): Promise<OfferContent | null>;
  /** Resolves when no process and no socket of them is left. Later calls fail. */
  close(): Promise<void>;
}
