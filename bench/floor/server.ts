// The floor: the thinnest honest server that does the job of Belay's gateway, by hand over `openai`, `ws` and AbortController.
//
// What it does: clients over WebSocket in sessions, one turn after the other in each; the answer streams to all who joined; tools run
// in parallel, commands in a process group of their own (TERM, grace, KILL); a sub-agent has a model loop and tools of its own; CANCEL
// stops a turn by its id, answered by `cancel_accepted` and, when all of it has ended, by `cancel_settled`; the history is sound
// afterwards. With a journal, a record is on the disk before anybody hears of it, and calls before they run.
//
// What it does NOT do: speakers, tokens, roles, standing, policies. CANCEL of a call, of a sub-agent, of "mine" or the session; a
// repeated CANCEL; one that comes before its SAY; force. A receipt that says of each node what it may have done to the world. Replay,
// resume, joining in the middle of a text. Recovery of any kind: the journal is written and never read. Processes that leave their
// group or outlive the server. Deltas behind a cut that already wait in a socket. Merging for slow readers (they are cut off). Retries,
// time limits, rates, schemas, exclusive keys, detached agents, an own account of usage, bounds of context, shutdown, hooks.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Journal } from './journal.ts';
import { type FloorTool, type Message, runTurn, spawnAgentTool, type Turn } from './turn.ts';

export interface FloorOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
  readonly tools: readonly FloorTool[];
  /** Null: nothing is written down. */
  readonly journal: Journal | null;
}

export interface Floor {
  readonly url: string;
  close(): Promise<void>;
}

interface Session {
  readonly id: string;
  readonly history: Message[];
  readonly clients: Set<WebSocket>;
  readonly turns: Map<
    string,
    { readonly stopper: AbortController; readonly turn: Turn; readonly ended: Promise<void> }
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

export async function startFloor({ baseURL, apiKey, model, tools, journal }: FloorOptions): Promise<Floor> {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const sessions = new Map<string, Session>();

  const sessionOf = (id: string): Session => {
    const known = sessions.get(id);
    if (known) return known;
    const session: Session = { id, history: [], clients: new Set(), turns: new Map(), last: Promise.resolve() };
    sessions.set(id, session);
    return session;
  };

  const tellIn = (session: Session) => (event: object) => {
    const text = JSON.stringify({ session: session.id, ...event });
    for (const client of session.clients) {
      if (client.bufferedAmount > slowReaderBytes) client.terminate();
      else client.send(text);
    }
  };
  const recordIn = (session: Session) => {
    const tell = tellIn(session);
    return async (event: object) => {
      if (journal) await journal.append({ session: session.id, at: Date.now(), ...event });
      tell(event);
    };
  };

  function say(session: Session, { ref, text }: Command): void {
    const id = `turn_${randomUUID()}`;
    const stopper = new AbortController();
    const { history } = session;
    const nodes = new Map([[id, 'running']]);
    const turn: Turn = { id, history, nodes, tools: [...tools, spawnAgentTool], signal: stopper.signal };
    const record = recordIn(session);
    const opened = record({ type: 'turn_opened', turn: id, text, ref });
    const run = async () => {
      let outcome = 'completed';
      try {
        history.push({ role: 'user', content: text });
        await runTurn({ openai, model, stopMs, tell: tellIn(session), record }, turn, opened);
      } catch (error) {
        outcome = 'failed';
        console.error(error);
      }
      if (stopper.signal.aborted) outcome = 'cancelled';
      nodes.set(id, outcome);
      session.turns.delete(id);
      await record({ type: 'turn_ended', turn: id, outcome });
    };
    const ended = session.last.then(run);
    session.last = ended.catch(console.error);
    session.turns.set(id, { stopper, turn, ended });
  }

  async function cancel(session: Session, client: WebSocket, { ref, target }: Command): Promise<void> {
    const running = session.turns.get(target);
    if (!running) return client.send(JSON.stringify({ type: 'already_settled', session: session.id, ref, target }));
    const { stopper, turn, ended } = running;
    const stopping = [...turn.nodes].filter(([, outcome]) => outcome === 'running').map(([node]) => node);
    stopper.abort();
    const record = recordIn(session);
    await record({ type: 'cancel_accepted', ref, target, stopping });
    await ended;
    const nodes = stopping.map((node) => ({ node, outcome: turn.nodes.get(node) }));
    await record({ type: 'cancel_settled', ref, target, nodes });
  }

  async function take(client: WebSocket, text: string): Promise<void> {
    const command = JSON.parse(text) as Command;
    if (command.type === 'HELLO') return client.send('{"type":"welcome"}');
    const session = sessionOf(command.session);
    if (command.type === 'SAY') return say(session, command);
    if (command.type === 'CANCEL') return cancel(session, client, command);
    if (command.type === 'LEAVE') session.clients.delete(client);
    if (command.type === 'JOIN') session.clients.add(client);
    const type = command.type === 'JOIN' ? 'joined' : 'left';
    client.send(JSON.stringify({ type, session: session.id, ref: command.ref }));
  }

  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client) => {
    client.on('error', () => {});
    client.on('close', () => {
      for (const session of sessions.values()) session.clients.delete(client);
    });
    client.on('message', (data) => {
      take(client, String(data)).catch((error: unknown) => {
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
      for (const session of sessions.values()) for (const { stopper } of session.turns.values()) stopper.abort();
      await Promise.all([...sessions.values()].map(({ last }) => last));
      for (const client of sockets.clients) client.terminate();
      server.close();
    },
  };
}
