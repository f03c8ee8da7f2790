// The sessions that clients of the revisions up to 2025-11-25 keep over HTTP. Each belongs to the speaker who has started it.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Disarm } from '../../core/sources/sources.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall } from '../../gateway/http/route.ts';
import { type McpDoor, whenClosed } from './mcp-request.ts';
import type { createMcpServer } from './mcp-server.ts';

/** Sessions of a speaker, and of all. */
const maxOfSpeaker = 32;
const maxOfAll = 1_024;
/** How long a session without a request is kept, in milliseconds. */
const idleMs = 1_800_000;

interface KeptSession {
  readonly id: string;
  readonly speaker: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests and streams without an end. */
  open: number;
  disarm: Disarm;
}

export class HttpSessions {
  readonly #door: McpDoor;
  readonly #createServer: () => ReturnType<typeof createMcpServer>;
  /** The one that was used longest ago comes first. */
  readonly #sessions = new Map<string, KeptSession>();

  constructor(door: McpDoor, createServer: () => ReturnType<typeof createMcpServer>) {
    this.#door = door;
    this.#createServer = createServer;
  }

  /** Returns the transport of the session that a request names. Throws an `HttpProblem`. */
  find(id: string | undefined, call: HttpCall): WebStandardStreamableHTTPServerTransport {
    if (id === undefined)
      throw new HttpProblem('missing_field', {
        field: 'mcp-session-id',
        message: 'The header mcp-session-id is missing. Start a session with "initialize".',
      });
    const session = this.#sessions.get(id);
    if (!session || session.speaker !== call.caller.speaker.id)
      throw new HttpProblem('not_found', {
        field: 'mcp-session-id',
        message: 'There is no such session of this speaker, or it has ended. Start a new one with "initialize".',
      });
    this.#use(session, call);
    return session.transport;
  }

  /** Starts a session. Rejects with an `HttpProblem` if the speaker has too many. */
  async start(call: HttpCall): Promise<WebStandardStreamableHTTPServerTransport> {
    const speaker = call.caller.speaker.id;
    this.#makeRoom(
      [...this.#sessions.values()].filter((one) => one.speaker === speaker),
      maxOfSpeaker,
    );
    this.#makeRoom([...this.#sessions.values()], maxOfAll);
    const id = this.#door.services.ids('client');
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const server = this.#createServer();
    await server.connect(transport);
    const session = { id, speaker, transport, open: 0, disarm: () => {} };
    this.#sessions.set(id, session);
    server.onclose = () => this.#forget(session);
    this.#use(session, call);
    return transport;
  }

  /** Ends the session that was used longest ago and has no request, if there are too many. */
  #makeRoom(sessions: readonly KeptSession[], limit: number): void {
    if (sessions.length < limit) return;
    const idle = sessions.find(({ open }) => open === 0);
    if (!idle) throw new HttpProblem('too_many_connections', { limit });
    this.#endSession(idle);
  }

  #use(session: KeptSession, { response }: HttpCall): void {
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
    session.open += 1;
    session.disarm();
    whenClosed(response, () => {
      session.open -= 1;
      if (session.open > 0 || !this.#sessions.has(session.id)) return;
      session.disarm = this.#door.services.clock.after(idleMs, () => this.#endSession(session));
    });
  }

  #endSession({ transport }: KeptSession): void {
    transport.close().catch(this.#door.services.report);
  }

  #forget({ id, disarm }: KeptSession): void {
    disarm();
    this.#sessions.delete(id);
  }
}
