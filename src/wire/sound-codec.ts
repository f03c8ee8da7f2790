// Encodes and decodes the binary frames of sound, as docs/protocol.md has them: a header of twelve bytes, two names, and samples.

/** The version of the header. */
export const soundVersion = 1;
export const soundHeaderBytes = 12;
/** A sample has 16 bits. */
const bytesPerSample = 2;

/** `speaker`: from a client. `speech`: from a gateway. */
const kinds = { speaker: 1, speech: 2 } as const;
export type SoundKind = keyof typeof kinds;

/** A binary frame. */
export interface SoundFrame {
  readonly kind: SoundKind;
  readonly session: string;
  /** A speaker, or a turn. An empty one: the speaker of the connection. */
  readonly name: string;
  /** The index of the text block; 0 for a speaker. */
  readonly block: number;
  /** The number of samples before it. */
  readonly position: number;
  /** At least one sample. */
  readonly pcm: Uint8Array;
}

export type DecodedSound =
  | { readonly ok: true; readonly sound: SoundFrame }
  | { readonly ok: false; readonly message: string };

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The greatest block and position of a header. */
const maxBlock = 0xffff;
const maxPosition = 0xffff_ffff;

/** Encodes a frame. */
export function encodeSound({ kind, session, name, block, position, pcm }: SoundFrame): Uint8Array {
  const [sessionBytes, nameBytes] = [utf8.encode(session), utf8.encode(name)];
  const start = soundHeaderBytes + sessionBytes.length + nameBytes.length;
  const message = new Uint8Array(start + pcm.length);
  const view = new DataView(message.buffer);
  view.setUint8(0, soundVersion);
  view.setUint8(1, kinds[kind]);
  view.setUint8(2, sessionBytes.length);
  view.setUint16(4, nameBytes.length, true);
  view.setUint16(6, Math.min(block, maxBlock), true);
  view.setUint32(8, position % (maxPosition + 1), true);
  message.set(sessionBytes, soundHeaderBytes);
  message.set(nameBytes, soundHeaderBytes + sessionBytes.length);
  message.set(pcm, start);
  return message;
}

/** Decodes a message of one kind. Never throws, whatever it is. The samples are a view of the message. */
export function decodeSound(message: Uint8Array, kind: SoundKind): DecodedSound {
  const bad = (text: string): DecodedSound => ({ ok: false, message: `The sound is not valid: ${text}.` });
  if (message.length < soundHeaderBytes)
    return bad(`it has ${message.length} bytes, and its header alone has ${soundHeaderBytes}`);
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if (view.getUint8(0) !== soundVersion) return bad(`its version is ${view.getUint8(0)}, not ${soundVersion}`);
  if (view.getUint8(1) !== kinds[kind]) return bad(`its kind is ${view.getUint8(1)}, not ${kinds[kind]}`);
  if (view.getUint8(3) !== 0) return bad(`the byte 3 is ${view.getUint8(3)}, not 0`);
  const nameStart = soundHeaderBytes + view.getUint8(2);
  const start = nameStart + view.getUint16(4, true);
  const bytes = message.length - start;
  if (bytes <= 0) return bad('it has no samples after its names');
  if (bytes % bytesPerSample !== 0) return bad(`its samples have ${bytes} bytes, which is not a multiple of 2`);
  try {
    const session = strictUtf8.decode(message.subarray(soundHeaderBytes, nameStart));
    const name = strictUtf8.decode(message.subarray(nameStart, start));
    const [block, position] = [view.getUint16(6, true), view.getUint32(8, true)];
    return { ok: true, sound: { kind, session, name, block, position, pcm: message.subarray(start) } };
  } catch {
    return bad('a name in it is not UTF-8');
  }
}
