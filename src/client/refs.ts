// Names for commands, so that an answer finds its way back and a repeated CANCEL is known as one. The client is at the edge: here chance is real.

const refBytes = 12; // 96 bits: unique for a speaker, on all of its connections

export type Refs = () => string;

export const randomRefs: Refs = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(refBytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
