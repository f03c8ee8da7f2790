// `@belay/runtime`: the public names of the library. What each takes, gives and throws stands where it is declared; docs/how-to/embed.md shows them at work.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

// -- words that all of these share
export type { Fact, FactOf, FactType, Recorded } from '../machines/facts.ts';
// -- rules, hooks and bounds of a runtime
export type { Evidence, NodeView, Standing, Verdict } from '../machines/standing.ts';
export { standing } from '../machines/standing.ts';
export type {
  Cause,
  CauseSource,
  Effect,
  NodeId,
  NodeKind,
  OutcomeKind,
  Policy,
  Role,
  SessionKind,
  Speaker,
  SpeakerId,
  Usage,
} from '../machines/vocabulary.ts';
export { defaultLimits, type Limits } from './actors/limits.ts';
export type {
  CallAttribution,
  Draft,
  InterceptedCall,
  InterceptedOutcome,
  Interceptor,
  InterceptorVerdict,
} from './actors/plane.ts';
// -- what a seat gives: the same objects that a client has
export type { CancelAnswer, CancelHandle, CancelOptions } from './client/cancel.ts';
export { CommandRefused, ConnectionClosed, SessionEnded } from './client/errors.ts';
export type { ClientSession, SayOptions } from './client/session.ts';
export type { Turn, TurnEvent } from './client/turn.ts';
// -- the runtime, and a speaker's seat in one of its sessions
export { attach, type Door, type DoorOptions } from './embed/attach.ts';
// -- models
export { createOpenAIProvider, type OpenAIProviderOptions } from './embed/openai.ts';
export {
  createRuntime,
  type EmbeddedRuntime,
  type EmbeddedSession,
  type RuntimeOptions,
  type SeatOptions,
} from './embed/runtime.ts';
export type { Seat } from './embed/seat.ts';
// -- doors: what one of one's own is built on, and who may come in through a gateway
export type { Authenticator, Proof } from './gateway/auth/authenticator.ts';
export { createJwtAuthenticator, type JwtKey, type JwtOptions, readJwtKeyFile } from './gateway/auth/jwt.ts';
export { createTokenAuthenticator, readTokenFile, type TokenEntries } from './gateway/auth/token-file.ts';
export type { GatewayLimits } from './gateway/limits.ts';
export type { Message, MessageCall, ModelEnd, ModelRequest, ModelStream, Provider } from './model/provider.ts';
export type { FactFrame, ServerFrame, ServerFrameOf, TextPiece } from './protocol/frames.ts';
export type { AgentSpec, Observer, SessionSpec } from './runtime/config.ts';
export type {
  Joined,
  Listener,
  LiveNode,
  Member,
  Runtime,
  SequencedFact,
  Session,
  SessionEnd,
} from './runtime/face.ts';
export { RuntimeClosing } from './runtime/runtime.ts';
export type { Clock, Sources } from './sources/sources.ts';
export { systemSources } from './sources/system.ts';
export { type BuiltinOptions, builtinTools } from './tools/builtin/tools.ts';
// -- tools
export { ToolDeclarationError } from './tools/declaration.ts';
export { defineTool, type ToolDefinition } from './tools/define.ts';
export type {
  Approval,
  Asked,
  CancelContract,
  JsonSchema,
  Key,
  Tool,
  ToolContext,
  ToolEnd,
  TurnStatus,
} from './tools/tool.ts';
// -- transcripts
export { Fenced, type Log, type LogBody, type LoggedEvent, type LogHead, StoreFailed } from './transcript/log.ts';
export { createMemoryLog } from './transcript/memory.ts';
export { createSqliteLog } from './transcript/sqlite.ts';
