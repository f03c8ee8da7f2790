// What waits for one client. A reader that keeps up has nothing here; a slow one gets merged deltas, and in the end is dropped.
//
// 1. Facts and answers keep their order, and go before deltas.
// 2. A delta that waits is discarded when its block ends or is stopped: the durable fact has the text.
// 3. Nobody else waits: handing something in never blocks, and what waits is bounded in bytes.
import type { NodeId } from '../../machines/vocabulary.ts';
import { encodeFrame } from '../protocol/codec.ts';
import type { TextDeltaFrame, ToolOutputFrame } from '../protocol/server-frames.ts';
import type { Peer } from './peer.ts';

export interface OutboxLimits {
  /** Bytes that may wait in the socket before things queue here. */
  readonly socketBytes: number;
  /** Bytes that may queue here. */
  readonly queueBytes: number;
  /** Characters of a call's output that are kept: the last ones. */
  readonly outputChars: number;
}

export interface Outbox {
  /** A fact or an answer, encoded. */
  frame(text: string): void;
  text(delta: TextDeltaFrame): void;
  output(delta: ToolOutputFrame): void;
  /** Null while nothing waits here; else a promise that resolves when nothing does any more, or all is thrown away. */
  room(): Promise<void> | null;
  /** The block has ended: what waits of it is void. */
  dropBlock(session: string, turn: NodeId, index: number): void;
  /** The turns are being stopped: likewise for all their blocks. */
  dropTurns(session: string, turns: readonly NodeId[]): void;
  /** Nothing of a session is sent any more but frames. */
  dropSession(session: string): void;
  /** What waits is thrown away, and nothing is taken any more. */
  close(): void;
}

export interface OutboxListener {
  /** More waits than may. */
  overflow(): void;
  /** The peer has taken something, and has a way to go: a sign of life, when its pongs are behind all that. */
  progress(): void;
}

/** Bytes in the socket that a client who keeps up never has. */
const backlogBytes = 16_384;

export function createOutbox(peer: Peer, limits: OutboxLimits, { overflow, progress }: OutboxListener): Outbox {
  const frames: string[] = [];
  const texts = new Map<string, TextDeltaFrame[]>();
  const outputs = new Map<string, ToolOutputFrame>();
  let queued = 0; // bytes, by the texts alone for deltas
  let state: 'open' | 'closed' = 'open';
  let emptied: PromiseWithResolvers<void> | null = null;

  const hasRoom = () => peer.waiting <= limits.socketBytes;
  const isEmpty = () => frames.length === 0 && texts.size === 0 && outputs.size === 0;
  const send = (text: string) => peer.send(text, flush);

  /** Something has left this process. */
  function flush(): void {
    if (!isEmpty() || peer.waiting > backlogBytes) progress();
    drain();
    if (hasRoom() && isEmpty()) letGo();
  }

  function letGo(): void {
    emptied?.resolve();
    emptied = null;
  }

  function drain(): void {
    while (hasRoom() && frames.length > 0) {
      const text = frames.shift() as string;
      queued -= Buffer.byteLength(text);
      send(text);
    }
    for (const waiting of [texts, outputs]) {
      for (const [key, value] of waiting) {
        if (!hasRoom()) return;
        waiting.delete(key);
        for (const delta of Array.isArray(value) ? value : [value]) {
          queued -= Buffer.byteLength(delta.text);
          send(encodeFrame(delta));
        }
      }
    }
  }

  function grow(bytes: number): void {
    queued += bytes;
    if (queued > limits.queueBytes) overflow();
  }

  function dropTexts(matches: (delta: TextDeltaFrame) => boolean): void {
    for (const [key, deltas] of texts) {
      const [first] = deltas;
      if (!first || !matches(first)) continue;
      texts.delete(key);
      for (const { text } of deltas) queued -= Buffer.byteLength(text);
    }
  }

  return {
    frame(text) {
      if (state === 'closed') return;
      if (hasRoom() && frames.length === 0) return send(text);
      frames.push(text);
      grow(Buffer.byteLength(text));
    },

    text(delta) {
      if (state === 'closed') return;
      if (hasRoom() && isEmpty()) return send(encodeFrame(delta));
      const key = JSON.stringify([delta.session, delta.turn, delta.index]);
      const deltas = texts.get(key) ?? [];
      const last = deltas.at(-1);
      if (last && last.offset + last.text.length === delta.offset) {
        deltas[deltas.length - 1] = { ...last, text: last.text + delta.text };
      } else deltas.push(delta);
      texts.set(key, deltas);
      grow(Buffer.byteLength(delta.text));
    },

    output(delta) {
      if (state === 'closed') return;
      if (hasRoom() && isEmpty()) return send(encodeFrame(delta));
      const key = JSON.stringify([delta.session, delta.node]);
      const before = outputs.get(key);
      const text = (before?.text ?? '') + delta.text;
      const cut = Math.max(0, text.length - limits.outputChars);
      const skipped = (before?.skipped ?? 0) + cut;
      const merged = { ...delta, text: text.slice(cut), ...(skipped > 0 && { skipped }) };
      outputs.set(key, merged);
      grow(Buffer.byteLength(merged.text) - Buffer.byteLength(before?.text ?? ''));
    },

    room() {
      if (state === 'closed' || (hasRoom() && isEmpty())) return null;
      emptied ??= Promise.withResolvers<void>();
      return emptied.promise;
    },

    dropBlock: (session, turn, index) =>
      dropTexts((delta) => delta.session === session && delta.turn === turn && delta.index === index),
    dropTurns: (session, turns) => dropTexts((delta) => delta.session === session && turns.includes(delta.turn)),

    dropSession(session) {
      dropTexts((delta) => delta.session === session);
      for (const [key, delta] of outputs) {
        if (delta.session !== session) continue;
        outputs.delete(key);
        queued -= Buffer.byteLength(delta.text);
      }
    },

    close() {
      state = 'closed';
      frames.length = 0;
      texts.clear();
      outputs.clear();
      queued = 0;
      letGo();
    },
  };
}
