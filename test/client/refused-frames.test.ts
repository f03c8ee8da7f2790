// Frames that the client refuses to send, and errors that belong to no command.
import { expect, test } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { setUpClient } from './held-sockets.ts';

test('a frame over the limit is refused by the client, with the error of the gateway, and the connection stays open [ws.limits]', async () => {
  const at = setUpClient();
  const socket = await at.open();
  const session = at.client.session('s');
  const { ref } = socket.sent.at(-1) as { ref: string };
  const joined = {
    type: 'joined',
    ref,
    session: 's',
    kind: 'text',
    policy: 'anyone',
    seq: 0,
    nodes: [],
    blocks: [],
    questions: [],
  };
  socket.hear(joined as unknown as ServerFrame);
  const turn = session.say('ä'.repeat(100));
  await expect(turn.opened).rejects.toMatchObject({ code: 'frame_too_large', limit: 200 });
  expect(socket.sent.map(({ type }) => type)).toEqual(['HELLO', 'JOIN']);
});

test('an error that belongs to no command is emitted; a listener that throws does not stop the others', async () => {
  const at = setUpClient();
  const emitted: string[] = [];
  const caught: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => caught.push(error));
  at.client.on('error', () => {
    throw new Error('a bug of a listener');
  });
  at.client.on('error', ({ code }) => emitted.push(code));
  const socket = await at.open();
  socket.hear({ type: 'error', code: 'hello_repeated', message: 'HELLO is sent once.' });
  await at.clock.advance(0);
  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
  expect(emitted).toEqual(['hello_repeated']);
  expect(caught).toMatchObject([{ message: 'a bug of a listener' }]);
});
