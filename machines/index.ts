// `@belay/runtime/machines`: the charts, to open in an editor, to simulate, or to bind to workers of your own.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export {
  type AccessAction,
  type AccessRule,
  type AccessSession,
  type AccessSpeaker,
  type AccessVerdict,
  access,
  accessRules,
  type BuiltinAccess,
} from './access.ts';
export type { CancelCommand, CancelEvent, Judgment, OutcomeEvent, OverdueEvent, Plan, PlannedView } from './cancel.ts';
export { judgeCancel, outcomeOf, planFor, planOf } from './cancel.ts';
export {
  type AnswerCode,
  answerCodes,
  type FailureCode,
  failureCodes,
  type RefusalCode,
  refusalCodes,
} from './codes.ts';
export { connectionMachine } from './connection.ts';
export {
  type AgentTask,
  type Call,
  type CallInput,
  type CallWorkInput,
  callChild,
  callWorkers,
  type Go,
  type LinkInput,
  linkChild,
  type ModelInput,
  type ModelReply,
  type PhaseReply,
  type PrepareInput,
  type PrepareReply,
  recoverWorker,
  type TurnInput,
  turnChild,
  turnWorkers,
} from './contracts.ts';
export { type DecisionDifference, replayDecision } from './decision-replay.ts';
export type {
  AbandonedEnded,
  ApprovalClosed,
  ApprovalRequested,
  CancelAccepted,
  CancelRefused,
  CancelSettled,
  Fact,
  FactOf,
  FactType,
  HistoryCompacted,
  InviteCreated,
  InviteRevoked,
  InviteSecret,
  LateResult,
  MemberInvited,
  MemberRemoved,
  ModelEnded,
  ModelStarted,
  ProcessStarted,
  QuestionAsked,
  QuestionClosed,
  RecordedFact,
  Refusal,
  SequencedFact,
  SessionOpened,
  SessionRecovered,
  SettledNode,
  SharedProcess,
  StopDelegated,
  TextCheckpoint,
  ToolCall,
  ToolChanged,
  ToolResult,
  ToolStarted,
  ToolTimeout,
  TurnEnded,
  TurnOpened,
  TurnStarted,
} from './facts.ts';
export type {
  AwaitedCall,
  LiveNode,
  ModelPreview,
  ModelWaiting,
  OutputDelta,
  ReasoningDelta,
  TextDelta,
  ToolInputDelta,
  ToolProgress,
  ToolWaiting,
} from './live-view.ts';
export type { Message, MessageCall } from './messages.ts';
export { responseMachine } from './response.ts';
export { type ResumedTurn, type Resumption, resumeRefusal } from './resume.ts';
export { type SessionInput, sessionMachine } from './session.ts';
export type { SessionEvent } from './session-events.ts';
export { speechMachine } from './speech.ts';
export {
  defaultAddressedFrom,
  defaultPolicyOf,
  type Evidence,
  type StandingNode,
  type StandingRule,
  standing,
  standingGrounds,
  standingRefusals,
  type Verdict,
} from './standing.ts';
export { subAgentMachine } from './sub-agent.ts';
export { toolCallMachine } from './tool-call.ts';
export { addEffect, addUsage } from './totals.ts';
export { turnMachine } from './turn.ts';
export {
  type Cause,
  type CauseSource,
  causeSources,
  type Effect,
  effects,
  type LeaveReason,
  type NodeId,
  type NodeKind,
  noUsage,
  type Outcome,
  type OutcomeKind,
  outcomeKinds,
  type Policy,
  policies,
  type Role,
  roles,
  type SessionKind,
  type Speaker,
  type SpeakerId,
  sessionKinds,
  type Usage,
  unknownUsage,
} from './vocabulary.ts';
