// The frames that wait for one slow reader: facts and replies in their order, deltas merged.
import type { NodeId } from '../../machines/vocabulary.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { TextDeltaFrame, ToolOutputFrame } from '../wire/server-frames.ts';

export class Backlog {
  readonly #outputChars: number;
  readonly #frames: string[] = [];
  /** By block. A block has several entries if a delta did not continue the one before. */
  readonly #texts = new Map<string, TextDeltaFrame[]>();
  /** By call. */
  readonly #outputs = new Map<string, ToolOutputFrame>();
  #bytes = 0; // of deltas the texts alone

  /** `outputChars`: characters that are kept of a call's output, the last ones. */
  constructor(outputChars: number) {
    this.#outputChars = outputChars;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0 && this.#texts.size === 0 && this.#outputs.size === 0;
  }

  get hasFrames(): boolean {
    return this.#frames.length > 0;
  }

  addFrame(text: string): void {
    this.#frames.push(text);
    this.#bytes += Buffer.byteLength(text);
  }

  addText(delta: TextDeltaFrame): void {
    const key = JSON.stringify([delta.session, delta.turn, delta.index]);
    const deltas = this.#texts.get(key) ?? [];
    const last = deltas.at(-1);
    if (last && last.offset + last.text.length === delta.offset) {
      deltas[deltas.length - 1] = { ...last, text: last.text + delta.text };
    } else deltas.push(delta);
    this.#texts.set(key, deltas);
    this.#bytes += Buffer.byteLength(delta.text);
  }

  addOutput(delta: ToolOutputFrame): void {
    const key = JSON.stringify([delta.session, delta.node]);
    const before = this.#outputs.get(key);
    const text = (before?.text ?? '') + delta.text;
    const cutChars = Math.max(0, text.length - this.#outputChars);
    const skipped = (before?.skipped ?? 0) + cutChars;
    const merged = { ...delta, text: text.slice(cutChars), ...(skipped > 0 && { skipped }) };
    this.#outputs.set(key, merged);
    this.#bytes += Buffer.byteLength(merged.text) - Buffer.byteLength(before?.text ?? '');
  }

  /** Removes and returns the next frame, encoded; undefined when nothing waits. Facts and replies go first, then texts, then outputs. */
  shift(): string | undefined {
    const frame = this.#frames.shift();
    if (frame !== undefined) {
      this.#bytes -= Buffer.byteLength(frame);
      return frame;
    }
    for (const [key, deltas] of this.#texts) {
      const delta = deltas.shift();
      if (deltas.length === 0) this.#texts.delete(key);
      if (delta) return this.#encode(delta);
    }
    for (const [key, delta] of this.#outputs) {
      this.#outputs.delete(key);
      return this.#encode(delta);
    }
    return undefined;
  }

  #encode(delta: TextDeltaFrame | ToolOutputFrame): string {
    this.#bytes -= Buffer.byteLength(delta.text);
    return encodeFrame(delta);
  }

  dropBlock(session: string, turn: NodeId, index: number): void {
    this.#dropTexts((delta) => delta.session === session && delta.turn === turn && delta.index === index);
  }

  dropTurns(session: string, turns: readonly NodeId[]): void {
    this.#dropTexts((delta) => delta.session === session && turns.includes(delta.turn));
  }

  /** Drops the deltas of a session; its facts and replies stay. */
  dropSession(session: string): void {
    this.#dropTexts((delta) => delta.session === session);
    for (const [key, delta] of this.#outputs) {
      if (delta.session !== session) continue;
      this.#outputs.delete(key);
      this.#bytes -= Buffer.byteLength(delta.text);
    }
  }

  #dropTexts(matches: (delta: TextDeltaFrame) => boolean): void {
    for (const [key, deltas] of this.#texts) {
      const [first] = deltas;
      if (!first || !matches(first)) continue;
      this.#texts.delete(key);
      for (const { text } of deltas) this.#bytes -= Buffer.byteLength(text);
    }
  }
}
