// Default addresses of a chat, and its messages when a gateway does not let it in.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { gatewayUrl } from '../../src/programs/default-address.ts';
import { startChild } from '../support/child.ts';
import { startChats } from './typed-chats.ts';

test('an address may leave out its scheme and its path', () => {
  expect(gatewayUrl('ws://127.0.0.1:7077')).toBe('ws://127.0.0.1:7077/belay');
  expect(gatewayUrl('127.0.0.1:7077')).toBe('ws://127.0.0.1:7077/belay');
  expect(gatewayUrl('https://bots.example.org/')).toBe('wss://bots.example.org/belay');
  expect(gatewayUrl('ws://127.0.0.1:7077/own?key=k')).toBe('ws://127.0.0.1:7077/own?key=k');
  expect(gatewayUrl('ws://127.0.0.1:7077?key=k')).toBe('ws://127.0.0.1:7077/belay?key=k');
});

const errorOf = async (...args: readonly string[]) => {
  const chat = startChild('src/programs/chat.ts', { args });
  expect(await chat.ended(20_000)).toBe(1);
  expect(chat.stdout()).toBe('');
  return chat.stderr();
};

test('a token that is missing, a wrong one, another path and another server are told apart, each in a sentence [cli.chat]', async () => {
  const { url } = await startChats();
  const { host, origin } = new URL(url);
  expect(await errorOf(origin, '--token', 'token-of-nobody-0001')).toBe(
    `The gateway at ws://${host}/belay does not accept the token: it is wrong or has expired.\n`,
  );
  expect(await errorOf(origin)).toMatch(
    /^The gateway at .* wants to know who you are: give your token with --token or BELAY_TOKEN/,
  );
  expect(await errorOf(`${origin}/elsewhere`, '--token', 'token-of-ann-000001')).toBe(
    `There is a gateway at ${host}, and not at the path /elsewhere: give the address that it has printed.\n`,
  );
  const other = createServer((_, response) => response.end('hello'));
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo; // it listens at a port
  expect(await errorOf(`127.0.0.1:${port}`)).toMatch(
    /^What listens at 127\.0\.0\.1:\d+ is no gateway of Belay \(status 200\)\./,
  );
});

test('a chat joins by an address without a path [cli.chat]', async () => {
  const { url } = await startChats();
  const chat = startChild('src/programs/chat.ts', { args: [new URL(url).host, '--token', 'token-of-ann-000001'] });
  chat.type('/who');
  await chat.untilPrinted(/You are ann|is not joined yet/);
  expect(chat.stderr()).toBe('');
});
