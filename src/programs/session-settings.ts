// The setting `sessions`: rules, folders, tools and MCP servers of single sessions, by patterns of their ids.
import * as z from 'zod';
import { accessRules, matchesName } from '../../machines/access.ts';
import {
  acknowledgeModes,
  bargeInRules,
  policies,
  resumePhraseRules,
  sessionKinds,
  whileRunningPolicies,
} from '../../machines/vocabulary.ts';
import { mcpServersSchema } from '../adapters/mcp/server-config.ts';
import { dropUndefined } from '../core/collections/fields.ts';
import type { SessionSpec } from '../core/session/session-spec.ts';
import { sessionLimitNames } from '../core/workers/session-limits.ts';
import { maxSessionChars } from '../wire/frame-limits.ts';

const maxPatterns = 256;
/** MCP servers of one session. */
const maxServers = 16;

const limit = z.int().min(0).max(2_147_483_647);

export const disconnectRules = ['cancel', 'continue'] as const;

/** The settings of a session that decisions read: who may stop what, what becomes of words while a turn runs and after a stop, and how a stop is acknowledged. */
export const sessionRules = {
  kind: z.enum(sessionKinds).optional(),
  /** Who may stop what. Left out: `anyone` in a text session, `addressed` in a voice session. */
  policy: z.enum(policies).optional(),
  /** From which confidence on words count as directed at the bot. Left out: 0.7. */
  addressedFrom: z.number().min(0).max(1).optional(),
  /** The rules of a voice session: when a transcript counts, and who may interrupt the bot's speech. Each has a default: see docs/voice.md. */
  voice: z
    .strictObject({
      bargeIn: z.enum(bargeInRules),
      minBargeInMs: z.int().min(0).max(60_000),
      falseInterruptionMs: z.int().min(0).max(60_000),
      confidenceFrom: z.number().min(0).max(1),
      noSpeechFrom: z.number().min(0).max(1),
      stopSound: z.boolean(),
    })
    .partial()
    .optional(),
  /** What becomes of a speaker's words while a turn of the same speaker runs. Left out: `queue`. */
  whileRunning: z.enum(whileRunningPolicies).optional(),
  /** How a stop is acknowledged to the person who has caused it. Left out: `on`. */
  acknowledge: z.enum(acknowledgeModes).optional(),
  /** Whether words like "continue" resume a stopped turn. Left out: `on` in new sessions, `off` in those of versions without it. */
  resumePhrases: z.enum(resumePhraseRules).optional(),
};

const settingsSchema = z.strictObject({
  ...sessionRules,
  /** Who may open, join and use the session, instead of the rule of all sessions. Left out, this and the next three are those of all sessions. */
  access: z.enum(accessRules).optional(),
  onDisconnect: z.enum(disconnectRules).optional(),
  interruptible: z.boolean().optional(),
  shieldMs: limit.optional(),
  /** Limits of the session, instead of those of all sessions. */
  limits: z.partialRecord(z.enum(sessionLimitNames), limit).optional(),
  /** Tools of which each call needs approval first, instead of those of all sessions. */
  approve: z.array(z.string().min(1)).optional(),
  /** Folders that tools may touch, instead of those of the gateway. */
  roots: z.array(z.string().min(1)).min(1, 'must name a folder').optional(),
  /** The tools that are offered: names, or the start of names followed by `*`. Left out: all. */
  tools: z.array(z.string().min(1)).optional(),
  /** MCP servers of each session alone, besides those of the gateway. */
  mcpServers: mcpServersSchema
    .refine((servers) => Object.keys(servers).length <= maxServers, `must be ${maxServers} servers at most`)
    .optional(),
});
export type SessionSettings = z.output<typeof settingsSchema>;

export const sessionsSchema = z
  .record(
    z
      .string()
      .min(1)
      .max(maxSessionChars)
      .regex(/^[A-Za-z0-9._:@/*-]*$/, 'must be made of A-Z a-z 0-9 . _ : @ / - and *'),
    settingsSchema,
  )
  .refine((sessions) => Object.keys(sessions).length <= maxPatterns, `must be ${maxPatterns} patterns at most`);

type SessionsSettings = z.output<typeof sessionsSchema>;
const ruleNames = [
  'kind',
  'policy',
  'addressedFrom',
  'whileRunning',
  'acknowledge',
  'resumePhrases',
  'access',
  'onDisconnect',
  'interruptible',
  'shieldMs',
] as const satisfies readonly (keyof SessionSettings & keyof SessionSpec)[];
type Rules = Pick<SessionSettings, (typeof ruleNames)[number] | 'voice'>;

/** Returns the settings of the first pattern that the id of a session matches; null: it has none of its own. */
export function settingsOfSession(sessions: SessionsSettings, id: string): SessionSettings | null {
  return Object.entries(sessions).find(([pattern]) => matchesName(pattern, id))?.[1] ?? null;
}

/** Whether a session has tools of its own, or other rules for those of the gateway. */
export const hasOwnTools = ({ roots, tools, mcpServers, approve }: SessionSettings): boolean =>
  [roots, tools, mcpServers, approve].some((setting) => setting !== undefined);

/** Returns the rules of a session: its own, and those of all sessions where it has none. */
export function rulesOfSession(
  id: string,
  config: Rules & { readonly sessions: SessionsSettings },
): Partial<SessionSpec> {
  const rulesIn = (rules: Rules): Partial<SessionSpec> =>
    dropUndefined(Object.fromEntries(ruleNames.map((name) => [name, rules[name]])));
  const { limits, ...own } = settingsOfSession(config.sessions, id) ?? {};
  const voice = { ...config.voice, ...dropUndefined({ ...own.voice }) };
  return { ...rulesIn(config), ...rulesIn(own), ...dropUndefined({ limits }), voice };
}
