// The options that a session is opened with: read from its log before it is opened, on whichever host, and made into its rules and tools.
import { isDeepStrictEqual } from 'node:util';
import type { OpeningOptions } from '../../../machines/facts.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { ToolSource } from '../contracts/tool-source.ts';
import { factOf } from '../session/read-log.ts';
import type { SessionSpec } from '../session/session-spec.ts';
import { onlyTools, onlyToolsOf } from '../tools/only-tools.ts';
import { requireApprovals, requireApprovalsOf } from '../tools/require-approval.ts';
import type { RuntimeConfig } from './config.ts';

/** The session exists, and was opened with other options. */
export class SessionOptionsDiffer extends Error {
  override readonly name = 'SessionOptionsDiffer';
  readonly code = 'session_exists';

  constructor(session: string) {
    super(
      `The session ${session} exists, and was opened with other options. Open it without options, or take another name.`,
    );
  }
}

/** What a session is opened with. */
export interface Opening {
  /** The options; null: nothing. */
  readonly options: OpeningOptions | null;
  /** The MCP servers that it brings; null: none. */
  readonly servers: ToolSource | null;
}

/**
 * Resolves with what a session was opened with, or, if it is new, with what is given. Rejects with `SessionOptionsDiffer`, and with a RangeError if it brings servers and nothing here
 * starts them.
 */
export async function readOpening(
  session: string,
  given: OpeningOptions | undefined,
  config: Pick<RuntimeConfig, 'log' | 'sessionServers' | 'roots'>,
): Promise<Opening> {
  const facts = (await config.log.read(session, 0, 2)).map((event) => factOf(event).fact);
  const stored = facts.find((fact) => fact.type === 'session_configured')?.options ?? null;
  if (facts.length > 0) assertSameOptions(session, stored, given);
  const options = facts.length > 0 || given === undefined ? stored : dropUndefined({ ...given });
  return { options, servers: options?.mcpServers ? await startServers(session, options, config) : null };
}

async function startServers(
  session: string,
  { mcpServers: servers = {}, roots }: OpeningOptions,
  config: Pick<RuntimeConfig, 'sessionServers' | 'roots'>,
): Promise<ToolSource> {
  if (config.sessionServers) return config.sessionServers({ session, servers, roots: roots ?? config.roots ?? [] });
  throw new RangeError(
    `The session ${session} was opened with MCP servers, and this runtime starts none for single sessions: give it the option sessionServers.`,
  );
}

/** Throws `SessionOptionsDiffer` if options are given that are not those of the session. */
export function assertSameOptions(
  session: string,
  own: OpeningOptions | null,
  given: OpeningOptions | undefined,
): void {
  if (given !== undefined && !isDeepStrictEqual(dropUndefined({ ...given }), own ?? {}))
    throw new SessionOptionsDiffer(session);
}

/** Returns the rules of a session with its options applied: they leave out tools of the host, and add approvals and servers. */
export function withOptions(
  spec: Partial<SessionSpec>,
  { options, servers }: Opening,
  config: Pick<RuntimeConfig, 'tools' | 'toolSources' | 'approve'>,
): Partial<SessionSpec> {
  if (options === null) return spec;
  const { policy, roots, tools, approve } = options;
  const asks = approve && { approve: [...(spec.approve ?? config.approve ?? []), ...approve] };
  const rules = { ...spec, ...dropUndefined({ policy, roots }), ...asks };
  if (!tools && !approve && !servers) return rules;
  const given = spec.tools ?? config.tools ?? [];
  const sources = [...(spec.toolSources ?? config.toolSources ?? []), ...(servers ? [servers] : [])];
  const [offered, asked] = [tools ?? ['*'], approve ?? []];
  return {
    ...rules,
    tools: requireApprovals(onlyTools(given, offered), asked),
    toolSources: sources.map((source) => requireApprovalsOf(onlyToolsOf(source, offered), asked)),
  };
}
