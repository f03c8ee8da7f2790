// `@belay/runtime`: the public names of the library. What each takes, gives and throws stands where it is declared; docs/how-to/embed.md shows them at work.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

import './adapters/processes/assert-node.ts';

// -- the runtime, and the local sessions of its speakers

export { AccessDenied, TooManyOpens } from './core/runtime/admission.ts';
export { RuntimeClosing } from './core/runtime/runtime-closing.ts';
export { SessionInUse, type SpeakerDeletionReport } from './core/session/session-archive.ts';
export { attach, type Door, type DoorOptions } from './embed/attach.ts';
export { type BoundSession, bindSession } from './embed/bound-session.ts';
export type { EmbeddedSession, LocalSessionOptions } from './embed/embedded-session.ts';
export type { LocalSession } from './embed/local-session.ts';
export { createMetrics } from './embed/metrics.ts';
export { createRuntime, type EmbeddedRuntime, type RuntimeOptions } from './embed/runtime.ts';
export type { SpeechWriter } from './embed/speech-writer.ts';
export type { ListOptions, StoredSessions } from './embed/stored-sessions.ts';

// -- the objects that a local session and a client share

export type { ModelOptions, TurnOptions } from '../machines/model-options.ts';
export type { Answer, AnswerOptions, AnswerValues } from './client/answer-options.ts';
export type { CancelHandle, CancelOptions, CancelReplyFrame } from './client/cancel-in-flight.ts';
export { CommandRefused, SessionEnded, TakenAsCancel, TurnNotCompleted } from './client/errors.ts';
export type { ClientSession, ResumeOptions, SayOptions } from './client/joined-session.ts';
export type { ToolHandle, Turn, TurnEvent } from './client/turn-in-flight.ts';
export type { CallSummary, TurnSummary } from './client/turn-summary.ts';
export type { FactFrame } from './wire/fact-frames.ts';
export type { ServerFrame, ServerFrameOf } from './wire/server-frames.ts';

// -- tools

export type { McpServers, McpState } from './adapters/mcp/api.ts';
export { ServerSlots } from './adapters/mcp/server-slots.ts';
export { connectMcpServers, type McpOptions } from './adapters/mcp/servers.ts';
export { mcpServersOnDemand, type ServersOnDemandOptions } from './adapters/mcp/servers-on-demand.ts';
export { type BuiltinOptions, builtinTools } from './adapters/tools/builtin/builtin-tools.ts';
export type { IsolatedContext, IsolatedRun } from './adapters/tools/isolate/isolate-messages.ts';
export {
  type IsolatedDefinition,
  type Isolation,
  type IsolationKind,
  isolatedTool,
} from './adapters/tools/isolate/isolated-tool.ts';
export { CancelError } from './core/contracts/cancel-error.ts';
export type { ClientMachine, ClientOffer, ClientTerminal, TerminalCommand } from './core/contracts/client-machine.ts';
export type { OfferContent, OfferedPrompt, OfferRequest, OfferSource, ServerOffers } from './core/contracts/offers.ts';
export type {
  Approval,
  CancelContract,
  ExclusiveKey,
  FolderKey,
  FolderKeyOptions,
  FolderKeyRules,
  KeyScope,
  NamedKey,
  QuestionOptions,
  Tool,
  ToolContext,
  ToolEnd,
  TurnStatus,
} from './core/contracts/tool.ts';
export type { ToolInstructions, ToolSource } from './core/contracts/tool-source.ts';
export { ToolDeclarationError } from './core/tools/declaration-rules.ts';
export { defineTool, type ToolDefinition } from './core/tools/define-tool.ts';

// -- models, and where transcripts are kept

