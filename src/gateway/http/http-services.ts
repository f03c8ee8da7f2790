// The parts of the HTTP door that the handlers of its routes share.
import type { Runtime } from '../../core/session/api.ts';
import type { Clock, Ids } from '../../core/sources/sources.ts';
import type { CredentialCheck } from '../credential-check.ts';
import type { Gateway } from '../gateway.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { RefusalReports } from '../refusal-reports.ts';
import type { SpeakerShares } from '../speaker-shares.ts';
import type { OpenTurnStreams } from './open-turn-streams.ts';

export interface HttpServices {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: GatewayLimits;
  /** The connections and bytes of each speaker, those of sockets included. */
  readonly shares: SpeakerShares;
  readonly gateway: Pick<Gateway, 'state'>;
  /** The requests that follow turns. */
  readonly turnStreams: OpenTurnStreams;
  readonly credentials: Pick<CredentialCheck, 'compare'>;
  readonly refusals: Pick<RefusalReports, 'add' | 'countRateLimited'>;
  /** Receives exceptions that are bugs. */
  report(error: unknown): void;
}
