// Refs of commands: random names, by which a reply finds its command and a repeated CANCEL is known as one.

const refBytes = 12; // 96 bits: unique for a speaker, on all of its connections

export type CreateRef = () => string;

/** Makes a ref of 24 hexadecimal digits. */
export const randomRef: CreateRef = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(refBytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
