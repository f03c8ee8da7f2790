// Adapts a `ws` socket to a peer of the gateway.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import type { LeaveReason } from '../../machines/vocabulary.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { defaultGatewayLimits } from '../../src/gateway/gateway-limits.ts';
import type { Peer } from '../../src/gateway/peer.ts';
import { attachSockets, type SocketGateway } from '../../src/gateway/ws.ts';
import { type PeerPair, peerContract } from '../contract/peer.ts';
import { until } from '../support/until.ts';

peerContract('ws', async (): Promise<PeerPair> => {
  const messages: { text: string | null; bytes: number }[] = [];
  const gone: LeaveReason[] = [];
  const received: string[] = [];
  let pongs = 0;
  let peer: Peer | null = null;
  // instead of the gateway: it records the calls of the adapter
  const gateway: SocketGateway = {
    limits: defaultGatewayLimits,
    authenticator: createLocalAuthenticator(),
    state: 'open',
    services: {
      credentials: {
        check: async () => ({ speaker: { id: 'local', roles: ['member'] }, expiresAt: null }),
        compare: () => null,
        refusalOfKey: () => null,
      },
      refusals: { add() {}, countRateLimited() {} },
    },
    accept(accepted) {
      peer = accepted;
      return {
        onMessage: (message, bytes) => messages.push({ text: typeof message === 'string' ? message : null, bytes }),
        onPing: () => true,
        onPong: () => pongs++,
        onClosed: (how) => gone.push(how),
      };
    },
  };
  const server = createServer();
  const detach = attachSockets(server, gateway);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/belay`, ['belay.v1']);
  let ended: { code: number; reason: string } | null = null;
  socket.on('message', (data) => received.push(data.toString()));
  socket.on('close', (code, reason) => {
    ended = { code, reason: reason.toString() };
  });
  await once(socket, 'open');
  return {
    peer: await until(() => peer),
    far: {
      send: (message) => socket.send(message),
      received,
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close: (code) => socket.close(code),
      cut: () => socket.terminate(),
      get ended() {
        return ended;
      },
    },
    messages,
    pongs: () => pongs,
    gone,
    async dispose() {
      socket.terminate();
      detach();
      await until(() => gone.length > 0);
      server.close();
    },
  };
});
