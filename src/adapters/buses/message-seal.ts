// Seals messages with the key of the cluster: sender, time, count, subject and text are authenticated.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fieldsOf } from '../../core/collections/fields.ts';

/** The version of the messages: one of another version is dropped. */
const version = 1;
const macChars = 64;

/** What stands before the text of a message. */
export interface MessageHead {
  readonly from: string;
  /** The time of day of the sender, in milliseconds since 1970. */
  readonly at: number;
  /** Counts the messages of the sender. */
  readonly count: number;
  /** `none`: the reply of a host that does not answer on the subject. */
  readonly kind: 'text' | 'ask' | 'answer' | 'none';
  /** The id of a question; empty where there is none. */
  readonly id: string;
  /** Which piece of how many this is, and the count of the first one. */
  readonly piece: readonly [index: number, count: number, first: number];
}

export interface SealedMessage {
  readonly head: MessageHead;
  readonly text: string;
}

const macOf = (key: string, subject: string, sealed: string) =>
  createHmac('sha256', key).update(`${subject}\n${sealed}`).digest('hex');

/** Returns the message as it is carried. */
export function sealMessage(key: string, subject: string, head: MessageHead, text: string): string {
  const sealed = `${JSON.stringify({ version, ...head })}\n${text}`;
  return macOf(key, subject, sealed) + sealed;
}

/** Returns the message; null: it has another key, another subject, another version, or was changed. */
export function openMessage(key: string, subject: string, carried: string): SealedMessage | null {
  const sealed = carried.slice(macChars);
  const mac = Buffer.from(carried.slice(0, macChars));
  const expected = Buffer.from(macOf(key, subject, sealed));
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return null;
  const end = sealed.indexOf('\n');
  const head: unknown = JSON.parse(sealed.slice(0, end)); // a host of the cluster has written it
  if (fieldsOf(head)['version'] !== version) return null;
  return { head: head as MessageHead, text: sealed.slice(end + 1) }; // a host of the cluster has made it, in this version
}
