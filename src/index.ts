// `@belay/runtime`: the public names of the library. What each takes, gives and throws stands where it is declared; docs/how-to/embed.md shows them at work.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

import './process/assert-node.ts';

// -- the runtime, and the local sessions of its speakers

export { attach, type Door, type DoorOptions } from './embed/attach.ts';
export { type BoundSession, bindSession } from './embed/bound-session.ts';
export type { EmbeddedSession, LocalSessionOptions } from './embed/embedded-session.ts';
export type { LocalSession } from './embed/local-session.ts';
export { createMetrics } from './embed/metrics.ts';
export { createRuntime, type EmbeddedRuntime, type RuntimeOptions } from './embed/runtime.ts';
export type { ListOptions, StoredSessions } from './embed/stored-sessions.ts';
export { AccessDenied, TooManyOpens } from './runtime/admission.ts';
export { RuntimeClosing } from './runtime/runtime-closing.ts';
export { SessionInUse } from './session/session-archive.ts';

// -- the objects that a local session and a client share

export type { ModelOptions, TurnOptions } from '../machines/model-options.ts';
export type { Answer, AnswerOptions, AnswerValues } from './client/answer-options.ts';
export type { CancelHandle, CancelOptions, CancelReplyFrame } from './client/cancel-in-flight.ts';
export { CommandRefused, SessionEnded, TakenAsCancel, TurnNotCompleted } from './client/errors.ts';
export type { ClientSession, ResumeOptions, SayOptions } from './client/joined-session.ts';
export type { ToolHandle, Turn, TurnEvent } from './client/turn-in-flight.ts';
export type { FactFrame } from './protocol/fact-frames.ts';
export type { ServerFrame, ServerFrameOf } from './protocol/server-frames.ts';

// -- tools

export type { McpServers, McpState } from './mcp/api.ts';
export { ServerSlots } from './mcp/server-slots.ts';
export { connectMcpServers, type McpOptions } from './mcp/servers.ts';
export { mcpServersOnDemand, type ServersOnDemandOptions } from './mcp/servers-on-demand.ts';
export { type BuiltinOptions, builtinTools } from './tools/builtin/builtin-tools.ts';
export { ToolDeclarationError } from './tools/declaration-rules.ts';
export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export type { IsolatedContext, IsolatedRun } from './tools/isolate/isolate-messages.ts';
export {
  type IsolatedDefinition,
  type Isolation,
  type IsolationKind,
  isolatedTool,
} from './tools/isolate/isolated-tool.ts';
export type { OfferContent, OfferedPrompt, OfferRequest, OfferSource, ServerOffers } from './tools/offers.ts';
export type {
  Approval,
  CancelContract,
  ExclusiveKey,
  FolderKey,
  KeyScope,
  NamedKey,
  QuestionOptions,
  Tool,
  ToolContext,
  ToolEnd,
  TurnStatus,
} from './tools/tool.ts';
export type { ToolInstructions, ToolSource } from './tools/tool-source.ts';

// -- models, and where transcripts are kept

export {
  type ContentPart,
  describeMedia,
  type LoadedMedia,
  type LoadedPart,
  type MediaPart,
} from '../machines/content.ts';
export type { Message, MessageCall } from '../machines/messages.ts';
export { type AiSdkProviderOptions, createAiSdkProvider } from './embed/ai-sdk-provider.ts';
export { createOpenAIProvider, type OpenAIProviderOptions } from './embed/openai-provider.ts';
export type { AiSdkModel, AiSdkProviderTool } from './model/ai-sdk/ai-sdk-model.ts';
export type { ModelEnd, ModelRequest, ModelStream, Provider } from './model/provider.ts';
export { createHttpFetch as createModelFetch } from './model/transport/http-fetch.ts';
export { type BlobLimits, type BlobStore, BlobTooLarge, type GivenBlob } from './transcript/blobs.ts';
export {
  type Deletion,
  Fenced,
  HeldElsewhere,
  type Host,
  type HostProcess,
  type Log,
  type LogBody,
  type LoggedEvent,
  type LogHead,
  StoreFailed,
} from './transcript/log.ts';
export { createMemoryLog } from './transcript/memory.ts';
export { createSqliteLog } from './transcript/sqlite.ts';

// -- rules, hooks and bounds of a runtime

export {
  type AccessAction,
  type AccessRule,
  type AccessSession,
  type AccessSpeaker,
  type AccessVerdict,
  access,
  type BuiltinAccess,
} from '../machines/access.ts';
export { type Evidence, type StandingNode, type StandingRule, standing, type Verdict } from '../machines/standing.ts';
export {
  createInspector,
  type InspectionListener,
  type Inspector,
  type InspectorOptions,
} from './inspector/inspector.ts';
export { isCancelIntent } from './intent/cancel-intent.ts';
export type { StopLexicon } from './intent/lexicons/lexicon.ts';
export { type StopLanguage, type StopPhraseOptions, stopLanguages } from './intent/stop-phrase-options.ts';
export type { InspectionRecord } from './protocol/inspection.ts';
export type { AgentSpec } from './runtime/config.ts';
export type { Observer, SessionSpec } from './session/session-spec.ts';
export type { Metrics, MetricsOptions } from './telemetry/metrics-contract.ts';
export type {
  CallAttribution,
  Draft,
  InterceptedCall,
  InterceptedOutcome,
  Interceptor,
  InterceptorVerdict,
} from './workers/extensions.ts';
export { defaultLimits, type Limits } from './workers/session-limits.ts';

// -- doors: who may come in through a gateway, and what a door of one's own is built on

export type { SequencedFact } from '../machines/facts.ts';
export type { AwaitedCall, LiveNode, TextDelta } from '../machines/live-view.ts';
export type { Authenticator, Proof } from './gateway/auth/authenticator.ts';
export { createJwtAuthenticator, type JwtOptions } from './gateway/auth/jwt.ts';
export { type JwtKey, readJwtKeyFile } from './gateway/auth/jwt-key.ts';
export { createLocalAuthenticator, type LocalSpeaker } from './gateway/auth/local.ts';
export { createTokenAuthenticator, readTokenFile, type TokenEntries } from './gateway/auth/token-file.ts';
export type { GatewayLimits } from './gateway/gateway-limits.ts';
export type { Caller, Joined, Runtime, SessionEnd, SessionListener } from './session/api.ts';

// -- words that all of these share

export type { Fact, FactOf, FactType, RecordedFact } from '../machines/facts.ts';
export type { JsonSchema, ToolDeclaration } from '../machines/tool-declaration.ts';
export type {
  Cause,
  CauseSource,
  Effect,
  LeaveReason,
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
export type { Clock, Sources } from './sources/sources.ts';
export { systemSources } from './sources/system.ts';
