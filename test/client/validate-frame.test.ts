// The validation of server frames by a client: a frame that is not valid closes the connection by name.

import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import * as client from '../../src/client/client.ts';
import { ConnectionClosed } from '../../src/client/errors.ts';
import { connectChecked } from '../support/checked-client.ts';
import { welcome } from './held-sockets.ts';

/** A server that sends these frames to every HELLO. */
async function startServer(...frames: readonly object[]): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'belay.v1' });
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  server.on('connection', (socket) => {
    socket.on('message', () => {
      for (const frame of frames) socket.send(JSON.stringify(frame));
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return `ws://127.0.0.1:${port}/belay`;
}

test('a frame with an invalid field closes the connection, and the reason names the field', async () => {
  const url = await startServer({ ...welcome, speaker: 7 });
  const connecting = connectChecked({ url, reconnect: false });
  await expect(connecting).rejects.toThrow(ConnectionClosed);
  await expect(connecting).rejects.toThrow(/"welcome".*speaker/);
});

test('a frame of an unknown type and an unknown field are accepted', async () => {
  const url = await startServer({ ...welcome, mood: 'good' }, { type: 'greeting' });
  const connected = await connectChecked({ url, reconnect: false });
  expect(connected.speaker).toBe('ann');
  await connected.close();
});

test('without a validator no frame is checked', async () => {
  const url = await startServer({ ...welcome, roles: 'none' });
  const connected = await client.connect({ url, reconnect: false });
  expect(connected.roles).toBe('none');
  await connected.close();
});
