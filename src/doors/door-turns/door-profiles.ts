// The settings of a door, and the profiles that its clients choose among.
import { matchesName } from '../../../machines/access.ts';
import type { OpeningOptions } from '../../../machines/facts.ts';
import type { Policy, SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import type { DisconnectRule } from '../../gateway/http/follow-turn.ts';

/** What a client may choose: the sessions that it opens have these options. */
export interface DoorProfile {
  /** What it is for: clients show it, and models choose by it. */
  readonly description?: string | undefined;
  /** Patterns of the speakers who may choose it. Left out: all. */
  readonly speakers?: readonly string[] | undefined;
  /** Patterns of the tools that are offered, of those that the gateway has. */
  readonly tools?: readonly string[] | undefined;
  /** Patterns of the tools of which each call needs a yes. */
  readonly approve?: readonly string[] | undefined;
  readonly policy?: Policy | undefined;
  readonly roots?: readonly string[] | undefined;
  /** What becomes of a call that needs a yes. `ask`: the client is asked, by a door that can; the other two: nobody is. */
  readonly onAsk: 'ask' | 'deny' | 'allow';
}

/** What becomes of a turn whose request is lost, and the profiles by name. */
export interface DoorSettings extends DisconnectRule {
  readonly door: 'openai' | 'mcp' | 'ui-stream' | 'ag-ui';
  readonly profiles: Readonly<Record<string, DoorProfile>>;
}

/** What a door may say of the tokens of its gateway. */
export interface TokenSettings {
  readonly jwtIssuer?: string | undefined;
  readonly jwtAudience?: string | undefined;
}

/** Returns the profiles that a speaker may choose, by name. */
export const profilesFor = ({ profiles }: DoorSettings, speaker: SpeakerId): ReadonlyMap<string, DoorProfile> =>
  new Map(
    Object.entries(profiles).filter(([, { speakers = ['*'] }]) =>
      speakers.some((pattern) => matchesName(pattern, speaker)),
    ),
  );

/** Returns what a session of a profile is opened with. */
export const optionsOf = (profile: string, { tools, approve, policy, roots }: DoorProfile): OpeningOptions => ({
  profile,
  ...dropUndefined({ tools, approve, policy, roots }),
});
