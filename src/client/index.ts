// `@belay/runtime/client`: the other end of the wire, for Node and browsers.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public
export type { AnswerOptions } from './answer.ts';
export type { Backoff } from './backoff.ts';
export type { CancelAnswer, CancelHandle, CancelOptions } from './cancel.ts';
export { type Client, type ConnectOptions, connect, createClient, type EarlyClient } from './client.ts';
export type { ClientSources } from './client-sources.ts';
export { CommandRefused, ConnectionClosed, NotConnected, SessionEnded, TurnNotCompleted } from './errors.ts';
export type { ClientSession, SayOptions } from './joined-session.ts';
export type { ClientSocket, CreateSocket } from './open-socket.ts';
export type { ClientState, ReconnectOptions, TokenSource, Welcome } from './reconnecting-link.ts';
export type { Refs } from './refs.ts';
export type { ToolHandle, Turn, TurnEvent } from './turn.ts';
