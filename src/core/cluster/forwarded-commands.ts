// The commands that a host sends to the holder of their session, and the form that they have on the bus.
import { fieldsOf } from '../collections/fields.ts';
import { BlobTooLarge } from '../contracts/blobs.ts';
import { HeldElsewhere, StoreFailed } from '../contracts/log.ts';
import { AccessDenied, TooManyOpens } from '../runtime/admission.ts';
import { SessionOptionsDiffer } from '../runtime/session-opening.ts';
import type { Runtime, VoiceRuntime } from '../session/api.ts';
import type { CallRuntime } from '../session/call-api.ts';
import { SessionInUse } from '../session/session-archive.ts';
import type { Ids } from '../sources/sources.ts';

type OfRuntime = Pick<
  Runtime,
  | 'open'
  | 'say'
  | 'resume'
  | 'cancel'
  | 'settled'
  | 'answer'
  | 'storeBlobs'
  | 'importMessages'
  | 'delegate'
  | 'setSpeaker'
  | 'invite'
  | 'remove'
  | 'createInvite'
  | 'revokeInvite'
  | 'redeemInvite'
  | 'setToolTimeout'
  | 'renameSession'
  | 'readOffer'
  | 'deleteSession'
  | 'nodes'
  | 'leave'
>;

/** The commands by name. Those with the same name as a command of the runtime are that. */
export interface ForwardedCommands extends OfRuntime {
  readonly transcript: VoiceRuntime['transcript'];
  readonly bargeIn: VoiceRuntime['bargeIn'];
  readonly played: VoiceRuntime['played'];
  readonly openCall: CallRuntime['open'];
  readonly reportCall: CallRuntime['report'];
  readonly settleCall: CallRuntime['settle'];
}

export type CommandName = keyof ForwardedCommands;

/** Returns the commands of a runtime by name. */
export const forwardedCommandsOf = (runtime: Runtime): ForwardedCommands => ({
  open: (...given) => runtime.open(...given),
  say: (...given) => runtime.say(...given),
  resume: (...given) => runtime.resume(...given),
  cancel: (...given) => runtime.cancel(...given),
  settled: (...given) => runtime.settled(...given),
  answer: (...given) => runtime.answer(...given),
  storeBlobs: (...given) => runtime.storeBlobs(...given),
  importMessages: (...given) => runtime.importMessages(...given),
  delegate: (...given) => runtime.delegate(...given),
  setSpeaker: (...given) => runtime.setSpeaker(...given),
  invite: (...given) => runtime.invite(...given),
  remove: (...given) => runtime.remove(...given),
  createInvite: (...given) => runtime.createInvite(...given),
  revokeInvite: (...given) => runtime.revokeInvite(...given),
  redeemInvite: (...given) => runtime.redeemInvite(...given),
  setToolTimeout: (...given) => runtime.setToolTimeout(...given),
  renameSession: (...given) => runtime.renameSession(...given),
  readOffer: (...given) => runtime.readOffer(...given),
  deleteSession: (...given) => runtime.deleteSession(...given),
  nodes: (...given) => runtime.nodes(...given),
  leave: (...given) => runtime.leave(...given),
  transcript: (...given) => runtime.voice.transcript(...given),
  bargeIn: (...given) => runtime.voice.bargeIn(...given),
  played: (...given) => runtime.voice.played(...given),
  openCall: (...given) => runtime.external.open(...given),
  reportCall: (...given) => runtime.external.report(...given),
  settleCall: (...given) => runtime.external.settle(...given),
});

/** What a holder is asked. `id`: the same question under it is answered by what the first one did. */
export interface HolderQuestion {
  readonly id: string;
  readonly name: CommandName | 'join';
  /** The session first. */
  readonly given: readonly unknown[];
}

/** `working`: ask again. `moved`: this host does not hold the session, and nothing has happened. */
export type HolderReply =
  | { readonly type: 'done'; readonly value?: unknown }
  | { readonly type: 'failed'; readonly error: CarriedError }
  | { readonly type: 'working' | 'moved' };

export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const classes: Readonly<Record<string, { readonly prototype: Error }>> = {
  AccessDenied,
  TooManyOpens,
  SessionInUse,
  SessionOptionsDiffer,
  BlobTooLarge,
  StoreFailed,
  HeldElsewhere,
  RangeError,
  TypeError,
};

/** Returns an error as a plain value. */
export function carriedError(error: unknown): CarriedError {
  const { name, message } = ownText(error);
  const { stack: _stack, cause: _cause, name: _name, message: _message, ...fields } = fieldsOf(error);
  return { name, message, fields };
}

const ownText = (error: unknown) =>
  error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: String(error) };

/** Returns the error that was carried: of its class, where doors know it by that. */
export function errorFrom({ name, message, fields }: CarriedError): Error {
  const error = Object.assign(new Error(message), fields);
  const known = classes[name];
  if (known) Object.setPrototypeOf(error, known.prototype);
  Object.defineProperty(error, 'name', { value: name, configurable: true, enumerable: false, writable: true });
  return error;
}

const withOwnRef: ReadonlySet<string> = new Set<CommandName>(['say', 'resume', 'cancel']);

/** Returns what a command is given: one that may be sent twice has a ref, and gets one where it has none. */
export function withRef(name: CommandName, given: readonly unknown[], ids: Ids): readonly unknown[] {
  const [session, caller, request] = given;
  if (!withOwnRef.has(name) || fieldsOf(request)['ref'] !== undefined) return given;
  return [session, caller, { ...fieldsOf(request), ref: ids('ref') }];
}

/** Returns what is given to a command, as plain values. */
export function carriedArguments(name: CommandName, given: readonly unknown[]): readonly unknown[] {
  if (name !== 'storeBlobs') return given;
  const [session, contents] = given as Parameters<Runtime['storeBlobs']>; // by its name
  return [session, contents.map((bytes) => Buffer.from(bytes).toString('base64'))];
}

/** Returns what a command is given at the holder. */
export function givenArguments(name: CommandName, carried: readonly unknown[]): readonly unknown[] {
  if (name === 'open') return carried.map((value) => value ?? undefined); // JSON has no undefined
  if (name !== 'storeBlobs') return carried;
  const [session, contents] = carried as [string, readonly string[]]; // as above
  return [session, contents.map((text) => Buffer.from(text, 'base64'))];
}