export {
  type ContentPart,
  describeMedia,
  type LoadedMedia,
  type LoadedPart,
  type MediaPart,
} from '../machines/content.ts';
export type { Message, MessageCall } from '../machines/messages.ts';
export {
  type ChannelHub,
  type ChannelProcess,
  createChannelBus,
  createChannelHub,
} from './adapters/buses/channel-bus.ts';
export { createLocalBuses, type LocalBuses, type LocalBusesOptions } from './adapters/buses/local-buses.ts';
export { createNatsBus, type NatsBusOptions } from './adapters/buses/nats-bus.ts';
export type { BusOptions } from './adapters/buses/sealed-bus.ts';
export type { AiSdkModel, AiSdkProviderTool } from './adapters/models/ai-sdk/ai-sdk-model.ts';
export type { RealtimeVoice } from './adapters/models/realtime/request-params.ts';
export { createHttpFetch as createModelFetch } from './adapters/models/transport/http-fetch.ts';
export { createMemoryLog, type MemoryLogOptions } from './adapters/stores/memory.ts';
export { createPostgresLog, type PostgresLogOptions } from './adapters/stores/postgres/postgres.ts';
export { createSqliteLog } from './adapters/stores/sqlite.ts';
export { type BlobLimits, type BlobStore, BlobTooLarge, type GivenBlob } from './core/contracts/blobs.ts';
export type { Bus, BusAnswer, BusState } from './core/contracts/bus.ts';
export {
  type Deletion,
  Fenced,
  HeldElsewhere,
  type Host,
  type HostProcess,
  type Log,
  type LogBody,
  type LogDeletions,
  type LoggedEvent,
  type LogHead,
  type Purge,
  type SpeakerDeletion,
  StoreFailed,
} from './core/contracts/log.ts';
export type { ModelEnd, ModelRequest, ModelStream, Provider } from './core/contracts/provider.ts';
export { type SpeakerSound, type SpeechSound, soundFormat } from './core/contracts/sound.ts';
export type {
  CutSpeech,
  HeardVoice,
  HeardWords,
  MadeSound,
  SpeechLink,
  SpeechModel,
  SpeechRoom,
  WordsFate,
} from './core/contracts/speech-model.ts';
export { type AiSdkProviderOptions, createAiSdkProvider } from './embed/ai-sdk-provider.ts';
export { createOpenAIProvider, type OpenAIProviderOptions } from './embed/openai-provider.ts';
export { createRealtimeModel, type RealtimeModelOptions } from './embed/realtime-model.ts';

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
export type { Metrics, MetricsOptions } from './adapters/telemetry/metrics-contract.ts';
export { isCancelIntent } from './core/intent/cancel-intent.ts';
export type { StopLexicon } from './core/intent/lexicons/lexicon.ts';
export { isResumeIntent } from './core/intent/resume-intent.ts';
export { type StopLanguage, type StopPhraseOptions, stopLanguages } from './core/intent/stop-phrase-options.ts';
export type { AgentSpec, SessionServers } from './core/runtime/config.ts';
export type { FactMoments, Observer, SessionSpec } from './core/session/session-spec.ts';
export type {
  CallAttribution,
  Draft,
  InterceptedCall,
  InterceptedOutcome,
  Interceptor,
  InterceptorVerdict,
} from './core/workers/extensions.ts';
export { defaultLimits, type Limits } from './core/workers/session-limits.ts';
export {
  createInspector,
  type InspectionListener,
  type Inspector,
  type InspectorOptions,
} from './inspector/inspector.ts';
export type { InspectionRecord } from './wire/inspection.ts';

// -- doors: who may come in through a gateway, and what a door of one's own is built on

export type { OpeningOptions, SequencedFact } from '../machines/facts.ts';
export type { AwaitedCall, LiveNode, TextDelta } from '../machines/live-view.ts';
export { titleOfCall } from './client/view/call-title.ts';
export { SessionOptionsDiffer } from './core/runtime/session-opening.ts';
export type {
  Caller,
  ImportReply,
  ImportRequest,
  Joined,
  Runtime,
  SessionEnd,
  SessionListener,
  TokenProof,
} from './core/session/api.ts';
export type { BroughtCall, BroughtMessage } from './core/transcript/imported.ts';
export { type CallKind, callKind } from './core/words/call-kinds.ts';
export { failureSentence } from './core/words/model-words.ts';
export {
  causeText,
  finishText,
  outcomeText,
  receiptText,
  refusalText,
  type SettledWork,
  settledText,
} from './core/words/receipt-words.ts';
export type { Authenticator, Proof } from './gateway/auth/authenticator.ts';
export { createJwtAuthenticator, type JwtOptions } from './gateway/auth/jwt.ts';
export { type JwtKey, readJwtKeyFile } from './gateway/auth/jwt-key.ts';
export { createLocalAuthenticator, type LocalSpeaker } from './gateway/auth/local.ts';
export { createTokenAuthenticator, readTokenFile, type TokenEntries } from './gateway/auth/token-file.ts';
export type { GatewayLimits } from './gateway/gateway-limits.ts';

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
export { monotonicTime, msBetween } from './core/sources/monotonic-time.ts';
export type { Clock, MonotonicTime, Sources } from './core/sources/sources.ts';
export { systemSources } from './core/sources/system.ts';
