// What playwright and a Chromium say to each other over two pipes: JSON, each message ended by a NUL.
import type { Duplex } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';

/** Of one message: a screenshot of a long page is some megabytes. */
const maxMessageBytes = 67_108_864;

/** Closes when the pipes do, when it is told to, and behind what is no message. */
export function pipeTransport(toBrowser: Duplex, fromBrowser: Duplex): ConnectOverCDPTransport {
  let pieces: Buffer[] = [];
  let size = 0;
  let state: 'open' | 'closed' = 'open';
  const transport: ConnectOverCDPTransport = {
    send: (message) => void toBrowser.write(`${JSON.stringify(message)}\0`),
    close,
  };

  function close(): void {
    if (state === 'closed') return;
    state = 'closed';
    pieces = [];
    queueMicrotask(() => transport.onclose?.());
  }
  const take = () => {
    const text = Buffer.concat(pieces).toString('utf8');
    pieces = [];
    size = 0;
    try {
      transport.onmessage?.(JSON.parse(text));
    } catch {
      close();
    }
  };
  fromBrowser.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let to = chunk.indexOf(0); to !== -1 && state === 'open'; to = chunk.indexOf(0, from)) {
      pieces.push(chunk.subarray(from, to));
      from = to + 1;
      take();
    }
    if (state === 'closed') return; // still read, so that nobody waits for room in the pipe
    size += chunk.length - from;
    pieces.push(chunk.subarray(from));
    if (size > maxMessageBytes) close();
  });
  fromBrowser.on('close', close);
  return transport;
}
