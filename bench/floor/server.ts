// The floor: the thinnest honest server that does the job of Belay's gateway, by hand over `openai`, `ws` and AbortController.
//
// What it does: clients over WebSocket in sessions, one turn after the other in each; the answer streams to all who joined; tools run
// in parallel, commands in a process group of their own (TERM, grace, KILL); a sub-agent has a model loop and tools of its own; CANCEL
// stops a turn by its id, answered by `cancel_accepted` and, when all of it has ended, by `cancel_settled`; the history is sound
// afterwards. With a journal, a record is on the disk before clients receive it, and calls before they run.
//
// What it does NOT do: speakers, tokens, roles, standing, policies. CANCEL of a call, of a sub-agent, of "mine" or the session; a
// repeated CANCEL; one that comes before its SAY; force. A receipt that says of each node what it may have done to the world. Replay,
// resume, joining in the middle of a text. Recovery of any kind: the journal is written and never read. Processes that leave their
// group or outlive the server. Deltas that wait in a socket when the turn is cut. Merging for slow readers (they are cut off). Retries,
// time limits, rates, schemas, exclusive keys, detached agents, an own account of usage, limits of context, shutdown, observers.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { chunksByClient, chunksByTransport, type StreamChunks } from './chunks-of-model.ts';
import type { FloorJournal } from './journal.ts';
import { type FloorMessage, type FloorTool, type FloorTurn, runTurn, spawnAgentTool, type World } from './turn.ts';

export interface FloorOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
  readonly tools: readonly FloorTool[];
  /** The journal that keeps what happens; null: nothing is stored. */
  readonly journal: FloorJournal | null;
  /** How a response is read: as the `openai` client does (the default), or by Belay's transport. */
  readonly transport?: 'client' | 'lean';
}

interface Session {
  readonly id: string;
  readonly history: FloorMessage[];
  readonly clients: Set<WebSocket>;
  readonly turns: Map<
    string,
    { readonly stopper: AbortController; readonly turn: FloorTurn; readonly ended: Promise<void> }
  >;
  last: Promise<void>;
}

interface Command {
  readonly type: string;
  readonly ref: string;
  readonly session: string;
  readonly text: string;
  readonly target: string;
}

const stopMs = 1_500;
const slowReaderBytes = 8_388_608;

/** A running floor: the sessions of one server. */
class Floor {
  readonly #options: FloorOptions;
  readonly #streamChunks: StreamChunks;
  readonly #sessions = new Map<string, Session>();

  constructor(options: FloorOptions) {
    this.#options = options;
    this.#streamChunks = (options.transport === 'lean' ? chunksByTransport : chunksByClient)(options);
  }

  /** Handles one frame of a client. */
  async handleFrame(client: WebSocket, text: string): Promise<void> {
    const command = JSON.parse(text) as Command;
    if (command.type === 'HELLO') return client.send('{"type":"welcome"}');
    const session = this.#sessionOf(command.session);
    if (command.type === 'SAY') return this.#say(session, command);
    if (command.type === 'CANCEL') return this.#cancel(session, client, command);
    if (command.type === 'LEAVE') session.clients.delete(client);
    if (command.type === 'JOIN') session.clients.add(client);
    const type = command.type === 'JOIN' ? 'joined' : 'left';
    client.send(JSON.stringify({ type, session: session.id, ref: command.ref }));
  }

  /** Takes a client out of every session. */
  removeClient(client: WebSocket): void {
    for (const session of this.#sessions.values()) session.clients.delete(client);
  }

  /** Stops every turn; resolves when all have ended. */
  async stopAll(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    for (const session of sessions) for (const { stopper } of session.turns.values()) stopper.abort();
    await Promise.all(sessions.map(({ last }) => last));
  }

  #sessionOf(id: string): Session {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session: Session = { id, history: [], clients: new Set(), turns: new Map(), last: Promise.resolve() };
    this.#sessions.set(id, session);
    return session;
  }

  #publish(session: Session, event: object): void {
    const text = JSON.stringify({ session: session.id, ...event });
    for (const client of session.clients) {
      if (client.bufferedAmount > slowReaderBytes) client.terminate();
      else client.send(text);
    }
  }

  async #record(session: Session, event: object): Promise<void> {
    const { journal } = this.#options;
    if (journal) await journal.append({ session: session.id, at: Date.now(), ...event });
    this.#publish(session, event);
  }

  #say(session: Session, { ref, text }: Command): void {
    const id = `turn_${randomUUID()}`;
    const stopper = new AbortController();
    const { history } = session;
    const nodes = new Map([[id, 'running']]);
    const tools = [...this.#options.tools, spawnAgentTool];
    const turn: FloorTurn = { id, history, nodes, tools, signal: stopper.signal };
    const opened = this.#record(session, { type: 'turn_opened', turn: id, text, ref });
    const ended = session.last.then(() => this.#run(session, turn, text, opened));
    session.last = ended.catch(console.error);
    session.turns.set(id, { stopper, turn, ended });
  }

  async #run(session: Session, turn: FloorTurn, text: string, opened: Promise<void>): Promise<void> {
    const world: World = {
      streamChunks: this.#streamChunks,
      model: this.#options.model,
      stopMs,
      publish: (event) => this.#publish(session, event),
      record: (event) => this.#record(session, event),
    };
    let outcome = 'completed';
    try {
      turn.history.push({ role: 'user', content: text });
      await runTurn(world, turn, opened);
    } catch (error) {
      outcome = 'failed';
      console.error(error);
    }
    if (turn.signal.aborted) outcome = 'cancelled';
    turn.nodes.set(turn.id, outcome);
    session.turns.delete(turn.id);
    await this.#record(session, { type: 'turn_ended', turn: turn.id, outcome });
  }

  async #cancel(session: Session, client: WebSocket, { ref, target }: Command): Promise<void> {
    const running = session.turns.get(target);
    if (!running) return client.send(JSON.stringify({ type: 'already_settled', session: session.id, ref, target }));
    const { stopper, turn, ended } = running;
    const stopping = [...turn.nodes].filter(([, outcome]) => outcome === 'running').map(([node]) => node);
    stopper.abort();
    await this.#record(session, { type: 'cancel_accepted', ref, target, stopping });
    await ended;
    const nodes = stopping.map((node) => ({ node, outcome: turn.nodes.get(node) }));
    await this.#record(session, { type: 'cancel_settled', ref, target, nodes });
  }
}

/** A floor that listens. */
export interface ListeningFloor {
  readonly url: string;
  /** Stops every turn, and closes every connection. */
  close(): Promise<void>;
}

/** Starts a floor on a free port of loopback. */
export async function startFloor(options: FloorOptions): Promise<ListeningFloor> {
  const floor = new Floor(options);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client) => {
    client.on('error', () => {});
    client.on('close', () => floor.removeClient(client));
    client.on('message', (data) => {
      floor.handleFrame(client, String(data)).catch((error: unknown) => {
        console.error(error);
        client.close(1011);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await floor.stopAll();
      for (const client of sockets.clients) client.terminate();
      server.close();
    },
  };
}
