// `@belay/runtime/client`: a client of a gateway, for Node and browsers.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export type { TurnOptions } from '../wire/client-frames.ts';
export type { ContentPart } from '../wire/said-parts.ts';
export type { Answer, AnswerOptions, AnswerValues } from './answer-options.ts';
export type { Backoff } from './backoff.ts';
export {
  type BrowserSoundOptions,
  type PlayedSound,
  type RecorderOptions,
  type SoundContext,
  type SoundNode,
  SoundPlayer,
  SoundRecorder,
  type SoundSource,
} from './browser-sound.ts';
export type { CallEnd, CallStopNotice, OpenedCallHandle } from './call-in-flight.ts';
export type { CancelHandle, CancelOptions, CancelReplyFrame } from './cancel-in-flight.ts';
export { type Client, type ConnectingClient, type ConnectOptions, connect, createClient } from './client.ts';
export type { ClientSources } from './client-sources.ts';
export type {
  BargeInOptions,
  DelegateOptions,
  ForkOptions,
  InviteLinkOptions,
  InviteOptions,
  NamedInviteOptions,
  OpenCallOptions,
  PlayedText,
  ReadOptions,
  RoomOptions,
  SteerOptions,
  TranscriptOptions,
} from './command-options.ts';
export type { CreateRef } from './command-ref.ts';
export {
  CommandRefused,
  ConnectionClosed,
  NotConnected,
  NotSupported,
  SessionEnded,
  TakenAsCancel,
  TurnNotCompleted,
} from './errors.ts';
export type { ValidateFrame } from './frame-socket.ts';
export type { ClientSession, ResumeOptions, SayOptions, SessionState } from './joined-session.ts';
export type { ClientSocket, CreateSocket } from './open-socket.ts';
export type { ClientState, ReconnectOptions, TokenSource, Welcome } from './reconnecting-link.ts';
export type { RoomSpeaker, TranscriptReply } from './room-speaker.ts';
export { SessionSound, type SoundClient, type SpokenSound } from './session-sound.ts';
export { soundWorklet } from './sound-worklet.ts';
export type { InputFate, ToolHandle, Turn, TurnEvent } from './turn-in-flight.ts';
export type { CallSummary, TurnSummary } from './turn-summary.ts';
export { readArguments } from './view/call-arguments.ts';
export { titleOfCall } from './view/call-title.ts';
export type { ViewLimits } from './view/fold.ts';
export { findNodes } from './view/live-tree.ts';
export { depthOf, findNode, isRootTurn, nameOf, ownerOf, runningMs } from './view/node-names.ts';
export { findQuestions, questionWords } from './view/questions.ts';
export { SessionView, type ViewedSession } from './view/session-view.ts';
export type {
  AwaitedCallView,
  CallResult,
  CallView,
  NodeState,
  NodeView,
  QuestionView,
  ReceiptView,
  SessionSnapshot,
  TextBlockView,
  TurnView,
} from './view/snapshot.ts';
