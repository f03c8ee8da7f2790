// The setting `doors`: which doors with a protocol of their own a gateway has, and the profiles that their clients choose among.
import * as z from 'zod';
import { matchesName } from '../../machines/access.ts';
import type { OpeningOptions } from '../../machines/facts.ts';
import { policies, type SpeakerId } from '../../machines/vocabulary.ts';
import { dropUndefined } from '../core/collections/fields.ts';

export const doorNames = ['openai'] as const;
export type DoorName = (typeof doorNames)[number];

const maxProfiles = 64;
const maxGraceMs = 600_000;
const patterns = z.array(z.string().min(1)).max(256);

const profileSchema = z.strictObject({
  /** The speakers who may choose it: names, `*` for any characters. Left out: all. */
  speakers: patterns.optional(),
  /** What its sessions are opened with, of what the gateway has. */
  tools: patterns.optional(),
  approve: patterns.optional(),
  policy: z.enum(policies).optional(),
  roots: z.array(z.string().startsWith('/', 'must be absolute')).min(1).optional(),
  /** What becomes of a call that needs a yes, where the door has nobody to ask. */
  onAsk: z.enum(['deny', 'allow']).default('deny'),
});
export type DoorProfile = z.output<typeof profileSchema>;

const doorSchema = z.strictObject({
  door: z.enum(doorNames),
  /** By name: what a client names as its model or agent. */
  profiles: z
    .record(z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _ . and -'), profileSchema)
    .refine((profiles) => Object.keys(profiles).length <= maxProfiles, `must be ${maxProfiles} profiles at most`)
    .default({ belay: { onAsk: 'deny' } }),
  /** What becomes of a turn whose request is lost. */
  onDisconnect: z.enum(['cancel', 'continue']).default('cancel'),
  /** How long the same request may come back first, in milliseconds. */
  graceMs: z.int().min(0).max(maxGraceMs).default(0),
});
export type DoorSettings = z.output<typeof doorSchema>;

export const doorsSchema = z
  .array(doorSchema)
  .refine((doors) => new Set(doors.map(({ door }) => door)).size === doors.length, 'must name each door once')
  .default([]);

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
