// The parts of a gateway that its doors share: the connections of sockets, and HTTP. It imports no machine, because an embedder's compiler reads it.
import type { Runtime } from '../core/session/api.ts';
import type { Clock, Sources } from '../core/sources/sources.ts';
import type { Rate } from '../core/sources/token-bucket.ts';
import type { CredentialCheck } from './credential-check.ts';
import type { Rates } from './frame-rates.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import type { RefusalReports } from './refusal-reports.ts';
import type { SpeakerShares } from './speaker-shares.ts';

export interface GatewayServices {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: Sources['ids'];
  readonly limits: GatewayLimits;
  readonly rates: Rates & { readonly errors: Rate };
  /** Whether a token proves the speakers: then sessions have members. */
  readonly provesByToken: boolean;
  readonly shares: SpeakerShares;
  readonly credentials: Pick<CredentialCheck, 'check' | 'compare' | 'refusalOfKey'>;
  readonly refusals: Pick<RefusalReports, 'add' | 'countRateLimited'>;
  /** Receives exceptions that are bugs. */
  report(error: unknown): void;
}
