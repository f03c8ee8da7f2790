// Plays a gateway for a client under test, and judges what the client sends.
//
// The client joins a session, says something, and cancels. The first SAY and the first CANCEL get no reply: the connection breaks instead, and
// the client is to come back. At the end the connection is closed with `too_many_errors`, after which the client is to stay away.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ClientFrame, clientSchemas } from '../../src/wire/client-frames.ts';
import { closeCodes } from '../../src/wire/close-codes.ts';
import { decodeClientFrame } from '../../src/wire/codec.ts';
import { subprotocol } from '../../src/wire/frame-limits.ts';
import { ClientObservations } from './client-observations.ts';
import { PlayedSession } from './played-session.ts';
import type { CheckVerdict, Requirement } from './verdict.ts';

const breakMs = 20;

interface ListenOptions {
  readonly port: number;
  /** How long the client may take for everything, in milliseconds. */
  readonly totalMs: number;
  /** How long a client that was sent away is watched, in milliseconds. */
  readonly awayMs: number;
}

export interface ClientUnderTest {
  readonly url: string;
  /** Resolves when everything was seen, or the time is over. */
  readonly report: Promise<readonly (readonly [Requirement, CheckVerdict])[]>;
}

/** Starts to listen, on loopback. */
export async function listenForClient({ port, totalMs, awayMs }: ListenOptions): Promise<ClientUnderTest> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, path: '/belay' });
  await once(server, 'listening');
  const observations = new ClientObservations();
  const session = new PlayedSession(observations);
  let isSentAway = false;
  server.on('connection', (socket) => {
    if (isSentAway) observations.break('client.stay-away', 'It connected again.');
    observations.judge('client.subprotocol', socket.protocol === subprotocol, 'It was not offered.');
    listenTo(socket, session, observations);
  });
  const watch = async () => {
    await Promise.race([session.done, pause(totalMs, undefined, { ref: false })]);
    if (session.isDone) {
      isSentAway = true;
      const { code } = closeCodes.too_many_errors;
      for (const client of server.clients) client.close(code, 'too_many_errors');
      await pause(awayMs);
      observations.keep('client.stay-away');
    }
    session.close();
    for (const client of server.clients) client.terminate();
    server.close();
    return observations.report(session.reached);
  };
  const address = server.address() as AddressInfo; // it listens on a port
  return { url: `ws://127.0.0.1:${address.port}/belay`, report: watch() };
}

/** Judges what comes over one connection, and hands it to the session. */
function listenTo(socket: WebSocket, session: PlayedSession, observations: ClientObservations): void {
  const send = (...frames: readonly object[]) => {
    for (const frame of frames) socket.send(JSON.stringify(frame));
  };
  // what the client has sent in the same moment still arrives
  const line = { send, break: () => void setTimeout(() => socket.terminate(), breakMs) };
  let isFirst = true;
  socket.on('error', () => {}); // `close` follows
  socket.on('message', (data, isBinary) => {
    const text = data.toString();
    const decoded = isBinary ? null : decodeClientFrame(text);
    const problem = decoded === null ? 'It is binary.' : decoded.ok ? null : decoded.problem.message;
    observations.judge('client.frames', problem === null, `${problem} The message: ${text.slice(0, 200)}`);
    // what is not valid is handled as well as it can be, so that the other requirements are seen
    const frame = decoded?.ok ? decoded.frame : looselyDecoded(text);
    if (!frame) return;
    const isHello = frame.type === 'HELLO';
    observations.judge(
      'client.hello',
      isHello === isFirst,
      isFirst ? `${frame.type} came first.` : 'HELLO came twice.',
    );
    isFirst = false;
    if (frame.type === 'HELLO') return session.greet(line);
    if (frame.type === 'PING') return send({ type: 'pong', ref: frame.ref });
    if (frame.type === 'JOIN') return session.join(frame, line);
    session.perform(frame, line);
  });
}

/** A frame of a known type with fields that the schema refuses; null: it is none. */
function looselyDecoded(text: string): ClientFrame | null {
  try {
    const frame = JSON.parse(text);
    return clientSchemas.has(frame?.type) ? frame : null;
  } catch {
    return null;
  }
}
