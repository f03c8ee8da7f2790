// `@belay/runtime/client`: the other end of the wire, for Node and browsers.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public
export type { CancelAnswer, CancelHandle, CancelOptions } from './cancel.ts';
export { type Client, type ConnectOptions, connect } from './client.ts';
export { CommandRefused, ConnectionClosed, SessionEnded } from './errors.ts';
export type { Refs } from './refs.ts';
export type { ClientSession, SayOptions } from './session.ts';
export type { Turn, TurnEvent } from './turn.ts';
